import { inTurns } from '../../../scheduling/turns.ts'
import { parseStored } from '../../../tree/json/print.ts'
import { NO_VALUE, OBJECT, type SortValue, sortKey, sortValue } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import { valueAt } from '../../../tree/value.ts'
import { isLongString, parseStringInSteps } from '../../rows/long-string.ts'
import type { SlotContent } from '../../rows/slot.ts'
import { arrayOf } from '../connection/arrays.ts'
import type { Statements } from '../connection/lane.ts'

/**
 * Children with one key of several interior nodes. Parameters: number of the tree, ids of the nodes, key, and length in
 * bytes behind which texts are left out. A lateral subquery with a LIMIT keeps the planner from reading the whole tree.
 */
const BELOW = `SELECT n::int AS n, id::float8 AS id, above >= $4::int AND id IS NULL AS "isLeftOut",
  CASE WHEN above < $4::int THEN value END AS value FROM (
  SELECT s.n, c.id, c.value,
    coalesce(sum(octet_length(c.value)) OVER (ORDER BY s.n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS above
  FROM unnest($2::bigint[]) WITH ORDINALITY AS s(parent, n)
  CROSS JOIN LATERAL (
    SELECT c.id, c.value FROM node c WHERE c.tree = $1::int AND c.parent_id = s.parent AND c.key = $3::text LIMIT 1
  ) c) AS q`

interface RowBelow {
  readonly n: number
  readonly id: number | null
  readonly value: string | null
  readonly isLeftOut: boolean
}

/**
 * What children are sorted by in an order by a child path: all of them, or the first ones when values below interior nodes
 * are long.
 * @param bytes length of texts read in one step
 */
export async function valuesBelow(
  statements: Statements,
  tree: number,
  rows: readonly SlotContent[],
  path: Path,
  bytes: number,
): Promise<SortValue[]> {
  let used = rows.length
  const values: SortValue[] = []
  for (const { id, value } of rows) values.push(id === null ? await inText(value, path) : NO_VALUE)
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
      else values[row] = await inText(value, path.slice(depth + 1))
    }
    open = next.filter(({ row }) => row < used)
  }
  for (const { row } of open) values[row] = OBJECT
  return values.slice(0, used)
}

async function inText(text: string | null, path: Path): Promise<SortValue> {
  if (text === null || !isLongString(text)) return sortValue(valueAt(parseStored(text ?? ''), path))
  // Nothing is below a string.
  return path.length > 0 ? NO_VALUE : sortValue(await inTurns(parseStringInSteps(text)))
}
