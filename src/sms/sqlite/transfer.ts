import { and, asc, desc, eq, gt, lte, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { BatchFormat } from '../format/batch-format.ts'
import { STATE_COUNTS, Tally } from '../model/counts.ts'
import type { ExportCursor, ExportPage, ImportCount, MessageRecord } from '../model/message.ts'
import { importedState, judgeImport, type MessageState, type StoredMessage } from '../model/message-state.ts'
import { deleteBatchText, storeBatchTexts } from './batch-texts.ts'
import { addBatch, findBatch } from './batches.ts'
import { addToCounts } from './counts.ts'
import { addFinalStates, type FinalNumbers } from './final-states.ts'
import { addMessages, changeMessage, findMessage } from './message-rows.ts'
import { batch, handover, message } from './schema.ts'
import { bound, perConnection } from './tables.ts'

/** Messages imported or read in one step. */
const STEP = 100
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
    .limit(STEP)
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

/** Adds messages from elsewhere. A stored message takes a newer state, never an older one. */
export function* importRecords(
  orm: BunSQLiteDatabase,
  records: readonly MessageRecord[],
  numbers: FinalNumbers,
  format: BatchFormat,
): Generator<void, ImportCount> {
  const importing = new Importing(orm, numbers)
  for (const [at, record] of records.entries()) {
    if (at % STEP === STEP - 1) yield
    importing.add(record)
  }
  yield* storeBatchTexts(orm, importing.batches, format)
  return importing.end()
}

/** The records of one transaction. */
class Importing {
  readonly #orm: BunSQLiteDatabase
  readonly #numbers: FinalNumbers
  readonly #now = Date.now()
  readonly #tally = new Tally()
  /** Batches of which a message is new or has another state: rrids by row id. */
  readonly batches = new Map<number, string>()
  #added = 0
  #known = 0
  #changed = 0

  constructor(orm: BunSQLiteDatabase, numbers: FinalNumbers) {
    this.#orm = orm
    this.#numbers = numbers
  }

  end(): ImportCount {
    addToCounts(this.#orm, this.#tally)
    return { added: this.#added, known: this.#known, changed: this.#changed }
  }

  add(record: MessageRecord): void {
    const { rrid, mobile, submittedAt } = record
    const batchId = findBatch(this.#orm, rrid) ?? addBatch(this.#orm, rrid, submittedAt)
    const stored = findMessage(this.#orm, batchId, rrid, mobile)
    if (stored === undefined) this.#insert(batchId, record)
    else this.#update(stored, record)
  }

  #insert(batchId: number, record: MessageRecord): void {
    const position = (statements(this.#orm).lastPosition.get({ batchId })?.position ?? -1) + 1
    const { mobile, messageId = null } = record
    addMessages(this.#orm, [{ ...this.#stateOf(record), batchId, position, mobile, messageId }])
    // The batch may have been final without this message.
    if (position > 0) deleteBatchText(this.#orm, batchId)
    this.batches.set(batchId, record.rrid)
    this.#tally.add(STATE_COUNTS[record.status])
    this.#added++
  }

  #update(stored: StoredMessage, record: MessageRecord): void {
    const { isNamed, isMoved } = judgeImport(stored, record)
    if (isNamed)
      statements(this.#orm).name.run({
        batchId: stored.batchId,
        position: stored.position,
        messageId: record.messageId,
      })
    if (isMoved) this.#move(stored, record)
    if (isNamed || isMoved) this.#changed++
    else this.#known++
  }

  #move(stored: StoredMessage, record: MessageRecord): void {
    changeMessage(this.#orm, stored, this.#stateOf(record))
    this.batches.set(stored.batchId, stored.rrid)
    this.#tally.move(stored.status, record.status)
  }

  /** A final state that was not returned elsewhere is offered here, unless it is too old. */
  #stateOf(record: MessageRecord): MessageState {
    const { rrid, mobile } = record
    const { state, offered: receivedAt } = importedState(record, this.#now)
    const { status, code } = state
    if (receivedAt === undefined) return { ...state, finalSeq: null }
    const seq = this.#numbers.next(this.#orm, this.#now)
    addFinalStates(this.#orm, [{ seq, rrid, mobile, status, code, receivedAt }])
    return { ...state, finalSeq: seq }
  }
}

/** Messages by batch and position, from a cursor on. */
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
    if (rows.length < STEP) {
      current = statements(orm).batchAfter.get({ id: batchId })
      if (current === undefined) return { records }
      batchId = current.id
      position = -1
    }
    yield
  }
}

/** All stored data of a message. */
export function recordOf(
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
