import { mobiles, type Pushed, pushed } from './calls.ts'
import { type Refusal, refusals } from './refusals.ts'

/** Arguments of a call that are refused although it is signed. */
interface WrongArguments {
  readonly name: string
  readonly refusal: Refusal
  /** What the member `error` must say. */
  readonly hint?: RegExp
}

interface WrongFields extends WrongArguments {
  readonly fields: Readonly<Record<string, string>>
}

interface WrongPush extends WrongArguments {
  readonly body: string
}

const [ONE = '', TWO = ''] = mobiles(2)
const ONE_TEXT = JSON.stringify([ONE])
const TWO_TEXT = JSON.stringify([ONE, TWO])

function batch(name: string, refusal: Refusal, fields: WrongFields['fields'], hint?: RegExp): WrongFields {
  return { name, refusal, fields, ...(hint === undefined ? {} : { hint }) }
}

function badNumber(number: string): WrongFields {
  const named = number === '' || /[^\x20-\x7e]/.test(number) ? undefined : new RegExp(number.replace(/[+ ]/g, '\\$&'))
  return batch(`a number that is "${number}"`, refusals.mobile, { mobiles: JSON.stringify([ONE, number]) }, named)
}

function badArray(text: string): readonly WrongFields[] {
  return [
    batch(`mobiles=${text}`, refusals.array, { mobiles: text }),
    batch(`messageIds=${text}`, refusals.array, { mobiles: ONE_TEXT, messageIds: text }),
  ]
}

/** Batches that are not taken in. */
export const wrongBatches: readonly WrongFields[] = [
  batch('no mobiles', refusals.noMobiles, {}),
  batch('an empty list of mobiles', refusals.noMobiles, { mobiles: '[]' }),
  batch('101 mobiles', refusals.tooManyMobiles, { mobiles: JSON.stringify(mobiles(101)) }),
  ...['nothing', '{"a":1}', '"13800138000"', 'null', '1', '[13800138000]', '[["x"]]', '[null]', '["x"', '[{}]'].flatMap(
    badArray,
  ),
  ...['', '1380013800', '138001380000', '23800138000', '+8613800138000', ' 13800138000', '13800138000 ', 'abc'].map(
    badNumber,
  ),
  ...['１３８００１３８０００', '1380013800\n', '13800138000\n', '1380013800٣'].map(badNumber),
  batch('the same number twice', refusals.arguments, { mobiles: JSON.stringify([ONE, TWO, ONE]) }, new RegExp(ONE)),
  ...['a b', 'a/b', 'a.b', 'x'.repeat(65), '小', 'a\n', 'a%'].map((rrid) =>
    batch(`rrid "${rrid}"`, refusals.arguments, { mobiles: ONE_TEXT, rrid }, /rrid/),
  ),
  batch('fewer message ids than mobiles', refusals.array, { mobiles: TWO_TEXT, messageIds: '["a"]' }),
  batch('more message ids than mobiles', refusals.array, { mobiles: ONE_TEXT, messageIds: '["a","b"]' }),
  batch('a message id twice', refusals.array, { mobiles: TWO_TEXT, messageIds: '["a","a"]' }),
  ...['', 'a b', 'x'.repeat(65), 'a\u0000', 'a\n', ' ', '\u007f'].map((id) =>
    batch(`message id ${JSON.stringify(id)}`, refusals.array, {
      mobiles: ONE_TEXT,
      messageIds: JSON.stringify([id]),
    }),
  ),
]

/** Receipts that are not taken in; there is a batch `known` with the first number and the id `known-1`. */
export const wrongReceipts: readonly WrongFields[] = [
  { stat: 'DELIVRD' },
  { rrid: 'known', stat: 'DELIVRD' },
  { mobile: ONE, stat: 'DELIVRD' },
  { rrid: 'known', mobile: ONE },
  { messageId: 'known-1' },
  {},
  { rrid: 'known', mobile: ONE, messageId: 'known-1', stat: 'DELIVRD' },
  { messageId: 'known-1', receipt: 'id:known-1 stat:DELIVRD' },
  { stat: 'DELIVRD', receipt: 'id:known-1 stat:DELIVRD' },
  { done: '1492675740231', receipt: 'id:known-1 stat:DELIVRD' },
  ...['', 'x'.repeat(65), '小', 'a\nb', '\u0000', 'é'].map((stat) => ({ rrid: 'known', mobile: ONE, stat })),
  ...['abc', '-1', '1.5', '1e9', '1'.repeat(17), '٣', ' 1'].map((done) => ({
    messageId: 'known-1',
    stat: 'DELIVRD',
    done,
  })),
  ...['', 'nothing', 'id: stat:', 'id:known-1', 'stat:DELIVRD', '{"id":"known-1"}'].map((receipt) => ({ receipt })),
].map((fields) => ({ name: JSON.stringify(fields), refusal: refusals.arguments, fields }))

