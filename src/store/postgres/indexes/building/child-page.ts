import { parseStored } from '../../../../tree/json/print.ts'
import { FIRST_TEXT_KEY, NO_VALUE, OBJECT, type SortValue, sortKey, sortValue } from '../../../../tree/order.ts'
import type { Path } from '../../../../tree/path.ts'
import { valueAt } from '../../../../tree/value.ts'
import { keyEntry } from '../../../rows/indexes/index-value.ts'
import { type ChildRow, isChild, LAST_KEY } from '../../../rows/slot.ts'
import { arrayOf } from '../../connection/arrays.ts'
import type { Statements } from '../../connection/lane.ts'
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

const BELOW = `SELECT n::int AS n, id::float8 AS id, above >= $4::int AND id IS NULL AS "isLeftOut",
  CASE WHEN above < $4::int THEN value END AS value FROM (
  SELECT s.n, c.id, c.value,
    coalesce(sum(octet_length(c.value)) OVER (ORDER BY s.n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS above
  FROM unnest($2::bigint[]) WITH ORDINALITY AS s(parent, n)
  JOIN node c ON c.tree = $1::int AND c.parent_id = s.parent AND c.key = $3::text) AS q`

interface RowBelow {
  readonly n: number
  readonly id: number | null
  readonly value: string | null
  readonly isLeftOut: boolean
}

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
  let used = rows.length
  const values = rows.map(({ id, value }) => (id === null ? inText(value, path) : NO_VALUE))
  let open = rows.flatMap(({ id }, row) => (id === null ? [] : [{ row, id }]))
  for (const [depth, key] of path.entries()) {
    if (open.length === 0) break
    const below = await statements.query<RowBelow>(BELOW, [
      tree,
      arrayOf(open.map(({ id }) => id)),
      sortKey(key),
      bytes,
    ])
    const next: typeof open = []
    for (const { n, id, value, isLeftOut } of below) {
      const row = open[n - 1]?.row ?? 0
      if (isLeftOut) used = Math.min(used, row)
      else if (id !== null) next.push({ row, id })
      else values[row] = inText(value, path.slice(depth + 1))
    }
    open = next.filter(({ row }) => row < used)
  }
  for (const { row } of open) values[row] = OBJECT
  return rows.slice(0, used).map(({ key, value }, row) => ({ key, text: value, value: values[row] }))
}

function inText(text: string | null, path: Path): SortValue {
  return sortValue(valueAt(parseStored(text ?? ''), path))
}
