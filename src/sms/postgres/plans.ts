import type { Statements } from './tables.ts'

const AVOID = "SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)"

/** Has the rest of a transaction look up the places of rows (`ctid = ANY`), also while the planner takes the tables for small. */
export async function avoidScans(statements: Statements): Promise<void> {
  await statements.query(AVOID)
}
