import { type Static, Type } from '@sinclair/typebox'
import type { Messages } from '../sms/messages.ts'
import type { MessageRecord } from '../sms/model/message.ts'

/** Maximum messages in one page of an import or export. */
export const PAGE_RECORDS = 1000

/** An absent member may also be `undefined` in this process. */
const time = Type.Optional(Type.Unsafe<number | undefined>(Type.Integer()))
const text = Type.Unsafe<string | undefined>(Type.String())

/** A message to import. The time of the carrier may be text in the time zone of the application. */
export const importedMessage = Type.Object(
  {
    rrid: Type.String(),
    mobile: Type.String(),
    status: Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal(2), Type.Literal(3)]),
    deliveryStatus: Type.String(),
    submittedAt: Type.Integer(),
    /** Milliseconds since 1970, or `YYYY-MM-DD HH:MM:SS`. */
    receivedAt: Type.Optional(Type.Unsafe<number | string | undefined>(Type.Union([Type.Integer(), Type.String()]))),
    messageId: Type.Optional(text),
    producedAt: time,
    returnedAt: time,
  },
  { additionalProperties: false },
)
export type ImportedMessage = Static<typeof importedMessage>

const count = Type.Integer()

/** Result of a page: the whole page is imported, or nothing because of one message. */
export const importReply = Type.Union([
  Type.Object({ imported: Type.Object({ added: count, known: count, changed: count }) }),
  /** Index of the message in the page, from 0, and the error. */
  Type.Object({ wrong: Type.Object({ at: Type.Integer(), complaint: Type.String() }) }),
])

/** Imports a page in one transaction, durable when it resolves. A repeated import changes nothing. */
export async function importMessages(
  messages: Messages,
  page: readonly ImportedMessage[],
): Promise<Static<typeof importReply>> {
  const records: MessageRecord[] = []
  for (const message of page) {
    const record = recordOf(messages, message)
    if (typeof record === 'string') return { wrong: { at: records.length, complaint: record } }
    records.push(record)
  }
  return { imported: { ...(await messages.import(records)) } }
}

/** Applies the settings of the application to a message. @returns the error text when they refuse it */
function recordOf(messages: Messages, { receivedAt: received, ...rest }: ImportedMessage): MessageRecord | string {
  if (!messages.isMobile(rest.mobile)) {
    return `mobile: expected a telephone number of the form set for the application, found ${JSON.stringify(rest.mobile)}`
  }
  const receivedAt = typeof received === 'string' ? messages.time.parse(received) : received
  if (receivedAt === undefined && received !== undefined) {
    return `receiveTime: there is no such time: ${JSON.stringify(received)}`
  }
  return { ...rest, receivedAt }
}
