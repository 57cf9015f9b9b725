import type { Cutoffs } from '../message-store.ts'
import { STATE_COUNTS, Tally } from '../model/counts.ts'
import type { State } from '../model/report.ts'
import { deleteBatchTexts } from './batch-texts.ts'
import { addToCounts } from './counts.ts'
import { avoidScans } from './plans.ts'
import type { Statements, Tables } from './tables.ts'

/** Rows of a table deleted in one transaction. */
const STEP = 500
/** Batches of which messages are deleted in one transaction. */
const STEP_BATCHES = 250

/** Any number: with that of the tree it names the lock of the one process that deletes. */
const LOCK = 4_205_118
const TRY_LOCK = 'SELECT pg_try_advisory_xact_lock($1::int, $2::int) AS locked'

// Batches of which a transaction changes messages are locked by it, and left for the next time.
const OLD_BATCHES =
  'SELECT b.id::float8 AS id FROM sms_batch b WHERE b.tree = $1::int AND b.submitted_at < $2::bigint ' +
  `ORDER BY b.submitted_at LIMIT ${STEP_BATCHES} FOR UPDATE SKIP LOCKED`
const DELETE_MESSAGES =
  'WITH gone AS (DELETE FROM sms_message WHERE ctid = ANY(ARRAY(SELECT o.ctid FROM unnest($2::bigint[]) AS s(id) ' +
  'CROSS JOIN LATERAL (SELECT m.ctid FROM sms_message m WHERE m.tree = $1::int AND m.batch_id = s.id ' +
  `ORDER BY m.position LIMIT ${STEP}) o LIMIT ${STEP})) RETURNING status) ` +
  'SELECT status::int AS status, count(*)::int AS count FROM gone GROUP BY status'
const DELETE_BATCHES =
  'DELETE FROM sms_batch b WHERE b.tree = $1::int AND b.id = ANY($2::bigint[]) AND (SELECT m.position FROM sms_message m ' +
  'WHERE m.tree = $1::int AND m.batch_id = b.id ORDER BY m.position LIMIT 1) IS NULL'

const deleteRows = (table: string, condition: string, order: string) =>
  `WITH gone AS (DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT o.ctid FROM ${table} o WHERE o.tree = $1::int ` +
  `AND ${condition} ORDER BY ${order} LIMIT ${STEP})) RETURNING 1) SELECT count(*)::int AS count FROM gone`
const DELETE_FINALS = deleteRows('sms_final', 'o.seq < $2::bigint', 'o.seq')
const DELETE_RETURNED = deleteRows(
  'sms_handover',
  'o.first_seq < $2::bigint AND o.last_seq < $2::bigint',
  'o.first_seq',
)
const DELETE_CONTRADICTIONS = deleteRows('sms_contradiction', 'o.arrived_at < $2::bigint', 'o.arrived_at')

/**
 * Deletes up to `STEP` rows of each table, beside the batches of the tree. One process does it at a time.
 * @returns whether any row was deleted
 */
export function deleteStep(tables: Tables, { before, finals, returned }: Cutoffs): Promise<boolean> {
  const { tree } = tables
  return tables.transaction(async (statements) => {
    const [lock] = await statements.query<{ locked: boolean }>(TRY_LOCK, [LOCK, tree])
    if (lock?.locked !== true) return false
    await avoidScans(statements)
    const count = async (text: string, bound: number) =>
      (await statements.query<{ count: number }>(text, [tree, bound]))[0]?.count ?? 0
    const deleted = await Promise.all([
      count(DELETE_FINALS, finals),
      count(DELETE_RETURNED, returned),
      count(DELETE_CONTRADICTIONS, before),
      deleteMessages(statements, tree, before),
    ])
    return deleted.some((rows) => rows > 0)
  })
}

/** Deletes messages of the oldest batches, and the batches that are then empty. @returns the number of batches */
async function deleteMessages(statements: Statements, tree: number, before: number): Promise<number> {
  const ids = (await statements.query<{ id: number }>(OLD_BATCHES, [tree, before])).map(({ id }) => id)
  if (ids.length === 0) return 0
  const tally = new Tally()
  const [gone] = await Promise.all([
    statements.query<{ status: State; count: number }>(DELETE_MESSAGES, [tree, ids]),
    deleteBatchTexts(statements, tree, ids),
    statements.query(DELETE_BATCHES, [tree, ids]),
  ])
  for (const { status, count } of gone) tally.add(STATE_COUNTS[status], -count)
  await addToCounts(statements, tree, tally)
  return ids.length
}
