/**
 * The lock for which processes queue that write to one tree at the same time. It is politeness, not safety: what may be
 * committed rests on the number of the batch alone.
 * @see docs/explanation/postgres.md#several-writers
 */

/** Key of the lock; the table distinguishes installations of one database. The first parameter is the tree's number. */
const KEY = "'log'::regclass::oid::int, $1::int"

/** Takes the lock until the end of the transaction; false when another process has it or waits for it. */
export const TRIED_LOCK = `pg_try_advisory_xact_lock(${KEY})`

export const TRY_LOCK = `SELECT ${TRIED_LOCK} AS "isFree"`

/**
 * Waits for the lock. Parameters: number of the tree, longest time without a statement before the server ends the transaction,
 * and longest wait; times as PostgreSQL writes them.
 */
export const TAKE_LOCK =
  "SELECT set_config('idle_in_transaction_session_timeout', $2::text, true), set_config('lock_timeout', $3::text, true), " +
  `pg_advisory_xact_lock(${KEY})`
