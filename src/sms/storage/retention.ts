import { and, asc, eq, lt, lte, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { DAY_MS } from '../format/calendar.ts'
import { seqOf } from '../model/final-seq.ts'
import { STATE_COUNTS, Tally } from './counts.ts'
import { batch, contradiction, final, handover, message } from './schema.ts'
import { bound, perConnection, type Tables } from './tables.ts'

/** Final states are of no use once they are too old to be handed over; a day more, in case a clock is mended. */
const FINALS_KEPT_MS = 2 * DAY_MS
/** Rows of a table deleted in one transaction. */
const STEP = 500

/** What has been kept long enough. */
interface Cutoffs {
  /** Batches submitted, and contradictions that came, before that moment. */
  readonly before: number
  /** Final states numbered below. */
  readonly finals: number
  /** Handovers that ended below. */
  readonly handovers: number
}

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
  handovers: orm
    .select({ firstSeq: handover.firstSeq })
    .from(handover)
    .where(and(lt(handover.firstSeq, bound('before')), lt(handover.lastSeq, bound('before'))))
    .orderBy(asc(handover.firstSeq))
    .limit(STEP)
    .prepare(),
  deleteHandovers: orm
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

/** Who goes along with a purge, step by step. */
export interface PurgeProgress {
  /** Whether to go on. */
  readonly isWanted: () => boolean
  /** Some of it is deleted. */
  readonly onDeleted: () => void
}

/**
 * Deletes what has been kept long enough, in steps that let others in between.
 * @param retentionDays age up to which batches are kept, counted from their submission
 */
export async function purge(
  tables: Tables,
  retentionDays: number,
  { isWanted, onDeleted }: PurgeProgress,
): Promise<void> {
  const now = Date.now()
  const before = now - retentionDays * DAY_MS
  const finals = seqOf(now - FINALS_KEPT_MS)
  const cutoffs = { before, finals, handovers: Math.min(finals, seqOf(before)) }
  while (isWanted() && (await tables.read((orm) => hasOld(orm, cutoffs)))) {
    await tables.write((orm) => deleteSome(orm, cutoffs))
    onDeleted()
  }
}

// biome-ignore lint/correctness/useYield: a few looks tell
function* hasOld(orm: BunSQLiteDatabase, { before, finals, handovers }: Cutoffs): Generator<void, boolean> {
  const old = statements(orm)
  return (
    old.batch.get({ before }) !== undefined ||
    old.finals.get({ before: finals }) !== undefined ||
    old.handovers.get({ before: handovers }) !== undefined ||
    old.contradictions.get({ before }) !== undefined
  )
}

/** One step in each table. */
function* deleteSome(orm: BunSQLiteDatabase, { before, finals, handovers }: Cutoffs): Generator<void, void> {
  const old = statements(orm)
  deleteMessages(orm, before)
  yield
  const lastFinal = old.finals.all({ before: finals }).at(-1)
  if (lastFinal !== undefined) old.deleteFinals.run({ last: lastFinal.seq })
  const lastHandover = old.handovers.all({ before: handovers }).at(-1)
  if (lastHandover !== undefined) old.deleteHandovers.run({ last: lastHandover.firstSeq })
  for (const { id } of old.contradictions.all({ before })) old.deleteContradiction.run({ id })
}

/** Of the oldest batches, until enough is deleted for one step. */
function deleteMessages(orm: BunSQLiteDatabase, before: number): void {
  const old = statements(orm)
  const tally = new Tally()
  for (let deleted = 0; deleted < STEP; ) {
    const oldest = old.batch.get({ before })
    if (oldest === undefined) break
    const batchId = oldest.id
    const messages = old.messages.all({ batchId })
    const last = messages.at(-1)
    if (last !== undefined) old.deleteMessages.run({ batchId, last: last.position })
    for (const { status } of messages) tally.add(STATE_COUNTS[status], -1)
    if (messages.length < STEP) old.deleteBatch.run({ id: batchId })
    deleted += messages.length + 1
  }
  tally.write(orm)
}
