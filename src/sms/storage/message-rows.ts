import { and, desc, eq, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { State } from '../model/report.ts'
import { batch, message } from './schema.ts'
import { bound, perConnection } from './tables.ts'

/** Messages of one id that are looked at. */
const SAME_ID = 16

/** A message as far as it can change. */
export interface Found {
  readonly batchId: number
  readonly position: number
  readonly rrid: string
  readonly mobile: string
  readonly status: State
  readonly code: string
  readonly messageId: string | null
}

/** A message as far as it does not change. */
interface AddedMessage {
  readonly batchId: number
  readonly position: number
  readonly mobile: string
  readonly messageId: string | null
}

/** The state a message is in, and what is known of how it came there. */
export interface MessageState {
  readonly status: State
  readonly code: string
  readonly receivedAt: number | null
  readonly producedAt: number | null
  readonly finalSeq: number | null
  readonly returnedAt: number | null
}

/** The state in which a message begins. */
export const NOT_SENT: MessageState = {
  status: 0,
  code: '',
  receivedAt: null,
  producedAt: null,
  finalSeq: null,
  returnedAt: null,
}

const found = {
  batchId: message.batchId,
  position: message.position,
  mobile: message.mobile,
  status: message.status,
  code: message.code,
  messageId: message.messageId,
}

const statements = perConnection((orm) => ({
  byMobile: orm
    .select(found)
    .from(message)
    .where(and(eq(message.batchId, bound('batchId')), eq(message.mobile, bound('mobile'))))
    .prepare(),
  byMessageId: orm
    .select({ ...found, rrid: batch.rrid, submittedAt: batch.submittedAt })
    .from(message)
    .innerJoin(batch, eq(batch.id, message.batchId))
    .where(eq(message.messageId, bound('messageId')))
    .orderBy(desc(message.batchId))
    .limit(SAME_ID)
    .prepare(),
  add: orm
    .insert(message)
    .values({
      batchId: sql.placeholder('batchId'),
      position: sql.placeholder('position'),
      mobile: sql.placeholder('mobile'),
      messageId: sql.placeholder('messageId'),
      status: sql.placeholder('status'),
      code: sql.placeholder('code'),
      receivedAt: sql.placeholder('receivedAt'),
      producedAt: sql.placeholder('producedAt'),
      finalSeq: sql.placeholder('finalSeq'),
      returnedAt: sql.placeholder('returnedAt'),
    })
    .prepare(),
  change: orm
    .update(message)
    .set({
      status: sql`${sql.placeholder('status')}`,
      code: sql`${sql.placeholder('code')}`,
      receivedAt: sql`${sql.placeholder('receivedAt')}`,
      producedAt: sql`${sql.placeholder('producedAt')}`,
      finalSeq: sql`${sql.placeholder('finalSeq')}`,
      returnedAt: sql`${sql.placeholder('returnedAt')}`,
    })
    .where(and(eq(message.batchId, bound('batchId')), eq(message.position, bound('position'))))
    .prepare(),
}))

/** The message to a telephone number within a batch. */
export function findMessage(orm: BunSQLiteDatabase, batchId: number, rrid: string, mobile: string): Found | undefined {
  const there = statements(orm).byMobile.get({ batchId, mobile })
  return there && { ...there, rrid }
}

/** The message that a gateway calls so. Gateways use their names again: the one submitted last is meant. */
export function findMessageById(orm: BunSQLiteDatabase, messageId: string): Found | undefined {
  // An import may have brought older ones since.
  return newest(statements(orm).byMessageId.all({ messageId }))
}

function newest<Message extends { readonly submittedAt: number }>(messages: readonly Message[]): Message | undefined {
  const [first, ...others] = messages
  return others.reduce((last, other) => (last && other.submittedAt > last.submittedAt ? other : last), first)
}

export function addMessage(orm: BunSQLiteDatabase, added: AddedMessage, state: MessageState): void {
  statements(orm).add.run({ ...added, ...state })
}

export function changeMessage(orm: BunSQLiteDatabase, { batchId, position }: Found, state: MessageState): void {
  statements(orm).change.run({ ...state, batchId, position })
}
