import '../../support/long-lane.ts'
import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Answer } from '../../support/https-server.ts'
import { withServer } from '../../support/with-server.ts'
import { goodCalls } from '../../system/sms/good-calls.ts'
import {
  type Counts,
  dataOf,
  encoded,
  FORM,
  JSON_TYPE,
  mobiles,
  pushed,
  SmsClient,
  signatureOf,
  signed,
  timestamp,
} from './calls.ts'
import { expectRefusal, refusals } from './refusals.ts'
import { startSms } from './service.ts'

// fast-check prints seed, path and the shrunk request of a failure: pass `{ seed, path }` to run it again.
const RUNS = 400

const [ONE = '', TWO = ''] = mobiles(2)
const MOBILE = /^1[0-9]{10}$/

const server = withServer(startSms)
const client = new SmsClient(server.call)
/** Errors there are, by status and errcode. */
const known = new Set(Object.values(refusals).map(({ status, errcode }) => `${status} ${errcode}`))

beforeAll(async () => {
  await client.record([ONE, TWO], { rrid: 'known', messageIds: '["known-1","known-2"]' })
})

/** Any text that can travel in a URL: without halves of characters. */
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.toWellFormed()),
  fc.string({ maxLength: 200 }),
  fc.json({ maxDepth: 2 }).map((text) => text.toWellFormed()),
  fc.constantFrom('', '0', '-1', '1e999', 'null', '[]', '{}', '["', '\u0000', '\r\n', '&', '=', '%', '+', '__proto__'),
)

const anyMobile = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^1[0-9]{10}$/) },
  { weight: 1, arbitrary: fc.stringMatching(/^[+0-9 ()-]{0,16}$/) },
  { weight: 1, arbitrary: anyText },
)

const anyCode = fc.oneof(
  fc.constantFrom('DELIVRD', 'ENROUTE', 'ACCEPTD', 'UNDELIV', 'UNKNOWN', 'MY:0001', 'DB:Black', 'MY:', 'other'),
  anyText,
)

const anyTime = fc.oneof(
  fc.constantFrom('2017-04-20 16:09:05', '2017-02-30 00:00:00', '9999-12-31 23:59:59', '1970-01-01 00:00:00'),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 19).replace('T', ' ')),
  fc.stringMatching(/^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$/),
  anyText,
)

/** An answer in the shape of a success or of a known error, never of a failure of ours. */
function expectLegal({ status, headers, text }: Answer): void {
  expect(status).toBeLessThan(500)
  expect(headers.get('content-type')).toBe(JSON_TYPE)
  const body = JSON.parse(text) as Record<string, unknown>
  if (status === 200) {
    expect<unknown>({ ...body, data: '' }).toEqual({ status: 'ok', data: '' })
    return
  }
  const { errcode, message, error, ...rest } = body
  expect([...known]).toContain(`${status} ${String(errcode)}`)
  expect([typeof message, typeof error, rest]).toEqual(['string', 'string', {}])
}

/** That the server still answers others as ever. */
async function expectAlive(): Promise<void> {
  expect((await client.statuses('known')).map(({ mobile }) => mobile)).toEqual([ONE, TWO])
}

const anyName = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      ...['rrid', 'mobile', 'mobiles', 'messageId', 'messageIds', 'stat', 'done', 'receipt', 'timestamp', 'source'],
      ...['token', 'body', 'templateId', 'params', 'signature', 'Signature', 'ns', 'auth', 'print', '__proto__', ''],
    ),
  },
  { weight: 1, arbitrary: anyText },
)

const anyCall = fc.record({
  good: fc.constantFrom(...goodCalls),
  way: fc.constantFrom('query', 'form'),
  fields: fc.array(fc.tuple(anyName, anyText), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs)),
  kept: fc.boolean(),
  isTimely: fc.boolean(),
  isSigned: fc.oneof(fc.constant(true), fc.boolean()),
})

describe.each(['HTTP/1.1', 'HTTP/2'] as const)('over %s', (protocol) => {
  test('any text as parameters of any call: a clear answer', async () => {
    const property = fc.asyncProperty(anyCall, async ({ good, way, fields, kept, isTimely, isSigned }) => {
      const here = new SmsClient(protocol === 'HTTP/2' ? server.http2 : server.call)
      const base = { ...(isTimely ? { timestamp: timestamp() } : {}), ...(kept ? good.fields : {}) }
      const all = { ...base, ...fields }
      const ready = isSigned ? signed(all) : all
      expectLegal(await here.send(good.method, good.path, ready, good.method === 'GET' ? 'query' : way))
    })
    await fc.assert(property, { numRuns: RUNS })
    await expectAlive()
  })

  test('any bytes as a query and as a form: a clear answer', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '&',
        '=',
        '%',
        '%zz',
        '%ff',
        '+',
        'timestamp',
        'signature',
        'rrid',
        '%C3%A9',
        '%00',
        ';',
        '?',
        '/',
      ),
      fc.stringMatching(/^[!-~]{0,6}$/).map((text) => text.replaceAll('#', '')),
    )
    const anyQuery = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
    const property = fc.asyncProperty(fc.constantFrom(...goodCalls), anyQuery, async ({ method, path }, query) => {
      const call = protocol === 'HTTP/2' ? server.http2 : server.call
      const [version = '', rest = ''] = path.split(/\/(.*)/s)
      const target = `/api/${version}/app/${rest}`
      expectLegal(await call(method, `${target}?${query}`))
      if (method === 'POST') expectLegal(await call('POST', target, { headers: FORM, body: query }))
    })
    await fc.assert(property, { numRuns: RUNS })
    await expectAlive()
  })
})

