import type { Lanes } from '../connection/lanes.ts'
import { DATABASE_NOW } from '../processes.ts'

/** Rows removed in one step. */
const STEP_ROWS = 4096
/** Age after which a tree is swept although it is not known that no process has it open, in milliseconds. */
const SURELY_CLOSED_MS = 120_000

const NEXT =
  `SELECT tree FROM removed_tree WHERE is_free OR removed_at < ${DATABASE_NOW} - ${SURELY_CLOSED_MS} ` +
  'ORDER BY removed_at LIMIT 1 FOR UPDATE SKIP LOCKED'

/** Tables with rows of trees. The log comes first: without its rows nothing can be written to the tree any more. */
const TABLES =
  'SELECT c.relname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid ' +
  "WHERE a.attname = 'tree' AND NOT a.attisdropped AND c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace " +
  "AND c.relname NOT IN ('application', 'removed_tree', 'confirmation', 'confirmation_request') " +
  "ORDER BY c.relname <> 'log', c.relname"

/**
 * Removes the rows of trees whose applications were removed, in short transactions. Several processes may do so at once.
 * Resolves when there is nothing to remove, or other processes are at it. @throws what the database throws
 */
export async function sweepRemovedTrees(lanes: Lanes, isStopped: () => boolean): Promise<void> {
  const tables = await lanes.query<{ name: string }>(TABLES)
  const names = tables.map(({ name }) => name)
  while (!isStopped() && (await sweepStep(lanes, names))) await new Promise(setImmediate)
}

/** @returns whether there may be more to remove */
function sweepStep(lanes: Lanes, tables: readonly string[]): Promise<boolean> {
  return lanes.transaction(async (statements) => {
    const [found] = await statements.query<{ tree: number }>(NEXT)
    if (found === undefined) return false
    for (const table of tables) {
      const rows = await statements.query<{ removed: number }>(
        `WITH gone AS (DELETE FROM "${table}" WHERE ctid = ANY(ARRAY(SELECT ctid FROM "${table}" WHERE tree = $1::int ` +
          `LIMIT ${STEP_ROWS})) RETURNING 1) SELECT count(*)::int AS removed FROM gone`,
        [found.tree],
      )
      if ((rows[0]?.removed ?? 0) > 0) return true
    }
    await statements.query('DELETE FROM removed_tree WHERE tree = $1::int', [found.tree])
    return true
  })
}