const GOOD = pushed('known', ONE)

function push(body: unknown, hint?: RegExp, title?: string): WrongPush {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const name = title ?? text.replaceAll(JSON.stringify(GOOD), '…')
  return { name, refusal: refusals.arguments, body: text, ...(hint === undefined ? {} : { hint }) }
}

/** A push whose second report is wrong in one member. */
function wrongMember(member: keyof Pushed, value: unknown): WrongPush {
  return push(
    { type: 1, data: [GOOD, { ...GOOD, [member]: value }] },
    new RegExp(`^data/1/${member}: `),
    `${member}: ${JSON.stringify(value)}`,
  )
}

/** A push whose fourth report says one thing by its code and another by its status. */
function contradiction(code: string, status: Pushed['status']): WrongPush {
  const wrong = pushed('known', ONE, code, { status })
  return push({ type: 1, data: [GOOD, GOOD, GOOD, wrong] }, /^data\/3\b/, `${code} and ${status}`)
}

/** Pushes that are not taken in, no part of them. */
export const wrongPushes: readonly WrongPush[] = [
  ...['', 'nothing', '{', 'null', '[]', '1', '"x"', '{}', '{"type":1,"data":[]', 'type=1&data=[]'].map((body) =>
    push(body),
  ),
  push({ type: 2, data: [GOOD] }, /^type\b/),
  push({ type: '1', data: [GOOD] }, /^type\b/),
  push({ data: [GOOD] }, /^type\b/),
  push({ type: 1 }, /^data\b/),
  push({ type: 1, data: [] }, /^data\b/),
  push({ type: 1, data: GOOD }, /^data\b/),
  push({ type: 1, data: null }, /^data\b/),
  push({ type: 1, data: Array.from({ length: 10_001 }, () => GOOD) }, /^data\b/, '10,001 reports'),
  ...[null, 1, 'x', [], {}].map((element) => push({ type: 1, data: [GOOD, element] }, /^data\/1\b/)),
  ...['success', 'SUCCESS', '', 2, null, true].map((value) => wrongMember('status', value)),
  ...['', 'x'.repeat(65), 'é', '小', 'a\nb', '\u0000', 1, null, ['DELIVRD']].map((value) =>
    wrongMember('deliveryStatus', value),
  ),
  ...[13_800_138_000, null, {}].map((value) => wrongMember('mobile', value)),
  ...[1, null, ['known']].map((value) => wrongMember('rrid', value)),
  ...['2017-02-30 00:00:00', '2017-04-31 00:00:00', '2017-02-29 12:00:00', '2017-13-01 00:00:00'].map(wrongTime),
  ...['2017-00-10 00:00:00', '2017-04-00 00:00:00', '2017-04-20 24:00:00', '2017-04-20 23:60:00'].map(wrongTime),
  ...['2017-04-20 23:59:60', '2017-04-20T16:09:05', '2017-04-20 16:09', '2017-04-20', '17-04-20 16:09:05'].map(
    wrongTime,
  ),
  ...['2017-4-20 16:09:05', ' 2017-04-20 16:09:05', '2017-04-20 16:09:05Z', '', '٢٠١٧-04-20 16:09:05'].map(wrongTime),
  ...['0000-00-00 00:00:00', '1969-12-31 23:59:59'].map(wrongTime),
  ...[1_492_675_745_000, null].map(wrongTime),
  contradiction('DELIVRD', 'Failure'),
  ...['EXPIRED', 'DELETED', 'UNDELIV', 'REJECTD', 'UNKNOWN', 'MY:0001', 'MY:4242', 'DB:Black', 'DB:x'].map((code) =>
    contradiction(code, 'Success'),
  ),
]

function wrongTime(value: unknown): WrongPush {
  return wrongMember('receiveTime', value)
}
