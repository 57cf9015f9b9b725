import { type Static, Type } from '@sinclair/typebox'
import { DholeError } from '../../error.ts'
import { meaningOf } from '../../sms/model/carrier-codes.ts'
import type { BatchSummary, LookupCursor, MessageSearch } from '../../sms/model/lookup.ts'
import type { ExportCursor, ExportPage, MessageRecord } from '../../sms/model/message.ts'
import { checkSignedCall } from '../../sms/signature-check.ts'
import { onApplication } from '../operation.ts'
import { importedMessage, importMessages, importReply, PAGE_RECORDS } from '../sms-import.ts'
import {
  batchPage,
  checkedSignature,
  type foundMessage,
  foundMessages,
  type listedBatch,
  pageCursor,
} from './message-schemas.ts'
import { id } from './nothing.ts'

const CURSOR = /^([0-9]{1,16})\.([0-9]{1,16})$/
const cursor = Type.Unsafe<ExportCursor>(Type.Tuple([Type.Integer(), Type.Integer()]))

/** Messages and batches of one page. */
const PAGE = 100
/** Longest call whose signature is checked, in characters. */
const LONGEST_CALL = 256 * 1024
const LONGEST_NAME = 64

/** Operations on the text messages of an application. */
export const MESSAGE_OPERATIONS = {
  'sms-counts': onApplication(
    {
      access: 'application',
      summary: 'The numbers of text messages by state.',
      input: Type.Object({ id }),
      result: Type.Record(Type.String(), Type.Integer()),
    },
    async ({ messages }) => ({ ...(await messages.counts()) }),
  ),
  'sms-batches': onApplication(
    {
      access: 'application',
      summary: 'The batches of text messages with their states, the newest first, 100 at a time.',
      input: Type.Object({ id, after: Type.Optional(pageCursor) }),
      result: batchPage,
    },
    async ({ messages }, { after }) => {
      const { batches, next } = await messages.batches(cursorOf(after), PAGE)
      return { batches: batches.map(listedBatchOf), ...nextOf(next) }
    },
  ),
  'sms-search': onApplication(
    {
      access: 'application',
      summary:
        'The messages of a batch (`rrid`), to a number, or both, 100 at a time. A number is looked for in 2000 batches at a ' +
        'time, the newest first: the search goes on at `next`.',
      input: Type.Object({
        id,
        number: Type.Optional(Type.String({ minLength: 1, maxLength: LONGEST_NAME })),
        rrid: Type.Optional(Type.String({ minLength: 1, maxLength: LONGEST_NAME })),
        after: Type.Optional(pageCursor),
      }),
      result: foundMessages,
    },
    async ({ messages }, { number, rrid, after }) => {
      const search = searchOf(rrid, number)
      const { messages: found, next } = await messages.search(search, cursorOf(after), PAGE)
      return { messages: found.map(foundMessageOf), ...nextOf(next) }
    },
  ),
  'sms-signature': onApplication(
    {
      access: 'application',
      summary: 'What the signature of a call about text messages should be, and why the one it has is refused.',
      input: Type.Object({
        id,
        method: Type.String({ maxLength: LONGEST_NAME }),
        url: Type.String({ maxLength: LONGEST_CALL }),
        body: Type.Optional(Type.String({ maxLength: LONGEST_CALL })),
        signature: Type.Optional(Type.String({ maxLength: LONGEST_CALL })),
      }),
      maxInputBytes: 4 * LONGEST_CALL,
      result: checkedSignature,
    },
    ({ messages }, { id, ...call }) => {
      try {
        const { problems, ...verdict } = checkSignedCall(call, id, messages.key, Date.now())
        return { ...verdict, problems: [...problems] }
      } catch (error) {
        if (!(error instanceof DholeError) || error.code !== 'sms-bad-arguments') throw error
        throw new DholeError('admin-input', error.message, { cause: error })
      }
    },
  ),
  'sms-import': onApplication(
    {
      access: 'local',
      summary: 'Imports text messages, a page at a time.',
      input: Type.Object({ id, page: Type.Array(importedMessage, { maxItems: PAGE_RECORDS }) }),
      result: importReply,
    },
    ({ messages }, { page }) => importMessages(messages, page),
  ),
  'sms-export': onApplication(
    {
      access: 'local',
      summary: 'Exports text messages, a page at a time.',
      input: Type.Object({
        id,
        after: Type.Optional(cursor),
        limit: Type.Integer({ minimum: 1, maximum: PAGE_RECORDS }),
      }),
      result: Type.Unsafe<ExportPage>(
        Type.Object({ records: Type.Array(Type.Object({})), next: Type.Optional(cursor) }),
      ),
    },
    ({ messages }, { after, limit }) => messages.export(after, limit),
  ),
} as const

/** @throws `admin-input` when nothing is searched for */
function searchOf(rrid: string | undefined, mobile: string | undefined): MessageSearch {
  if (rrid !== undefined) return { rrid, mobile }
  if (mobile !== undefined) return { mobile }
  throw new DholeError('admin-input', 'expected number or rrid: nothing else has an index')
}

/** @throws `admin-input` */
function cursorOf(text: string | undefined): LookupCursor | undefined {
  if (text === undefined) return undefined
  const [, batch, position] = CURSOR.exec(text) ?? []
  if (batch === undefined || position === undefined)
    throw new DholeError('admin-input', 'after: expected next of a page')
  return [Number(batch), Number(position)]
}

function nextOf(next: LookupCursor | undefined): { next?: string } {
  return next === undefined ? {} : { next: next.join('.') }
}

function listedBatchOf({ rrid, submittedAt, states, isCut }: BatchSummary): Static<typeof listedBatch> {
  const [notSent, sending, delivered, failed] = states
  const count = notSent + sending + delivered + failed
  return { id: rrid, count, states: { notSent, sending, delivered, failed }, createdAt: submittedAt, isCut }
}

function foundMessageOf(record: MessageRecord): Static<typeof foundMessage> {
  const { rrid, mobile: number, status, deliveryStatus: code, submittedAt, receivedAt, messageId, producedAt } = record
  const meaning = meaningOf(code)
  return {
    ...{ rrid, number, status, code, submittedAt },
    ...(meaning === undefined ? {} : { meaning }),
    ...(receivedAt === undefined ? {} : { receivedAt }),
    ...(messageId === undefined ? {} : { messageId }),
    ...(producedAt === undefined ? {} : { producedAt }),
  }
}
