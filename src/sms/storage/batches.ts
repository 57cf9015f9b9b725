import { and, asc, eq, gte, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { DholeError } from '../../error.ts'
import { okText } from '../format/ok-text.ts'
import type { ReceiveTime } from '../format/receive-time.ts'
import { recordText } from '../format/record-text.ts'
import type { Batch } from '../model/message.ts'
import type { State } from '../model/report.ts'
import { newRrid } from '../model/rrid.ts'
import { Tally } from './counts.ts'
import { addMessage, NOT_SENT } from './message-rows.ts'
import { batch, message } from './schema.ts'
import { bound, perConnection } from './tables.ts'

/** Messages read at a stretch; nearly all batches are shorter. */
const STRETCH = 500
/** What is told of a batch that is not there. */
export const NO_BATCH = okText('[]')

type MessageRow = [position: number, status: State, mobile: string, code: string, receivedAt: number | null]

const statements = perConnection((orm) => ({
  find: orm
    .select({ id: batch.id })
    .from(batch)
    .where(eq(batch.rrid, bound('rrid')))
    .prepare(),
  add: orm
    .insert(batch)
    .values({ rrid: sql.placeholder('rrid'), submittedAt: sql.placeholder('submittedAt') })
    .returning({ id: batch.id })
    .prepare(),
  mobiles: orm
    .select({ mobile: message.mobile })
    .from(message)
    .where(eq(message.batchId, bound('batchId')))
    .orderBy(asc(message.position))
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
    .limit(STRETCH)
    .prepare(),
}))

/** Number of a batch in the tables. */
export function findBatch(orm: BunSQLiteDatabase, rrid: string): number | undefined {
  return statements(orm).find.get({ rrid })?.id
}

export function addBatch(orm: BunSQLiteDatabase, rrid: string, submittedAt: number): number {
  return statements(orm).add.get({ rrid, submittedAt }).id
}

/**
 * Adds a batch; the same once more changes nothing.
 * @returns its rrid, and whether it is new
 * @throws `sms-bad-arguments` when there is another batch of that rrid
 */
export function* recordBatch(
  orm: BunSQLiteDatabase,
  { rrid, mobiles, messageIds }: Batch,
): Generator<void, { readonly rrid: string; readonly isNew: boolean }> {
  const now = Date.now()
  const known = rrid === undefined ? undefined : findBatch(orm, rrid)
  if (rrid !== undefined && known !== undefined) {
    const there = statements(orm).mobiles.all({ batchId: known })
    if (there.length === mobiles.length && there.every(({ mobile }, at) => mobile === mobiles[at])) {
      return { rrid, isNew: false }
    }
    throw new DholeError('sms-bad-arguments', 'rrid: there is a batch of this rrid with other mobiles')
  }
  const name = rrid ?? freshRrid(orm, now)
  const batchId = addBatch(orm, name, now)
  for (const [position, mobile] of mobiles.entries()) {
    addMessage(orm, { batchId, position, mobile, messageId: messageIds?.[position] ?? null }, NOT_SENT)
  }
  const tally = new Tally()
  tally.add('notSent', mobiles.length)
  tally.write(orm)
  return { rrid: name, isNew: true }
}

function freshRrid(orm: BunSQLiteDatabase, now: number): string {
  let rrid = newRrid(now)
  while (findBatch(orm, rrid) !== undefined) rrid = newRrid(now)
  return rrid
}

/** Every message of a batch in the order of submission, as a finished answer. */
export function* batchText(orm: BunSQLiteDatabase, rrid: string, time: ReceiveTime): Generator<void, string> {
  const batchId = findBatch(orm, rrid)
  if (batchId === undefined) return NO_BATCH
  const records: string[] = []
  for (let from = 0; ; ) {
    // As they come: making objects of them would take longer than reading them.
    const rows = statements(orm).messages.values({ batchId, from }) as MessageRow[]
    for (const [, status, mobile, code, receivedAt] of rows) {
      records.push(recordText({ status, mobile, rrid, code, receivedAt }, time))
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < STRETCH) return okText(`[${records.join(',')}]`)
    from = last[0] + 1
    yield
  }
}
