import type { Tables } from './tables.ts'

/**
 * Admits one call per interval, of all processes together, by the clock of the database.
 * @param intervalMs least time between two calls; 0 admits all
 */
export async function admitCall({ transaction, tree, clock }: Tables, intervalMs: number): Promise<boolean> {
  if (intervalMs === 0) return true
  // A call that waits for another one looks at the clock again. After the clock was set back, none would be admitted for long.
  const text =
    `UPDATE application SET sms_called_at = ${clock.sql} WHERE tree = $1::int ` +
    `AND (sms_called_at <= ${clock.sql} - $2::bigint OR sms_called_at > ${clock.sql}) RETURNING 1 AS admitted`
  return (await transaction(({ query }) => query(text, [tree, intervalMs]))).length > 0
}
