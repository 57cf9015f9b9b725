import { and, asc, eq, lt, lte, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { Cutoffs } from '../message-store.ts'
import { STATE_COUNTS, Tally } from '../model/counts.ts'
import { deleteBatchText } from './batch-texts.ts'
import { addToCounts } from './counts.ts'
import { batch, contradiction, final, handover, message } from './schema.ts'
import { bound, perConnection } from './tables.ts'

/** Rows of a table deleted in one transaction. */
const STEP = 500

const statements = perConnection((orm) => ({
  batch: orm
    .select({ id: batch.id })
    .from(batch)
    .where(lt(batch.submittedAt, bound('before')))
    .orderBy(asc(batch.submittedAt))
    .limit(1)
    .prepare(),
  messages: orm
    .select({ position: message.position, status: message.status })
    .from(message)
    .where(eq(message.batchId, bound('batchId')))
    .orderBy(asc(message.position))
    .limit(STEP)
    .prepare(),
  deleteMessages: orm
    .delete(message)
    .where(and(eq(message.batchId, bound('batchId')), lte(message.position, bound('last'))))
    .prepare(),
  deleteBatch: orm
    .delete(batch)
    .where(eq(batch.id, bound('id')))
    .prepare(),
  finals: orm
    .select({ seq: final.seq })
    .from(final)
    .where(lt(final.seq, bound('before')))
    .orderBy(asc(final.seq))
    .limit(STEP)
    .prepare(),
  deleteFinals: orm
    .delete(final)
    .where(lte(final.seq, bound('last')))
    .prepare(),
  returned: orm
    .select({ firstSeq: handover.firstSeq })
    .from(handover)
    .where(and(lt(handover.firstSeq, bound('before')), lt(handover.lastSeq, bound('before'))))
    .orderBy(asc(handover.firstSeq))
    .limit(STEP)
    .prepare(),
  deleteReturned: orm
    .delete(handover)
    .where(lte(handover.firstSeq, bound('last')))
    .prepare(),
  contradictions: orm
    .select({ id: contradiction.id })
    .from(contradiction)
    .where(lt(contradiction.arrivedAt, bound('before')))
    .orderBy(asc(contradiction.arrivedAt))
    .limit(STEP)
    .prepare(),
  deleteContradiction: orm
    .delete(contradiction)
    .where(eq(contradiction.id, sql.placeholder('id')))
    .prepare(),
}))

/** Whether any row is too old. */
export function hasOld(orm: BunSQLiteDatabase, { before, finals, returned }: Cutoffs): boolean {
  const old = statements(orm)
  return (
    old.batch.get({ before }) !== undefined ||
    old.finals.get({ before: finals }) !== undefined ||
    old.returned.get({ before: returned }) !== undefined ||
    old.contradictions.get({ before }) !== undefined
  )
}

/** Deletes up to `STEP` rows of each table. */
export function* deleteStep(orm: BunSQLiteDatabase, { before, finals, returned }: Cutoffs): Generator<void, void> {
  const old = statements(orm)
  deleteMessages(orm, before)
  yield
  const lastFinal = old.finals.all({ before: finals }).at(-1)
  if (lastFinal !== undefined) old.deleteFinals.run({ last: lastFinal.seq })
  const lastReturned = old.returned.all({ before: returned }).at(-1)
  if (lastReturned !== undefined) old.deleteReturned.run({ last: lastReturned.firstSeq })
  for (const { id } of old.contradictions.all({ before })) old.deleteContradiction.run({ id })
}

/** Deletes messages of the oldest batches, and the batches that are then empty. */
function deleteMessages(orm: BunSQLiteDatabase, before: number): void {
  const old = statements(orm)
  const tally = new Tally()
  for (let deleted = 0; deleted < STEP; ) {
    const oldest = old.batch.get({ before })
    if (oldest === undefined) break
    const batchId = oldest.id
    deleteBatchText(orm, batchId)
    const messages = old.messages.all({ batchId })
    const last = messages.at(-1)
    if (last !== undefined) old.deleteMessages.run({ batchId, last: last.position })
    for (const { status } of messages) tally.add(STATE_COUNTS[status], -1)
    if (messages.length < STEP) old.deleteBatch.run({ id: batchId })
    deleted += messages.length + 1
  }
  addToCounts(orm, tally)
}
