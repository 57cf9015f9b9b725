/**
 * Prints the statements of ordered queries. A statement depends only on the shape of a query: all data of a request are
 * parameters. Each statement follows a primary key and stops at the end of the range; none sorts or scans a table.
 *
 * A bare `?` in these positions makes SQLite prepare the statement again for each value, to choose a plan by it. A `+`
 * before it prevents that.
 * @see docs/explanation/storage.md#queries
 */
import type { EdgeShape } from '../../rows/indexes/scan-range.ts'

/** Columns that a statement returns for each row of the range. */
export type Projection =
  /** Key, text and id of the child. */
  | 'children'
  /** As `children`, with the kind and value of the entry. */
  | 'entries'
  /** Kind, value and key of the entry. */
  | 'keys'
  /** Number of rows. */
  | 'count'
  /** As `keys`, of the one row at an offset. */
  | 'landmark'
  /** Length of the text of the child, in bytes; read without the text. */
  | 'lengths'

interface Ends {
  readonly start: EdgeShape
  readonly end: EdgeShape
  readonly descending: boolean
}

/** A scan of an index. The first parameters are the list, where children are read, and the index. */
interface IndexShape extends Ends {
  /** A covering index gives the texts that its entries hold, and only the others are looked up. */
  readonly over: 'index' | 'covering'
  readonly projection: Projection
}

/** A scan of a list in key order. The first parameter is the list. */
interface NodeShape extends Ends {
  readonly over: 'node'
  readonly projection: Exclude<Projection, 'entries'>
}

export type Shape = IndexShape | NodeShape

/** Further parameters: those of the start, those of the end and, except for `count`, the limit or offset. */
export function printQuery(shape: Shape): string {
  return shape.over === 'node' ? printNodeQuery(shape) : printIndexQuery(shape)
}

const CHILD = 'node.key, node.value, node.id'
const LENGTH = 'coalesce(octet_length(node.value), 0)'
const ENTRY = 'index_entry.kind, index_entry.value'
const ENTRY_KEY = 'index_entry.key'
// CROSS JOIN fixes the join order.
const JOINED = 'FROM index_entry CROSS JOIN node ON node.parent_id = +? AND node.key = index_entry.key'

const ENTRY_SOURCES: Readonly<Record<Projection, string>> = {
  children: `SELECT ${CHILD} ${JOINED}`,
  entries: `SELECT ${CHILD}, ${ENTRY} ${JOINED}`,
  keys: `SELECT ${ENTRY}, ${ENTRY_KEY} FROM index_entry`,
  count: 'SELECT count(*) FROM index_entry',
  landmark: `SELECT ${ENTRY}, ${ENTRY_KEY} FROM index_entry`,
  lengths: `SELECT ${LENGTH} ${JOINED}`,
}

// Without a parent to look for there is no lookup.
const LEFT_JOINED =
  'FROM index_entry LEFT JOIN node ON node.parent_id = iif(index_entry.text IS NULL, ?, NULL) ' +
  'AND node.key = index_entry.key'
const COVERED = `${ENTRY_KEY}, coalesce(index_entry.text, node.value), node.id`

const COVERING_SOURCES: Readonly<Record<Projection, string>> = {
  ...ENTRY_SOURCES,
  children: `SELECT ${COVERED} ${LEFT_JOINED}`,
  entries: `SELECT ${COVERED}, ${ENTRY} ${LEFT_JOINED}`,
  lengths: `SELECT coalesce(octet_length(index_entry.text), octet_length(node.value), 0) ${LEFT_JOINED}`,
}

function printIndexQuery({ over, projection, start, end, descending }: IndexShape): string {
  const columns = ['kind', 'value', 'key'].map((name) => `index_entry.${name}`)
  const conditions = ['index_entry.index_id = +?', ...edge(start, '>', columns), ...edge(end, '<', columns)]
  const source = (over === 'covering' ? COVERING_SOURCES : ENTRY_SOURCES)[projection]
  return finish(`${source} WHERE ${conditions.join(' AND ')}`, projection, columns, descending)
}

const NODE_SOURCES: Readonly<Record<NodeShape['projection'], string>> = {
  children: `SELECT ${CHILD} FROM node`,
  keys: 'SELECT 0, 0, node.key FROM node',
  count: 'SELECT count(*) FROM node',
  landmark: 'SELECT 0, 0, node.key FROM node',
  lengths: `SELECT ${LENGTH} FROM node`,
}

/** The table itself is in key order; it also holds the priority, which is no child. */
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
