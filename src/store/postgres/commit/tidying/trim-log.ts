import type { AppliedTree } from '../../applied-tree.ts'
import type { Lanes } from '../../connection/lanes.ts'

/** Rows removed in one step. */
const STEP_ROWS = 128

export interface LogRetention {
  /** Maximum number of entries. */
  readonly maxChanges: number
  /** Age up to which an entry is kept, in milliseconds. */
  readonly maxAgeMs: number
}

interface OldestRow {
  readonly batch: number
  readonly first: number
  readonly last: number
  readonly at: number
}

const OLDEST =
  'SELECT l.batch::float8 AS batch, l.first_seq::float8 AS first, l.last_seq::float8 AS last, l.at::float8 AS at ' +
  'FROM log l WHERE l.tree = $1::int ORDER BY l.batch LIMIT 1'
const AGED = 'SELECT max(l.last_seq)::float8 AS last FROM log l WHERE l.tree = $1::int AND l.at < $2::bigint'
const REMOVE =
  'WITH gone AS (DELETE FROM log WHERE tree = $1::int AND batch = ANY(ARRAY(SELECT l.batch FROM log l ' +
  'WHERE l.tree = $1::int AND l.batch < $2::bigint AND l.last_seq < $3::bigint ' +
  `ORDER BY l.batch LIMIT ${STEP_ROWS})) RETURNING 1) SELECT count(*)::int AS count FROM gone`

/**
 * Removes old entries of the log. The row of the applied batch stays: the next batch is bound to it.
 * @param now milliseconds since 1970
 * @returns whether there may be more
 */
export async function trimLog(lanes: Lanes, tree: AppliedTree, retention: LogRetention, now: number): Promise<boolean> {
  const { batch, seq } = tree.batch
  const [oldest] = await lanes.query<OldestRow>(OLDEST, [tree.tree])
  if (oldest === undefined) return false
  const outdated = now - retention.maxAgeMs
  const [aged] = oldest.at < outdated ? await lanes.query<{ last: number | null }>(AGED, [tree.tree, outdated]) : []
  const keepFrom = Math.min(seq, Math.max(seq - retention.maxChanges, aged?.last ?? 0) + 1)
  if (oldest.first >= keepFrom) return false
  const [removed] = await lanes.query<{ count: number }>(REMOVE, [tree.tree, batch, keepFrom])
  if (removed?.count === STEP_ROWS) return true
  const [first] = await lanes.query<OldestRow>(OLDEST, [tree.tree])
  if (first !== undefined && first.first < keepFrom && first.last >= keepFrom) {
    await cutRow(lanes, tree.tree, first, keepFrom)
  }
  return false
}

/** Removes the first entries of a row. */
async function cutRow(lanes: Lanes, tree: number, { batch, first }: OldestRow, keepFrom: number): Promise<void> {
  const [row] = await lanes.query<{ heads: string; data: string | null }>(
    'SELECT heads, data FROM log WHERE tree = $1::int AND batch = $2::bigint AND first_seq = $3::bigint',
    [tree, batch, first],
  )
  if (row === undefined) return
  const heads = (JSON.parse(row.heads) as (readonly [string, string, number | null])[]).slice(keepFrom - first)
  const length = heads.reduce((sum, [, , each]) => sum + (each ?? 0), 0)
  await lanes.query(
    'UPDATE log SET first_seq = $4::bigint, heads = $5::text, data = $6::text ' +
      'WHERE tree = $1::int AND batch = $2::bigint AND first_seq = $3::bigint',
    [tree, batch, first, keepFrom, JSON.stringify(heads), length === 0 ? null : (row.data ?? '').slice(-length)],
  )
}
