/**
 * Prints the statements that ordered queries run. A statement depends on the shape of a query alone: whatever comes
 * from a request travels as a parameter. All of them walk along a primary key and stop at the other end of the range:
 * none sorts, none scans.
 *
 * A bare `?` in these places has SQLite prepare the statement anew for every value, to choose its plan by that. Behind a
 * `+` it does not look.
 * @see docs/explanation/storage.md#queries
 */
import type { EdgeShape } from '../../rows/scan-range.ts'

/** What is read of each row of the range. */
export type Projection =
  /** Key, text and id of the child. */
  | 'children'
  /** The same, and the kind and value of its entry. */
  | 'entries'
  /** The key alone, behind kind and value. */
  | 'keys'
  /** How many there are. */
  | 'count'
  /** Kind, value and key of the row so many behind the first. */
  | 'landmark'
  /** Length of the text of the child, in bytes; read without the text. */
  | 'lengths'

interface Ends {
  readonly start: EdgeShape
  readonly end: EdgeShape
  readonly descending: boolean
}

/** A walk along an index. Parameters begin with the list, where children are read, and the index. */
interface IndexShape extends Ends {
  readonly over: 'index'
  readonly projection: Projection
}

/** A walk along the children of a list in key order. Parameters begin with the list. */
interface NodeShape extends Ends {
  readonly over: 'node'
  readonly projection: Exclude<Projection, 'entries'>
}

export type Shape = IndexShape | NodeShape

/** Then follow the parameters of the start, those of the end and, but for `count`, the limit or offset. */
export function printQuery(shape: Shape): string {
  return shape.over === 'index' ? printIndexQuery(shape) : printNodeQuery(shape)
}

const CHILD = 'node.key, node.value, node.id'
const LENGTH = 'coalesce(octet_length(node.value), 0)'
const ENTRY = 'index_entry.kind, index_entry.value'
const ENTRY_KEY = 'index_entry.key'
// CROSS JOIN holds the planner to the order of the two.
const JOINED = 'FROM index_entry CROSS JOIN node ON node.parent_id = +? AND node.key = index_entry.key'

const ENTRY_SOURCES: Readonly<Record<Projection, string>> = {
  children: `SELECT ${CHILD} ${JOINED}`,
  entries: `SELECT ${CHILD}, ${ENTRY} ${JOINED}`,
  keys: `SELECT ${ENTRY}, ${ENTRY_KEY} FROM index_entry`,
  count: 'SELECT count(*) FROM index_entry',
  landmark: `SELECT ${ENTRY}, ${ENTRY_KEY} FROM index_entry`,
  lengths: `SELECT ${LENGTH} ${JOINED}`,
}

function printIndexQuery({ projection, start, end, descending }: IndexShape): string {
  const columns = ['kind', 'value', 'key'].map((name) => `index_entry.${name}`)
  const conditions = ['index_entry.index_id = +?', ...edge(start, '>', columns), ...edge(end, '<', columns)]
  return finish(`${ENTRY_SOURCES[projection]} WHERE ${conditions.join(' AND ')}`, projection, columns, descending)
}

const NODE_SOURCES: Readonly<Record<NodeShape['projection'], string>> = {
  children: `SELECT ${CHILD} FROM node`,
  keys: 'SELECT 0, 0, node.key FROM node',
  count: 'SELECT count(*) FROM node',
  landmark: 'SELECT 0, 0, node.key FROM node',
  lengths: `SELECT ${LENGTH} FROM node`,
}

/** Children in key order stand in the table itself, a priority among them. */
function printNodeQuery({ projection, start, end, descending }: NodeShape): string {
  const columns = ['node.key']
  const conditions = ['node.parent_id = +?', ...edge(start, '>', columns), ...edge(end, '<', columns)]
  const rows = `${NODE_SOURCES[projection]} WHERE ${conditions.join(' AND ')} AND node.key <> '.priority'`
  return finish(rows, projection, columns, descending)
}

function edge(shape: EdgeShape, operator: '<' | '>', columns: readonly string[]): string[] {
  if (shape === 'open') return []
  const compared = shape.startsWith('value') ? columns.slice(0, 2) : columns
  const orEqual = shape.endsWith('=') ? '=' : ''
  return [`(${compared.join(', ')}) ${operator}${orEqual} (${compared.map(() => '?').join(', ')})`]
}

function finish(rows: string, projection: Projection, columns: readonly string[], descending: boolean): string {
  if (projection === 'count') return rows
  const order = columns.map((column) => column + (descending ? ' DESC' : '')).join(', ')
  return `${rows} ORDER BY ${order} LIMIT ${projection === 'landmark' ? '1 OFFSET +?' : '+?'}`
}
