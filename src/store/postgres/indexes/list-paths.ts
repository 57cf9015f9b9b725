import { keyOf } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import { ROOT_PARENT } from '../../rows/slot.ts'
import { arrayOf } from '../connection/arrays.ts'
import type { Statements } from '../connection/lane.ts'

interface Step {
  readonly list: number
  readonly parent: number
  readonly key: string
}

/** From each list up to the root, or as far up as there are rows. */
const WAYS_UP = `WITH RECURSIVE up AS (
  SELECT i.id AS list, i.parent_id, i.key, 0 AS depth FROM interior i
  WHERE i.tree = $1::int AND i.id = ANY($2::bigint[])
  UNION ALL
  SELECT up.list, i.parent_id, i.key, up.depth + 1 FROM up JOIN interior i ON i.tree = $1::int AND i.id = up.parent_id
  WHERE up.parent_id > 0)
SELECT list::float8 AS list, parent_id::float8 AS parent, key FROM up ORDER BY list, up.depth DESC`

/** Paths of interior nodes by id. Nodes that are not part of the tree are left out. */
export async function pathsOf(
  statements: Statements,
  tree: number,
  lists: Iterable<number>,
): Promise<ReadonlyMap<number, Path>> {
  const paths = new Map<number, string[]>()
  const ids = [...new Set(lists)]
  if (ids.length === 0) return paths
  for (const { list, parent, key } of await statements.query<Step>(WAYS_UP, [tree, arrayOf(ids)])) {
    // The first step of a list is the uppermost one.
    if (parent === ROOT_PARENT) paths.set(list, [])
    else paths.get(list)?.push(keyOf(key))
  }
  return paths
}
