import { CARRIER_CODES } from '../../../sms/model/carrier-codes.ts'
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
const KANNEL = { source: 'kannel', token: 'c4c8bfff8ce9fbe3036db891ea4cceec64b35834aaba2d7a57d42a7c29291f44' }

/** Requests of each call. The first one is what Swagger UI begins with. */
export const smsRequests: Readonly<Record<SmsCall, Readonly<Record<string, SmsExample>>>> = {
  statuses: {
    signed: {
      summary: 'The worked example',
      values: {
        timestamp: TIME,
        signature: '7d4f66d52f7a2cc312d13db17a39921a913873819e4ebe782c8e2b9d7b38e0fa',
      },
    },
  },
  batch: {
    signed: {
      summary: 'A batch',
      values: { rrid: RRID, signature: 'd94a6b8560f8ab7178ad7b42283800918c5296bf2690705e5469322d0fc04fd8' },
    },
    timed: {
      summary: 'A request that cannot be replayed later',
      values: {
        rrid: RRID,
        timestamp: TIME,
        signature: '93ecb00f3a05d0a92c346773bfbd5e39196507bb7fb896b8ea8df9f08fc4db46',
      },
    },
  },
  record: {
    numbers: {
      summary: 'Two numbers',
      values: {
        mobiles: MOBILES,
        timestamp: TIME,
        signature: 'b449b628ac51d53bffd46fea0bf666a7372c96de8df33d2f821fa1ef2ae7d875',
      },
    },
    named: {
      summary: 'A batch that has a name, and messages that the gateway has numbered',
      values: {
        mobiles: MOBILES,
        rrid: RRID,
        messageIds: '["gw-0001","gw-0002"]',
        timestamp: TIME,
        signature: '216ce45095c863a92a82471e9defc194f38e631f6c1c14622c5b801524ad9d20',
      },
    },
  },
  report: {
    delivered: {
      summary: 'A message is delivered',
      values: {
        timestamp: TIME,
        signature: 'd45715a0f6e806c3e106cbf613e474af2a31e4bba388408cd42be0c803b97fee',
      },
      body: { type: 1, data: [DELIVERED] },
    },
    both: {
      summary: 'One is delivered, another has failed',
      values: {
        timestamp: TIME,
        signature: 'a5afd04119d3edceecc975e691a71d4d5912202fd146d46de1d3dcf4a3ff19b3',
      },
      body: { type: 1, data: [DELIVERED, FAILED] },
    },
  },
  receipt: {
    signed: {
      summary: 'By rrid and number',
      values: {
        rrid: RRID,
        mobile: '13900139000',
        stat: 'UNDELIV',
        done: '1492675745000',
        timestamp: TIME,
        signature: 'a2da91bf5ad92b2431b288baace3b81e91d013b66e00adb2a68cddbbf3977649',
      },
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

const DELIVERED_RECORD = {
  status: 2,
  mobile: '13800138000',
  receiveTime: '2017-04-20 16:09:05',
  rrid: RRID,
  deliveryStatus: 'DELIVRD',
}
const FAILED_RECORD = {
  status: 3,
  mobile: '13900139000',
  receiveTime: '2017-04-20 16:09:06',
  rrid: RRID,
  deliveryStatus: 'MY:1109',
}
const UNKNOWN_RECORD = { status: 0, mobile: '13900139000', receiveTime: '', rrid: RRID, deliveryStatus: '' }

/** What each call answers. */
export const smsReplies: Readonly<Record<SmsCall, Readonly<Record<string, ExampleObject>>>> = {
  statuses: {
    both: { summary: 'Two have become known', value: { status: 'ok', data: [DELIVERED_RECORD, FAILED_RECORD] } },
    none: { summary: 'Nothing new', value: { status: 'ok', data: [] } },
  },
  batch: {
    both: { summary: 'All is known', value: { status: 'ok', data: [DELIVERED_RECORD, FAILED_RECORD] } },
    waiting: {
      summary: 'Of the second nothing is known yet',
      value: { status: 'ok', data: [DELIVERED_RECORD, UNKNOWN_RECORD] },
    },
    none: { summary: 'There is no such batch, or not yet', value: { status: 'ok', data: [] } },
  },
  record: { recorded: { summary: 'Durable', value: { status: 'ok', data: { rrid: RRID } } } },
  report: {
    delivered: { summary: 'Of one message', value: { status: 'ok', data: { accepted: 1, ignored: 0 } } },
    both: { summary: 'Of two', value: { status: 'ok', data: { accepted: 2, ignored: 0 } } },
    unknown: { summary: 'Of one that is not known here', value: { status: 'ok', data: { accepted: 0, ignored: 1 } } },
  },
  receipt: {
    accepted: { summary: 'Durable', value: { status: 'ok', data: { accepted: 1, ignored: 0 } } },
    unknown: { summary: 'No such message', value: { status: 'ok', data: { accepted: 0, ignored: 1 } } },
  },
}

/** The table of carrier codes as it is answered. */
export const carrierCodesReply: Readonly<Record<string, ExampleObject>> = {
  all: { summary: 'All of them', value: { status: 'ok', data: CARRIER_CODES } },
}