test('any numbers of telephones: those of the right form are taken in and told again, others refuse the batch', async () => {
  const property = fc.asyncProperty(fc.array(anyMobile, { maxLength: 5 }), async (numbers) => {
    const answer = await client.batch({ mobiles: JSON.stringify(numbers) })
    if (numbers.length === 0) expectRefusal(answer, refusals.noMobiles)
    else if (!numbers.every((number) => MOBILE.test(number))) expectRefusal(answer, refusals.mobile)
    else if (new Set(numbers).size < numbers.length) expectRefusal(answer, refusals.arguments)
    else {
      const { rrid } = dataOf(answer) as { rrid: string }
      expect((await client.statuses(rrid)).map(({ mobile }) => mobile)).toEqual(numbers)
    }
  })
  await fc.assert(property, { numRuns: RUNS })
})

test('any list of batches: never a failure, and nothing of a batch that was refused', async () => {
  let made = 0
  const property = fc.asyncProperty(anyText, anyText, async (list, ids) => {
    const rrid = `fuzz-${made++}`
    const answer = await client.batch({ rrid, mobiles: list, messageIds: ids })
    expectLegal(answer)
    if (answer.status !== 200) expect(await client.statuses(rrid)).toEqual([])
  })
  await fc.assert(property, { numRuns: RUNS })
})

/** A report with one member that is anything, if any is. */
const anyReport = fc
  .tuple(
    fc.constantFrom('DELIVRD', 'ENROUTE', 'UNDELIV', 'MY:0001', 'DB:x', 'other', '__proto__'),
    fc.constantFrom(ONE, TWO, '13800138000'),
    fc.constantFrom('known', 'none', '__proto__'),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant({}) },
      fc.record({ status: fc.oneof(fc.constantFrom('Success', 'Failure'), anyText) }),
      fc.record({ deliveryStatus: anyCode }),
      fc.record({ mobile: anyText }),
      fc.record({ rrid: anyText }),
      fc.record({ receiveTime: anyTime }),
      fc.dictionary(anyText, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 }),
    ),
  )
  .map(([code, mobile, rrid, more]) => ({ ...pushed(rrid, mobile, code), ...more }))

test('any push: all of it counted, or refused with a place', async () => {
  const anyPush = fc.oneof(
    { weight: 4, arbitrary: fc.array(anyReport, { minLength: 1, maxLength: 4 }).map((data) => ({ type: 1, data })) },
    { weight: 2, arbitrary: fc.array(fc.jsonValue({ maxDepth: 2 })).map((data) => ({ type: 1, data })) },
    { weight: 1, arbitrary: fc.jsonValue() },
  )
  const property = fc.asyncProperty(anyPush, async (push) => {
    const answer = await client.push(JSON.stringify(push))
    if (answer.status !== 200) {
      expectRefusal(answer, refusals.arguments)
      return
    }
    const { accepted, ignored } = dataOf(answer) as Counts
    expect(accepted + ignored).toBe((push as { data: unknown[] }).data.length)
  })
  await fc.assert(property, { numRuns: RUNS })
  await expectAlive()
})

test('any text as a push, signed', async () => {
  const property = fc.asyncProperty(anyText, async (body) => {
    expectLegal(await client.push(body))
  })
  await fc.assert(property, { numRuns: RUNS })
})

test('any bytes as a push, with any signature', async () => {
  const property = fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), async (bytes) => {
    const now = timestamp()
    const body = new TextDecoder().decode(bytes)
    const query = encoded({ timestamp: now, signature: signatureOf({ timestamp: now, body }) })
    expectLegal(await server.call('POST', `/api/v1/app/report?${query}`, { body: new Uint8Array(bytes) }))
  })
  await fc.assert(property, { numRuns: RUNS })
})

test('any receipt: counted or refused', async () => {
  const field = fc.oneof(
    fc.constantFrom('sub:001', 'dlvrd:001', 'submit date:1704201609', 'err:000', 'id:', 'stat:', 'stat:小', ':', '\t'),
    fc.constantFrom(
      'done date:1704201609',
      'done date:170420160905',
      'done date:9999999999',
      'DONE DATE:',
      'text:id:0',
    ),
    fc.constantFrom('id:known-1', 'ID:known-2', 'id:none', 'stat:DELIVRD', 'Stat:UNDELIV', 'stat:other'),
    anyText,
  )
  const needed = fc.subarray(['id:known-1', 'stat:DELIVRD'])
  const anyFields = fc
    .tuple(fc.array(field, { maxLength: 5 }), needed, fc.array(field, { maxLength: 5 }))
    .map((parts) => parts.flat())
  const property = fc.asyncProperty(anyFields, fc.boolean(), async (fields, isForm) => {
    const all = { timestamp: timestamp(), receipt: fields.join(' ') }
    const answer = await client.sendSigned('POST', 'v1/dlr', all, isForm ? 'form' : 'query')
    if (answer.status !== 200) {
      expectRefusal(answer, refusals.arguments)
      return
    }
    const { accepted, ignored } = dataOf(answer) as Counts
    expect(accepted + ignored).toBe(1)
  })
  await fc.assert(property, { numRuns: RUNS })
  await expectAlive()
})
