import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { pushSchema } from '../../sms/format/push.ts'
import { MILLISECONDS_PATTERN } from '../../sms/model/call-time.ts'
import { CODE_PATTERN } from '../../sms/model/carrier-codes.ts'
import { RRID_PATTERN } from '../../sms/model/rrid.ts'
import { SOURCE_PATTERN } from '../../sms/model/source.ts'

const HEX_DIGEST = '^[0-9A-Fa-f]{64}$'
const LOCAL_TIME = '^([0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2})?$'

const timestamp = Type.String({
  pattern: MILLISECONDS_PATTERN,
  description: 'The time of the request in milliseconds since 1970, at most 60 seconds from ours.',
})
const signature = Type.String({
  pattern: HEX_DIGEST,
  description: 'SHA-256 of the other parameters and the key, in hex digits of either case.',
})
const rrid = Type.String({ pattern: RRID_PATTERN, description: 'Names a batch.' })
const mobile = Type.String({ description: 'Telephone number, as it was submitted.' })
const stat = Type.String({
  pattern: CODE_PATTERN,
  description: "The carrier's code. One that is not in the table of carrier codes stands for a failure.",
})
const receiveTime = Type.String({
  pattern: LOCAL_TIME,
  description:
    'When the carrier reported, in the time zone of the application (`+08:00` unless it was set); empty while `status` ' +
    'is 0 or 1.',
})

/**
 * Parameters of the calls about text messages, as they stand in the query string or a form. Others are signed like
 * these and mean nothing.
 * @see docs/reference/protocol.md#signing
 */
export const smsParameters = {
  /** Batch query: what has become known and was not handed over yet. */
  statuses: Type.Object({ timestamp, signature }),
  /** Query by rrid. */
  batch: Type.Object({
    rrid,
    timestamp: Type.Optional({
      ...timestamp,
      description: `${timestamp.description} Not needed: without, a request is good for as long as the key is.`,
    }),
    signature,
  }),
  record: Type.Object({
    mobiles: Type.String({
      description:
        'JSON array of 1 to 100 telephone numbers as strings, each once. Unless the application has another pattern, a ' +
        'number is 1 and ten more digits.',
    }),
    rrid: Type.Optional({ ...rrid, description: 'What the batch is to be called. Without, a name is made.' }),
    messageIds: Type.Optional(
      Type.String({
        description:
          'JSON array of what the gateway calls each message, in the order of `mobiles`: strings of 1 to 64 printable ' +
          'characters without spaces, each once.',
      }),
    ),
    timestamp,
    signature,
  }),
  /** Beside the JSON body, which is signed as a parameter `body`. */
  report: Type.Object({ timestamp, signature }),
  receipt: Type.Object({
    rrid: Type.Optional({ ...rrid, description: 'With `mobile`: which message it is.' }),
    mobile: Type.Optional({ ...mobile, description: 'With `rrid`: which message it is.' }),
    messageId: Type.Optional(
      Type.String({ description: 'In place of `rrid` and `mobile`: what the gateway calls the message.' }),
    ),
    stat: Type.Optional(stat),
    done: Type.Optional(
      Type.String({
        pattern: MILLISECONDS_PATTERN,
        description: 'When the carrier said so, in milliseconds since 1970. Without, now.',
      }),
    ),
    receipt: Type.Optional(
      Type.String({
        description:
          'In place of `messageId`, `stat` and `done`: the text of an SMPP delivery receipt. With `rrid` and `mobile` ' +
          'its `id` is not looked at. Its `done date` is in the time zone of the application.',
      }),
    ),
    timestamp: Type.Optional({ ...timestamp, description: `${timestamp.description} Goes with \`signature\`.` }),
    signature: Type.Optional(signature),
    source: Type.Optional(
      Type.String({
        pattern: SOURCE_PATTERN,
        description: 'Instead of `timestamp`: name of the reporter. Any name; needs `token`.',
      }),
    ),
    token: Type.Optional(
      Type.String({
        pattern: HEX_DIGEST,
        description:
          'In place of `signature`: the signature of `source` alone. It is good until the key is changed, and for this ' +
          'call only.',
      }),
    ),
  }),
} as const satisfies Readonly<Record<string, TObject>>

/** Calls by what their parameters are. */
export type SmsCall = keyof typeof smsParameters

const OK = Type.Literal('ok')
const CLOSED = { additionalProperties: false } as const

function states(least: 0 | 1): TSchema {
  const known = [0, 1, 2, 3].filter((state) => state >= least).map((state) => Type.Literal(state))
  const none = least === 0 ? '0 not sent, ' : ''
  return Type.Union(known, { description: `${none}1 being sent, 2 delivered, 3 failed. 2 and 3 are final.` })
}

const message = Type.Object(
  {
    status: states(0),
    mobile,
    receiveTime,
    rrid: Type.String({ description: 'Names the batch it belongs to.' }),
    deliveryStatus: Type.String({ description: "The carrier's code, to the letter; empty while there is none." }),
  },
  CLOSED,
)

const carrierCode = Type.Object(
  { code: Type.String(), status: states(1), meaning: Type.String({ description: 'In plain English.' }) },
  CLOSED,
)

const count = Type.Object(
  {
    accepted: Type.Integer({ minimum: 0, description: 'Reports that are now known, those known before among them.' }),
    ignored: Type.Integer({
      minimum: 0,
      description: 'Reports of unknown messages, and those that contradict a final state or come after it.',
    }),
  },
  CLOSED,
)

/** What the calls about text messages take as JSON and answer, by the name it has in the document. */
export const smsBodies = {
  Push: pushSchema,
  Messages: Type.Object({ status: OK, data: Type.Array(message) }, CLOSED),
  Recorded: Type.Object(
    {
      status: OK,
      data: Type.Object({ rrid: Type.String({ pattern: RRID_PATTERN, description: 'Names the batch.' }) }, CLOSED),
    },
    CLOSED,
  ),
  Reported: Type.Object({ status: OK, data: count }, CLOSED),
  CarrierCodes: Type.Object({ status: OK, data: Type.Array(carrierCode) }, CLOSED),
  Page: Type.String({ description: 'The same as a table in HTML.' }),
} as const satisfies Readonly<Record<string, TSchema>>
