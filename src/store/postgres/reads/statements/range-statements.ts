/**
 * Prints the statements of ordered queries. A statement depends only on the shape of a query: all data of a request are
 * parameters. Each follows a primary key and stops at the end of the range; none sorts or scans a table. A LIMIT stands
 * inside a subquery, so that the planner cannot join first.
 */
import type { EdgeShape } from '../../../rows/indexes/scan-range.ts'

/** What a statement returns of each row of the range. */
export type Projection =
  /** Key, text and id of the child, of an index also kind and value of the entry, as far as a page of texts goes. */
  | 'children'
  /** Key, of an index also kind and value of the entry. */
  | 'keys'
  /** As `keys`, of the one row at an offset. */
  | 'landmark'
  /** Number of rows. */
  | 'count'

/** Shape of a scan of a list in key order, or of an index. */
export interface Shape {
  /** A covering index gives the texts that its entries hold, and only the others are looked up. */
  readonly over: 'node' | 'index' | 'covering'
  readonly projection: Projection
  readonly start: EdgeShape
  readonly end: EdgeShape
  readonly descending: boolean
}

const ABOVE = (text: string) =>
  `coalesce(sum(octet_length(${text})) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS above`

/**
 * Children of a list with some keys, in their order, as far as a page of texts goes. Parameters: number of the tree, list,
 * keys, and length in bytes that ends the page.
 */
export const LOOKUP =
  'SELECT q.n::int AS n, q.key, q.value, q.id::float8 AS id, q.found::int AS found FROM (SELECT s.n, s.key, c.value, c.id, ' +
  `count(*) OVER () AS found, ${ABOVE('c.value')} FROM unnest($3::text[]) WITH ORDINALITY AS s(key, n) ` +
  'CROSS JOIN LATERAL (SELECT c.value, c.id FROM node c WHERE c.tree = $1::int AND c.parent_id = $2::bigint ' +
  'AND c.key = s.key LIMIT 1) c) q WHERE q.above < $4::bigint'

/** Interior nodes. Parameters: number of the tree, ids. */
export const INTERIORS =
  'SELECT s.id::float8 AS id, i.child_count AS "childCount", i.traits FROM unnest($2::bigint[]) AS s(id) ' +
  'CROSS JOIN LATERAL (SELECT i.child_count, i.traits FROM interior i WHERE i.tree = $1::int AND i.id = s.id LIMIT 1) i'

/**
 * Parameters: number of the tree, list or index, arguments of the start and of the end; then except for `count` the limit
 * or offset; then for `children` the length in bytes that ends the page, and for children by an index the list.
 */
export function printRange(shape: Shape): string {
  return shape.over === 'node' ? printNodeRange(shape) : printIndexRange(shape)
}

/** Numbers the parameters. */
class Parameters {
  // The first two are the tree, and the list or index.
  #count = 2

  next(type: string): string {
    this.#count++
    return `$${this.#count}::${type}`
  }
}

/** The table itself is in key order; it also holds the priority, which is no child. */
function printNodeRange({ projection, start, end, descending }: Shape): string {
  const parameters = new Parameters()
  const conditions = [
    'c.tree = $1::int AND c.parent_id = $2::bigint',
    ...edge(start, '>', NODE_COLUMNS, parameters),
    ...edge(end, '<', NODE_COLUMNS, parameters),
    "c.key <> '.priority'",
  ]
  const where = `FROM node c WHERE ${conditions.join(' AND ')}`
  if (projection === 'count') return `SELECT count(*)::int AS rows ${where}`
  const order = orderBy(NODE_COLUMNS, descending)
  if (projection !== 'children')
    return `SELECT p.key FROM (SELECT c.key ${where} ${order} ${slice(projection, parameters)}) p`
  return (
    'SELECT q.key, q.value, q.id::float8 AS id, q.found::int AS found FROM (SELECT p.key, p.value, p.id, ' +
    `count(*) OVER () AS found, ${ABOVE('p.value')} FROM ` +
    `(SELECT c.key, c.value, c.id ${where} ${order} ${slice(projection, parameters)}) p) q ` +
    `WHERE q.above < ${parameters.next('bigint')}`
  )
}

function printIndexRange({ over, projection, start, end, descending }: Shape): string {
  const parameters = new Parameters()
  const conditions = [
    'e.tree = $1::int AND e.index_id = $2::bigint',
    ...edge(start, '>', ENTRY_COLUMNS, parameters),
    ...edge(end, '<', ENTRY_COLUMNS, parameters),
  ]
  const where = `FROM index_entry e WHERE ${conditions.join(' AND ')}`
  if (projection === 'count') return `SELECT count(*)::int AS rows ${where}`
  const order = orderBy(ENTRY_COLUMNS, descending)
  const columns = `e.kind, e.value, e.key${over === 'covering' && projection === 'children' ? ', e.text' : ''}`
  const entries = `(SELECT ${columns} ${where} ${order} ${slice(projection, parameters)}) e`
  if (projection !== 'children') return `SELECT e.kind::int AS kind, e.value AS sorted, e.key FROM ${entries}`
  const bytes = parameters.next('bigint')
  const child = `SELECT c.value, c.id FROM node c WHERE c.tree = $1::int AND c.parent_id = ${parameters.next('bigint')} AND c.key = e.key`
  const [joined, text] =
    over === 'covering'
      ? [`LEFT JOIN LATERAL (${child} AND e.text IS NULL LIMIT 1) c ON true`, 'coalesce(e.text, c.value)']
      : [`CROSS JOIN LATERAL (${child} LIMIT 1) c`, 'c.value']
  return (
    'SELECT q.kind::int AS kind, q.sorted, q.key, q.text AS value, q.id::float8 AS id, q.found::int AS found FROM ' +
    `(SELECT e.kind, e.value AS sorted, e.key, ${text} AS text, c.id, count(*) OVER () AS found, ${ABOVE(text)} ` +
    `FROM ${entries} ${joined}) q WHERE q.above < ${bytes}`
  )
}

interface Column {
  readonly name: string
  readonly type: string
}

const NODE_COLUMNS: readonly Column[] = [{ name: 'c.key', type: 'text' }]
const ENTRY_COLUMNS: readonly Column[] = [
  { name: 'e.kind', type: 'smallint' },
  { name: 'e.value', type: 'bytea' },
  { name: 'e.key', type: 'text' },
]

function edge(shape: EdgeShape, operator: '<' | '>', columns: readonly Column[], parameters: Parameters): string[] {
  if (shape === 'open') return []
  const compared = shape.startsWith('value') ? columns.slice(0, 2) : columns
  const orEqual = shape.endsWith('=') ? '=' : ''
  const values = compared.map(({ type }) => parameters.next(type))
  return [`(${compared.map(({ name }) => name).join(', ')}) ${operator}${orEqual} (${values.join(', ')})`]
}

function orderBy(columns: readonly Column[], descending: boolean): string {
  return `ORDER BY ${columns.map(({ name }) => name + (descending ? ' DESC' : '')).join(', ')}`
}

function slice(projection: Projection, parameters: Parameters): string {
  return projection === 'landmark' ? `LIMIT 1 OFFSET ${parameters.next('int')}` : `LIMIT ${parameters.next('int')}`
}
