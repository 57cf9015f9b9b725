import { FIRST_TEXT_KEY, type SortValue } from '../../../../tree/order.ts'
import type { Path } from '../../../../tree/path.ts'
import { keyEntry } from '../../../rows/indexes/index-value.ts'
import { type ChildRow, isChild, LAST_KEY } from '../../../rows/slot.ts'
import type { Statements } from '../../connection/lane.ts'
import { valuesBelow } from '../child-values.ts'
import type { IndexDefinition } from '../definition.ts'

/** Bounds of one page. */
export interface PageSize {
  /** Maximum rows. */
  readonly rows: number
  /** Most text, in bytes, but for a longer text of a single child. */
  readonly bytes: number
}

/** A child with what it is sorted by. */
export interface SortedChild {
  /** Encoded by `sortKey`. */
  readonly key: string
  /** Stored text; `null` for an interior node. */
  readonly text: string | null
  /** `undefined` for a key that the index over integer keys leaves out. */
  readonly value: SortValue | undefined
}

/** Some consecutive children of a list, in key order. */
export interface ChildPage {
  readonly children: readonly SortedChild[]
  /** Last key of the page; `undefined` when no child is left. */
  readonly end: string | undefined
  /** The child before them; `undefined` when there is none. */
  readonly last: SortedChild | undefined
}

type PageRow = ChildRow & { readonly found: number }

/** A window sums up the lengths, which are known without reading the texts. */
const PAGE = `SELECT key, value, id::float8 AS id, found::int AS found FROM (
  SELECT key, value, id, count(*) OVER () AS found,
    coalesce(sum(octet_length(value)) OVER (ORDER BY key ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS above
  FROM (SELECT key, value, id FROM node WHERE tree = $1::int AND parent_id = $2::bigint AND key > $3::text
    AND key < $4::text ORDER BY key LIMIT $5::int) AS p) AS q
WHERE above < $6::int ORDER BY key`

/** Of a long string it only matters that it is one. */
const LAST = `SELECT key, id::float8 AS id,
  CASE WHEN kind = 4 AND octet_length(value) > 1024 THEN '""' ELSE value END AS value FROM node
WHERE tree = $1::int AND parent_id = $2::bigint AND key <= $3::text AND key <> '.priority' ORDER BY key DESC LIMIT 1`

/** Reads the next children of a list whose index is being built, in the transaction of a batch. */
export async function readPage(
  statements: Statements,
  tree: number,
  { listId, path, builtTo }: IndexDefinition,
  { rows, bytes }: PageSize,
): Promise<ChildPage> {
  const after = builtTo ?? ''
  const end = path === undefined ? FIRST_TEXT_KEY : LAST_KEY
  const [page, before] = await Promise.all([
    statements.query<PageRow>(PAGE, [tree, listId, after, end, rows, bytes]),
    path === undefined || after === '' ? [] : statements.query<ChildRow>(LAST, [tree, listId, after]),
  ])
  if (path === undefined) {
    const children = page.map(({ key, value }) => ({ key, text: value, value: keyEntry(key) }))
    return { children, end: endOf(page, page.length, rows), last: undefined }
  }
  const children = await sortedBelow(statements, tree, page, path, bytes)
  const [last] = await sortedBelow(statements, tree, before, path, bytes)
  return { children: children.filter(({ key }) => isChild(key)), end: endOf(page, children.length, rows), last }
}

/** Last key of a page of which `used` rows are used. */
function endOf(page: readonly PageRow[], used: number, rows: number): string | undefined {
  const found = page[0]?.found ?? 0
  return found < rows && used === found ? undefined : page[used - 1]?.key
}

/** What children are sorted by: all of them, or the first ones when values below interior nodes are long. */
async function sortedBelow(
  statements: Statements,
  tree: number,
  rows: readonly ChildRow[],
  path: Path,
  bytes: number,
): Promise<SortedChild[]> {
  const values = await valuesBelow(statements, tree, rows, path, bytes)
  return values.map((value, row) => ({ key: rows[row]?.key ?? '', text: rows[row]?.value ?? null, value }))
}
