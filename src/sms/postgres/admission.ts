import type { Tables } from './tables.ts'

/** Time by which a clock may go back without having been set, in milliseconds. */
const CORRECTION_MS = 1000

/**
 * Admits one call per interval, of all processes together, by the clock of the database.
 * @param intervalMs least time between two calls; 0 admits all
 */
export async function admitCall({ transaction, tree, clock }: Tables, intervalMs: number): Promise<boolean> {
  if (intervalMs === 0) return true
  // A call that waits for another one looks at the clock again. After the clock was set back by more than what a machine
  // corrects, none would be admitted for long.
  const text =
    `UPDATE application SET sms_called_at = ${clock.sql} WHERE tree = $1::int ` +
    `AND (sms_called_at <= ${clock.sql} - $2::bigint OR sms_called_at > ${clock.sql} + ${CORRECTION_MS}) RETURNING 1 AS admitted`
  return (await transaction(({ query }) => query(text, [tree, intervalMs]))).length > 0
}
