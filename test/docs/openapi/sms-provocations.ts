import type { SmsErrorCode } from '../../../src/http/docs/openapi/errors.ts'
import { type Fields, mobiles, signatureOf } from '../../protocol/sms/calls.ts'
import type { Documented } from './document.ts'

/** Servers of their own: one that may be asked once in a long while, one without encryption. */
type SmsServer = 'patient' | 'busy' | 'plain'

/** A request that must fail, made from one that would not. */
export interface SmsProvocation {
  readonly server?: SmsServer
  readonly app?: string
  readonly key?: string
  /** Fields that are other than they should be before the request is signed; `undefined` takes one away. */
  readonly before?: Readonly<Record<string, string | undefined>>
  /** The same, after it was signed. */
  readonly after?: Readonly<Record<string, string | undefined>>
  readonly body?: string
  /** Stands behind the encoded parameters. */
  readonly behind?: string
  /** The call this happens to. Default: all */
  readonly only?: RegExp
}

/** Calls by the end of their paths. */
const NEWS = /v2\/\{app\}/
const BATCH = /v1\/\{app\}\/(status|send)$/
const RECORD = /record$/
const REPORT = /report$/
const DLR = /dlr$/
/** All that need the time. */
const TIMED = /v2|record$|report$|dlr$/

function push(change: Readonly<Record<string, unknown>>): string {
  const good = {
    status: 'Success',
    deliveryStatus: 'DELIVRD',
    mobile: '13800138000',
    rrid: 'e97539af58f44a0092',
    receiveTime: '2017-04-20 16:09:05',
  }
  return JSON.stringify({ type: 1, data: [good, { ...good, ...change }] })
}

function batch(numbers: unknown, messageIds?: unknown): SmsProvocation {
  const ids = messageIds === undefined ? {} : { messageIds: JSON.stringify(messageIds) }
  return { before: { mobiles: JSON.stringify(numbers), ...ids } }
}

function withToken(source: string, token: string): SmsProvocation {
  return { after: { timestamp: undefined, signature: undefined, source, token }, only: DLR }
}

const [ONE = '', TWO = ''] = mobiles(2)

/** How each error comes about. */
export const smsProvocations: Readonly<Partial<Record<SmsErrorCode | 'https-required', readonly SmsProvocation[]>>> = {
  'https-required': [{ server: 'plain' }],
  'sms-app-unknown': [{ app: 'nobody' }, { app: 'No_App' }, { app: 'a%2Fb' }],
  'sms-no-signature': [{ after: { signature: undefined } }, { after: { signature: '' } }],
  'sms-bad-arguments': [
    { behind: '&signature=twice' },
    { behind: '&note=%ff' },
    { behind: '&note=%zz' },
    { before: { timestamp: undefined }, only: TIMED },
    { before: { rrid: undefined }, only: BATCH },
    { before: { rrid: 'e97539af58f44a0092' }, only: /v2\/\{app\}\/send$/ },
    { before: { rrid: 'not a name' }, only: RECORD },
    { before: { mobiles: JSON.stringify([ONE, TWO, ONE]) }, only: RECORD },
    { body: '{', only: REPORT },
    { body: '[]', only: REPORT },
    { body: '{"type":2,"data":[]}', only: REPORT },
    { body: '{"type":1,"data":[]}', only: REPORT },
    { body: push({ status: 'Maybe' }), only: REPORT },
    { body: push({ deliveryStatus: '' }), only: REPORT },
    { body: push({ deliveryStatus: 'MY:0001' }), only: REPORT },
    { body: push({ receiveTime: '2017-02-30 16:09:05' }), only: REPORT },
    { before: { stat: undefined }, only: DLR },
    { before: { stat: 'é' }, only: DLR },
    { before: { done: 'now' }, only: DLR },
    { before: { mobile: undefined }, only: DLR },
    { before: { rrid: undefined, mobile: undefined, stat: undefined, receipt: 'Hello' }, only: DLR },
    withToken('not a name', signatureOf({ source: 'not a name' })),
  ],
  'sms-bad-timestamp': [
    { before: { timestamp: String(Date.now() - 600_000) } },
    { before: { timestamp: String(Date.now() + 600_000) } },
    { before: { timestamp: 'now' } },
    { before: { timestamp: '1e12' } },
  ],
  'sms-bad-signature': [
    { key: 'a key of somebody else' },
    { after: { signature: 'f'.repeat(64) } },
    { after: { signature: 'wrong' } },
    { after: { note: 'added later' }, only: /record$|report$|dlr$/ },
    withToken('kannel', signatureOf({ source: 'somebody' })),
    withToken('kannel', signatureOf({ source: 'kannel' }, 'a key of somebody else')),
  ],
  'sms-too-often': [{ server: 'busy', only: NEWS }],
  'sms-no-mobiles': [batch([]), { before: { mobiles: undefined } }],
  'sms-too-many-mobiles': [batch(mobiles(101))],
  'sms-bad-array': [
    batch({}),
    batch([1]),
    { before: { mobiles: '[' } },
    batch([ONE], ['a', 'b']),
    batch([ONE, TWO], ['a', 'a']),
    batch([ONE], ['a b']),
  ],
  'sms-bad-mobile': [batch(['123']), batch([ONE, '2380013800x'])],
}

/** The ways to bring an error about at one operation. */
export function smsWaysTo(code: string, { path }: Documented): readonly SmsProvocation[] {
  const ways = smsProvocations[code as SmsErrorCode] ?? []
  return ways.filter(({ only }) => only === undefined || only.test(path))
}

/** Fields with some of them changed or taken away. */
export function changed(fields: Fields, changes: SmsProvocation['before']): Fields {
  const all = Object.entries({ ...fields, ...changes })
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined))
}
