import { and, asc, desc, eq, gt, lte, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { isOffered } from '../model/final-seq.ts'
import type { ExportCursor, ExportPage, ImportCount, MessageRecord } from '../model/message.ts'
import { addBatch, findBatch } from './batches.ts'
import { STATE_COUNTS, Tally } from './counts.ts'
import type { Finals } from './finals.ts'
import { addMessage, changeMessage, type Found, findMessage, type MessageState } from './message-rows.ts'
import { batch, handover, message } from './schema.ts'
import { bound, perConnection } from './tables.ts'

/** Messages taken in or read before others get their turn. */
const STRETCH = 100
const BEGINNING: ExportCursor = [0, -1]

const statements = perConnection((orm) => ({
  lastPosition: orm
    .select({ position: message.position })
    .from(message)
    .where(eq(message.batchId, bound('batchId')))
    .orderBy(desc(message.position))
    .limit(1)
    .prepare(),
  name: orm
    .update(message)
    .set({ messageId: sql`${sql.placeholder('messageId')}` })
    .where(and(eq(message.batchId, bound('batchId')), eq(message.position, bound('position'))))
    .prepare(),
  rest: orm
    .select({ message })
    .from(message)
    .where(and(eq(message.batchId, bound('batchId')), gt(message.position, bound('position'))))
    .orderBy(asc(message.position))
    .limit(STRETCH)
    .prepare(),
  batchAfter: orm
    .select()
    .from(batch)
    .where(gt(batch.id, bound('id')))
    .orderBy(asc(batch.id))
    .limit(1)
    .prepare(),
  batch: orm
    .select()
    .from(batch)
    .where(eq(batch.id, bound('id')))
    .prepare(),
  handover: orm
    .select()
    .from(handover)
    .where(lte(handover.firstSeq, bound('seq')))
    .orderBy(desc(handover.firstSeq))
    .limit(1)
    .prepare(),
}))

/** Adds messages of elsewhere; one that is there already is moved on by what is newer, and never back. */
export function* importRecords(
  orm: BunSQLiteDatabase,
  records: readonly MessageRecord[],
  finals: Finals,
): Generator<void, ImportCount> {
  const importing = new Importing(orm, finals)
  for (const [at, record] of records.entries()) {
    if (at % STRETCH === STRETCH - 1) yield
    importing.take(record)
  }
  return importing.end()
}

/** One transaction's worth of an import. */
class Importing {
  readonly #orm: BunSQLiteDatabase
  readonly #finals: Finals
  readonly #now = Date.now()
  readonly #tally = new Tally()
  #added = 0
  #known = 0
  #changed = 0

  constructor(orm: BunSQLiteDatabase, finals: Finals) {
    this.#orm = orm
    this.#finals = finals
  }

  end(): ImportCount {
    this.#tally.write(this.#orm)
    return { added: this.#added, known: this.#known, changed: this.#changed }
  }

  take(record: MessageRecord): void {
    const { rrid, mobile, submittedAt } = record
    const batchId = findBatch(this.#orm, rrid) ?? addBatch(this.#orm, rrid, submittedAt)
    const there = findMessage(this.#orm, batchId, rrid, mobile)
    if (there === undefined) this.#add(batchId, record)
    else this.#addTo(there, record)
  }

  #add(batchId: number, record: MessageRecord): void {
    const position = (statements(this.#orm).lastPosition.get({ batchId })?.position ?? -1) + 1
    const { mobile, messageId = null } = record
    addMessage(this.#orm, { batchId, position, mobile, messageId }, this.#stateOf(record))
    this.#tally.add(STATE_COUNTS[record.status])
    this.#added++
  }

  #addTo(there: Found, record: MessageRecord): void {
    const isNamed = record.messageId !== undefined && there.messageId === null
    const isMoved = there.status < 2 && record.status > there.status
    // Gateways give their numbers when they send, which may be after the batch was recorded.
    if (isNamed)
      statements(this.#orm).name.run({ batchId: there.batchId, position: there.position, messageId: record.messageId })
    if (isMoved) this.#move(there, record)
    if (isNamed || isMoved) this.#changed++
    else this.#known++
  }

  #move(there: Found, record: MessageRecord): void {
    changeMessage(this.#orm, there, this.#stateOf(record))
    this.#tally.move(there.status, record.status)
  }

  /** A final state that nobody was told of is handed over from now on, unless it is too old for that. */
  #stateOf(record: MessageRecord): MessageState {
    const { rrid, mobile, status, deliveryStatus: code, receivedAt, returnedAt } = record
    const producedAt = status < 2 ? undefined : (record.producedAt ?? receivedAt)
    const isNews =
      producedAt !== undefined &&
      receivedAt !== undefined &&
      returnedAt === undefined &&
      isOffered(producedAt, this.#now)
    const finalSeq = isNews ? this.#finals.add(this.#orm, { rrid, mobile, status, code, receivedAt }, this.#now) : null
    return {
      status,
      code,
      receivedAt: receivedAt ?? null,
      producedAt: producedAt ?? null,
      finalSeq,
      returnedAt: returnedAt ?? null,
    }
  }
}

/** Messages by batch and position, after those of the stretch before. */
export function* exportRecords(
  orm: BunSQLiteDatabase,
  after: ExportCursor | undefined,
  limit: number,
): Generator<void, ExportPage> {
  const records: MessageRecord[] = []
  let [batchId, position] = after ?? BEGINNING
  let current = statements(orm).batch.get({ id: batchId })
  for (;;) {
    const rows = current === undefined ? [] : statements(orm).rest.all({ batchId, position })
    for (const row of rows) {
      if (current === undefined || records.length === limit) break
      records.push(recordOf(orm, current, row.message))
      position = row.message.position
    }
    if (records.length === limit) return { records, next: [batchId, position] }
    if (rows.length < STRETCH) {
      current = statements(orm).batchAfter.get({ id: batchId })
      if (current === undefined) return { records }
      batchId = current.id
      position = -1
    }
    yield
  }
}

function recordOf(
  orm: BunSQLiteDatabase,
  { rrid, submittedAt }: typeof batch.$inferSelect,
  row: typeof message.$inferSelect,
): MessageRecord {
  const { mobile, status, code, receivedAt, messageId, producedAt } = row
  return {
    rrid,
    mobile,
    status,
    deliveryStatus: code,
    submittedAt,
    receivedAt: receivedAt ?? undefined,
    messageId: messageId ?? undefined,
    producedAt: producedAt ?? undefined,
    returnedAt: returnedAtOf(orm, row),
  }
}

function returnedAtOf(orm: BunSQLiteDatabase, row: typeof message.$inferSelect): number | undefined {
  if (row.returnedAt !== null) return row.returnedAt
  if (row.finalSeq === null) return undefined
  const last = statements(orm).handover.get({ seq: row.finalSeq })
  return last !== undefined && last.lastSeq >= row.finalSeq ? last.returnedAt : undefined
}
