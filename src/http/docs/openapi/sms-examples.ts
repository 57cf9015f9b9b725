import { CARRIER_CODES } from '../../../sms/model/carrier-codes.ts'
import { signatureOf } from '../../../sms/model/signature.ts'
import { tokenOf } from '../../../sms/model/source.ts'
import type { SmsCall } from '../../sms/schemas.ts'
import type { ExampleObject } from './schemas.ts'

/** A request that is signed with `EXAMPLE_KEY`. */
export interface SmsExample {
  readonly summary: string
  /** Its parameters. */
  readonly values: Readonly<Record<string, string>>
  /** Its JSON; what is signed is the text without any space that need not be there. */
  readonly body?: unknown
}

/** Signs all examples. It is in the document, and so is no secret. */
export const EXAMPLE_KEY = 'demo-sms-key-0123456789abcdef'

const TIME = '1492675740231'
const RRID = 'e97539af58f44a0092'
const MOBILES = '["13800138000","13900139000"]'

const DELIVERED = {
  status: 'Success',
  deliveryStatus: 'DELIVRD',
  mobile: '13800138000',
  rrid: RRID,
  receiveTime: '2017-04-20 16:09:05',
}
const FAILED = {
  status: 'Failure',
  deliveryStatus: 'MY:1109',
  mobile: '13900139000',
  rrid: RRID,
  receiveTime: '2017-04-20 16:09:06',
}

/** A gateway that cannot sign. */
const KANNEL = { source: 'kannel', token: tokenOf('kannel', EXAMPLE_KEY) }

/** Parameters with their signature. @param body JSON that is signed with them */
function signed(parameters: Readonly<Record<string, string>>, body?: unknown): SmsExample['values'] {
  const all = body === undefined ? parameters : { ...parameters, body: JSON.stringify(body) }
  return { ...parameters, signature: signatureOf(Object.entries(all), EXAMPLE_KEY) }
}

function report(summary: string, ...data: readonly unknown[]): SmsExample {
  const body = { type: 1, data }
  return { summary, values: signed({ timestamp: TIME }, body), body }
}

/** Requests of each call. The first one is what Swagger UI begins with. */
export const smsRequests: Readonly<Record<SmsCall, Readonly<Record<string, SmsExample>>>> = {
  statuses: { signed: { summary: 'The worked example', values: signed({ timestamp: TIME }) } },
  batch: {
    signed: { summary: 'A batch', values: signed({ rrid: RRID }) },
    timed: { summary: 'A request that cannot be replayed later', values: signed({ rrid: RRID, timestamp: TIME }) },
  },
  record: {
    numbers: { summary: 'Two numbers', values: signed({ mobiles: MOBILES, timestamp: TIME }) },
    named: {
      summary: 'A batch that has a name, and messages that the gateway has numbered',
      values: signed({ mobiles: MOBILES, rrid: RRID, messageIds: '["gw-0001","gw-0002"]', timestamp: TIME }),
    },
  },
  report: {
    delivered: report('A message is delivered', DELIVERED),
    both: report('One is delivered, another has failed', DELIVERED, FAILED),
  },
  receipt: {
    signed: {
      summary: 'By rrid and number',
      values: signed({ rrid: RRID, mobile: '13900139000', stat: 'UNDELIV', done: '1492675745000', timestamp: TIME }),
    },
    numbered: {
      summary: 'From a gateway that fills in a URL and cannot sign',
      values: { messageId: 'gw-0002', stat: 'UNDELIV', done: '1492675745000', ...KANNEL },
    },
    smpp: {
      summary: 'The text of an SMPP delivery receipt',
      values: {
        receipt:
          'id:gw-0002 sub:001 dlvrd:000 submit date:170420160900 done date:170420160905 stat:UNDELIV err:013 text:Hello',
        ...KANNEL,
      },
    },
  },
}

const DELIVERED_RECORD = recordOf(2, DELIVERED)
const FAILED_RECORD = recordOf(3, FAILED)
const UNKNOWN_RECORD = recordOf(0, { ...FAILED, receiveTime: '', deliveryStatus: '' })

/** A message as a query answers it, after a report. */
function recordOf(status: number, { mobile, receiveTime, rrid, deliveryStatus }: typeof DELIVERED): unknown {
  return { status, mobile, receiveTime, rrid, deliveryStatus }
}

/** What each call answers. */
export const smsReplies: Readonly<Record<SmsCall, Readonly<Record<string, ExampleObject>>>> = {
  statuses: {
    both: reply('Two have become known', [DELIVERED_RECORD, FAILED_RECORD]),
    none: reply('Nothing new', []),
  },
  batch: {
    both: reply('All is known', [DELIVERED_RECORD, FAILED_RECORD]),
    waiting: reply('Of the second nothing is known yet', [DELIVERED_RECORD, UNKNOWN_RECORD]),
    none: reply('There is no such batch, or not yet', []),
  },
  record: { recorded: reply('Durable', { rrid: RRID }) },
  report: {
    delivered: reply('Of one message', { accepted: 1, ignored: 0 }),
    both: reply('Of two', { accepted: 2, ignored: 0 }),
    unknown: reply('Of one that is not known here', { accepted: 0, ignored: 1 }),
  },
  receipt: {
    accepted: reply('Durable', { accepted: 1, ignored: 0 }),
    unknown: reply('No such message', { accepted: 0, ignored: 1 }),
  },
}

/** The table of carrier codes as it is answered. */
export const carrierCodesReply: Readonly<Record<string, ExampleObject>> = { all: reply('All of them', CARRIER_CODES) }

function reply(summary: string, data: unknown): ExampleObject {
  return { summary, value: { status: 'ok', data } }
}
