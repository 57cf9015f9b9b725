import { and, asc, desc, eq, gt, lt, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import {
  type BatchList,
  type BatchSummary,
  type FoundPage,
  type LookupCursor,
  type MessageSearch,
  MOST_COUNTED,
  MOST_SEARCHED,
} from '../model/lookup.ts'
import type { MessageRecord } from '../model/message.ts'
import type { State } from '../model/report.ts'
import { batch, message } from './schema.ts'
import { bound, direct, perConnection } from './tables.ts'
import { recordOf } from './transfer.ts'

/** Batches looked at in one step. */
const STEP = 50
const BEGINNING: LookupCursor = [Number.MAX_SAFE_INTEGER, -1]

type Batch = typeof batch.$inferSelect

const statements = perConnection((orm) => ({
  before: orm
    .select()
    .from(batch)
    .where(lt(batch.id, bound('id')))
    .orderBy(desc(batch.id))
    .limit(STEP)
    .prepare(),
  named: orm
    .select()
    .from(batch)
    .where(eq(batch.rrid, bound('rrid')))
    .prepare(),
  states: direct<[State]>(
    orm,
    orm
      .select({ status: message.status })
      .from(message)
      .where(eq(message.batchId, bound('batchId')))
      .orderBy(asc(message.position))
      .limit(sql.placeholder('limit')),
  ),
  toNumber: orm
    .select()
    .from(message)
    .where(and(eq(message.batchId, bound('batchId')), eq(message.mobile, bound('mobile'))))
    .prepare(),
  after: orm
    .select()
    .from(message)
    .where(and(eq(message.batchId, bound('batchId')), gt(message.position, bound('position'))))
    .orderBy(asc(message.position))
    .limit(sql.placeholder('limit'))
    .prepare(),
}))

/** Batches, the newest first. */
export function* listBatches(orm: BunSQLiteDatabase, [after] = BEGINNING, limit: number): Generator<void, BatchList> {
  const batches: BatchSummary[] = []
  let last = after
  for (const each of batchesBefore(orm, after)) {
    if (batches.length === limit) return { batches, next: [last, 0] }
    batches.push(summaryOf(orm, each))
    last = each.id
    yield
  }
  return { batches }
}

/** Messages of a batch by position, or to a number, those of the newest batch first. */
export function* searchMessages(
  orm: BunSQLiteDatabase,
  { rrid, mobile }: MessageSearch,
  after: LookupCursor | undefined,
  limit: number,
): Generator<void, FoundPage> {
  if (rrid === undefined) return yield* toNumber(orm, mobile, after, limit)
  const found = statements(orm).named.get({ rrid })
  if (found === undefined) return { messages: [] }
  const of = (row: typeof message.$inferSelect) => recordOf(orm, found, row)
  if (mobile !== undefined) return { messages: statements(orm).toNumber.all({ batchId: found.id, mobile }).map(of) }
  const [, position] = after ?? BEGINNING
  const rows = statements(orm).after.all({ batchId: found.id, position, limit: limit + 1 })
  const messages = rows.slice(0, limit).map(of)
  const next: LookupCursor | undefined = rows.length > limit ? [found.id, rows[limit - 1]?.position ?? 0] : undefined
  return { messages, next }
}

/** Looks into the index of each batch: the numbers of all batches have none. */
function* toNumber(
  orm: BunSQLiteDatabase,
  mobile: string,
  [after] = BEGINNING,
  limit: number,
): Generator<void, FoundPage> {
  const messages: MessageRecord[] = []
  let last = after
  let searched = 0
  for (const each of batchesBefore(orm, after)) {
    if (messages.length >= limit || searched === MOST_SEARCHED) return { messages, next: [last, 0] }
    for (const row of statements(orm).toNumber.all({ batchId: each.id, mobile })) {
      messages.push(recordOf(orm, each, row))
    }
    last = each.id
    searched++
    if (searched % STEP === 0) yield
  }
  return { messages }
}

function* batchesBefore(orm: BunSQLiteDatabase, before: number): Generator<Batch, void> {
  for (let id = before; ; ) {
    const page = statements(orm).before.all({ id })
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < STEP) return
    id = last.id
  }
}

function summaryOf(orm: BunSQLiteDatabase, { id, rrid, submittedAt }: Batch): BatchSummary {
  const rows = statements(orm).states.values({ batchId: id, limit: MOST_COUNTED + 1 })
  const states: [number, number, number, number] = [0, 0, 0, 0]
  for (const [status] of rows.slice(0, MOST_COUNTED)) states[status]++
  return { rrid, submittedAt, states, isCut: rows.length > MOST_COUNTED }
}
