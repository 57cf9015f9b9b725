import { and, asc, eq, gte, max, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { BatchFormat } from '../format/batch-format.ts'
import type { StatusRecord } from '../format/record-text.ts'
import { MAX_TEXT_MESSAGES, MIN_TEXT_MESSAGES } from '../model/batch-text-size.ts'
import type { StoredMessage } from '../model/message-state.ts'
import type { State } from '../model/report.ts'
import type { BatchMessages } from './batch-messages.ts'
import { openMessages } from './open-messages.ts'
import { batch, batchText, message } from './schema.ts'
import { bound, direct, perConnection } from './tables.ts'

/** Messages read in one step; nearly all batches are shorter. */
const PAGE = MAX_TEXT_MESSAGES
/** Batches looked at in one step, of which none got a text. */
const STEP = 200

type FoundRow = [batchId: number, text: string | null]
type LastRow = [position: number | null, status: State]
type LastOpenRow = [position: number | null]
type MessageRow = [position: number, status: State, mobile: string, code: string, receivedAt: number | null]

const statements = perConnection((orm) => ({
  find: orm
    .select({ id: batch.id, text: batchText.text })
    .from(batch)
    .leftJoin(batchText, and(eq(batchText.batchId, batch.id), eq(batchText.version, bound('version'))))
    .where(eq(batch.rrid, bound('rrid')))
    .prepare(),
  messages: orm
    .select({
      position: message.position,
      status: message.status,
      mobile: message.mobile,
      code: message.code,
      receivedAt: message.receivedAt,
    })
    .from(message)
    .where(and(eq(message.batchId, bound('batchId')), gte(message.position, bound('from'))))
    .orderBy(asc(message.position))
    .limit(PAGE)
    .prepare(),
  // Each report runs these. A bound LIMIT would have SQLite prepare them again for every value.
  last: direct<LastRow>(
    orm,
    orm
      .select({ position: max(message.position), status: message.status })
      .from(message)
      .where(eq(message.batchId, bound('batchId'))),
  ),
  lastOpen: direct<LastOpenRow>(
    orm,
    orm
      .select({ position: max(message.position) })
      .from(message)
      .where(and(eq(message.batchId, bound('batchId')), sql`${message.status} < 2`)),
  ),
  store: orm
    .insert(batchText)
    .values({
      batchId: sql.placeholder('batchId'),
      version: sql.placeholder('version'),
      text: sql.placeholder('text'),
    })
    .onConflictDoUpdate({
      target: batchText.batchId,
      set: { version: sql`excluded.version`, text: sql`excluded.text` },
    })
    .prepare(),
  delete: orm
    .delete(batchText)
    .where(eq(batchText.batchId, bound('batchId')))
    .prepare(),
}))

/** The answer about a batch; `undefined` when there is no such batch. */
export function* readBatchText(
  orm: BunSQLiteDatabase,
  rrid: string,
  format: BatchFormat,
): Generator<void, string | undefined> {
  const [found] = statements(orm).find.values({ rrid, version: format.version }) as FoundRow[]
  if (found === undefined) return undefined
  const [batchId, text] = found
  if (text !== null) return text
  const records: string[] = []
  for (let from = 0; ; ) {
    const last = readPage(orm, batchId, rrid, from, format, records)
    // Retention deletes the messages of a long batch before the batch.
    if (last === undefined) return records.length === 0 ? undefined : format.batch(records)
    from = last + 1
    yield
  }
}

/**
 * Stores the answers about those batches whose messages are all final. Every change of such a batch has to do so, or to
 * delete its text, in the same transaction.
 * @param batches rrids by row id
 * @param known messages of batches by rrid, as the transaction leaves them
 */
export function* storeBatchTexts(
  orm: BunSQLiteDatabase,
  batches: ReadonlyMap<number, string>,
  format: BatchFormat,
  known: ReadonlyMap<string, BatchMessages | undefined> = new Map(),
): Generator<void, void> {
  let looks = 0
  for (const [batchId, rrid] of batches) {
    if (openMessages(orm).has(batchId)) continue
    const messages = known.get(rrid)
    const isStored =
      messages === undefined
        ? storeBatchText(orm, batchId, rrid, format)
        : storeKnownText(orm, batchId, messages.inOrder(), format)
    if (isStored || ++looks % STEP === 0) yield
  }
}

/** @returns false when the batch has an open message, or too few or too many messages */
function storeBatchText(orm: BunSQLiteDatabase, batchId: number, rrid: string, format: BatchFormat): boolean {
  const [[last, status] = [null, 0]] = statements(orm).last.values({ batchId })
  if (last === null || last < MIN_TEXT_MESSAGES - 1 || last >= MAX_TEXT_MESSAGES) return false
  // From the end: most gateways report in the order of submission.
  const [[lastOpen] = [null]] = status < 2 ? [[last]] : statements(orm).lastOpen.values({ batchId })
  if (lastOpen !== null) {
    openMessages(orm).add(batchId, lastOpen)
    return false
  }
  const records: string[] = []
  readPage(orm, batchId, rrid, 0, format, records)
  storeText(orm, batchId, records, format)
  return true
}

/** As `storeBatchText`, without reading the messages. @param messages all of the batch, in order */
function storeKnownText(
  orm: BunSQLiteDatabase,
  batchId: number,
  messages: readonly (StoredMessage & StatusRecord)[],
  format: BatchFormat,
): boolean {
  if (messages.length < MIN_TEXT_MESSAGES || messages.length > MAX_TEXT_MESSAGES) return false
  const open = messages.find(({ status }) => status < 2)
  if (open === undefined) {
    const records = messages.map((each) => format.record(each))
    storeText(orm, batchId, records, format)
  } else openMessages(orm).add(batchId, open.position)
  return open === undefined
}

function storeText(orm: BunSQLiteDatabase, batchId: number, records: readonly string[], format: BatchFormat): void {
  statements(orm).store.run({ batchId, version: format.version, text: format.batch(records) })
}

/** Removes the stored answer about a batch that changes. */
export function deleteBatchText(orm: BunSQLiteDatabase, batchId: number): void {
  statements(orm).delete.run({ batchId })
}

/** Adds formatted messages of a page. @returns the last position of a full page */
function readPage(
  orm: BunSQLiteDatabase,
  batchId: number,
  rrid: string,
  from: number,
  format: BatchFormat,
  records: string[],
): number | undefined {
  // Raw rows: making an object of each takes longer than reading it.
  const rows = statements(orm).messages.values({ batchId, from }) as MessageRow[]
  for (const [, status, mobile, code, receivedAt] of rows) {
    records.push(format.record({ status, mobile, rrid, code, receivedAt }))
  }
  return rows.length < PAGE ? undefined : rows.at(-1)?.[0]
}
