import { and, desc, eq, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { MessageState, StoredMessage } from '../model/message-state.ts'
import type { State } from '../model/report.ts'
import { openMessages } from './open-messages.ts'
import { batch, message } from './schema.ts'
import { bound, direct, inserting, perConnection } from './tables.ts'

/** Most messages of one gateway id that are compared. */
const SAME_ID = 16

/** A new message: its state, and what never changes. */
interface AddedMessage extends MessageState {
  readonly batchId: number
  readonly position: number
  readonly mobile: string
  readonly messageId: string | null
}

const columns = {
  batchId: message.batchId,
  position: message.position,
  mobile: message.mobile,
  status: message.status,
  code: message.code,
  messageId: message.messageId,
}

type MobileRow = [position: number, status: State, code: string, messageId: string | null]
type NamedRow = [batchId: number, ...MobileRow]

const statements = perConnection((orm) => ({
  byMobile: direct<MobileRow>(
    orm,
    orm
      .select({ position: message.position, status: message.status, code: message.code, messageId: message.messageId })
      .from(message)
      .where(and(eq(message.batchId, bound('batchId')), eq(message.mobile, bound('mobile')))),
  ),
  byName: direct<NamedRow>(
    orm,
    orm
      .select({
        batchId: batch.id,
        position: message.position,
        status: message.status,
        code: message.code,
        messageId: message.messageId,
      })
      .from(batch)
      .innerJoin(message, and(eq(message.batchId, batch.id), eq(message.mobile, bound('mobile'))))
      .where(eq(batch.rrid, bound('rrid'))),
  ),
  byMessageId: orm
    .select({ ...columns, rrid: batch.rrid, submittedAt: batch.submittedAt })
    .from(message)
    .innerJoin(batch, eq(batch.id, message.batchId))
    .where(eq(message.messageId, bound('messageId')))
    .orderBy(desc(message.batchId))
    .limit(SAME_ID)
    .prepare(),
  add: inserting(orm, message, [
    'batchId',
    'position',
    'mobile',
    'messageId',
    'status',
    'code',
    'receivedAt',
    'producedAt',
    'finalSeq',
    'returnedAt',
  ]),
  change: direct(
    orm,
    orm
      .update(message)
      .set({
        status: sql`${sql.placeholder('status')}`,
        code: sql`${sql.placeholder('code')}`,
        receivedAt: sql`${sql.placeholder('receivedAt')}`,
        producedAt: sql`${sql.placeholder('producedAt')}`,
        finalSeq: sql`${sql.placeholder('finalSeq')}`,
        returnedAt: sql`${sql.placeholder('returnedAt')}`,
      })
      .where(and(eq(message.batchId, bound('batchId')), eq(message.position, bound('position')))),
  ),
}))

/** The message to a telephone number within a batch. */
export function findMessage(
  orm: BunSQLiteDatabase,
  batchId: number,
  rrid: string,
  mobile: string,
): StoredMessage | undefined {
  const [found] = statements(orm).byMobile.values({ batchId, mobile })
  if (found === undefined) return undefined
  const [position, status, code, messageId] = found
  return { batchId, position, rrid, mobile, status, code, messageId }
}

/** As `findMessage`, by the rrid of the batch. */
export function findNamedMessage(orm: BunSQLiteDatabase, rrid: string, mobile: string): StoredMessage | undefined {
  const [found] = statements(orm).byName.values({ rrid, mobile })
  if (found === undefined) return undefined
  const [batchId, position, status, code, messageId] = found
  return { batchId, position, rrid, mobile, status, code, messageId }
}

/** The message with this gateway id. Gateways reuse ids: the message submitted last is the one they mean. */
export function findMessageById(orm: BunSQLiteDatabase, messageId: string): StoredMessage | undefined {
  // The last row may be an older message: an import adds those later.
  return newest(statements(orm).byMessageId.all({ messageId }))
}

function newest<Message extends { readonly submittedAt: number }>(messages: readonly Message[]): Message | undefined {
  const [first, ...others] = messages
  return others.reduce((last, other) => (last && other.submittedAt > last.submittedAt ? other : last), first)
}

export function addMessages(orm: BunSQLiteDatabase, messages: readonly AddedMessage[]): void {
  statements(orm).add(messages)
}

export function changeMessage(orm: BunSQLiteDatabase, { batchId, position }: StoredMessage, state: MessageState): void {
  statements(orm).change.run({ ...state, batchId, position })
  if (state.status > 1) openMessages(orm).close(batchId, position)
}
