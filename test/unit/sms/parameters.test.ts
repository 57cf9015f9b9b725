import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DholeError } from '../../../src/error.ts'
import type { Exchange } from '../../../src/http/exchange.ts'
import { answerCarrierCodes } from '../../../src/http/sms/carrier-codes-page.ts'
import { checkSignature, checkTimestamp } from '../../../src/http/sms/checks.ts'
import { parseDelivery } from '../../../src/http/sms/delivery-receipt.ts'
import { readParameters, useParameters, useSmsBody } from '../../../src/http/sms/parameters.ts'
import { parseBatch } from '../../../src/http/sms/record.ts'
import { parametersOf } from '../../../src/sms/format/call-parameters.ts'
import { ReceiveTime } from '../../../src/sms/format/receive-time.ts'
import { signatureOf } from '../../protocol/sms/calls.ts'
import { exchangeOf } from '../../support/exchange.ts'

const KEY = 'demo-sms-key-0123456789abcdef'
const NOW = 1_492_675_740_231

/** Name of the failure, or what comes out. */
function outcomeOf<T>(run: () => T): T | string {
  try {
    return run()
  } catch (thrown) {
    if (!(thrown instanceof DholeError)) throw thrown
    return thrown.code
  }
}

/** Name of the failure and what it says. */
function refusalOf(run: () => unknown): string {
  try {
    run()
  } catch (thrown) {
    if (thrown instanceof DholeError) return `${thrown.code}: ${thrown.message}`
  }
  return 'none'
}

describe('a query string', () => {
  test.each([
    ['', {}],
    ['&&&', {}],
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a=1&a=1', { a: '1' }],
    ['a=%31&a=1', { a: '1' }],
    ['a', { a: '' }],
    ['a=', { a: '' }],
    ['a==&b=c=d', { a: '=', b: 'c=d' }],
    ['=1', { '': '1' }],
    ['a+b=c+d&e=%2B', { 'a b': 'c d', e: '+' }],
    ['a=%E5%B0%8F%e7%8e%8b', { a: '小王' }],
    ['a=小王', { a: '小王' }],
    ['__proto__=1&constructor=2&toString=3', { ['__proto__']: '1', constructor: '2', toString: '3' }],
    ['a=1&A=2', { a: '1', A: '2' }],
  ])('%j is read', (search, expected) => {
    expect(Object.fromEntries(parametersOf(search))).toEqual(expected)
  })

  test.each([
    ['a=1&a=2', 'a: given twice, with two values'],
    ['a=1&%61=2', 'a: given twice, with two values'],
    ['a=1&a=', 'a: given twice, with two values'],
    [`${'n'.repeat(1000)}=1&${'n'.repeat(1000)}=2`, `${'n'.repeat(64)}: given twice, with two values`],
    // Each costs time, also one that says nothing new.
    ['a&'.repeat(2000), 'Parameters: expected at most 100'],
    ['&'.repeat(2000), 'Parameters: expected at most 100'],
    ...['%', '%4', '%zz', '%ff', '%c0%80', '%ed%a0%80', '%e5%b0', '%u5c0f'].flatMap((wrong) => [
      [`a=${wrong}`, 'Parameters: expected UTF-8, escaped as in forms'],
      [`${wrong}=1`, 'Parameters: expected UTF-8, escaped as in forms'],
    ]),
  ])('%j is refused', (search, hint) => {
    expect(refusalOf(() => parametersOf(search))).toBe(`sms-bad-arguments: ${hint}`)
  })

  test('what a form makes of names and values is read back', () => {
    const text = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name }), (members) => {
        const form = new URLSearchParams(members.map(([name, value]): [string, string] => [name, value])).toString()
        expect([...parametersOf(form)]).toEqual(members)
      }),
    )
  })

  test('anything is read or refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '=', '&', '%', '+', 'f', '8', '0', 'é') }), (search) => {
        const outcome = outcomeOf(() => parametersOf(search))
        expect(outcome instanceof Map || outcome === 'sms-bad-arguments').toBe(true)
      }),
    )
  })
})

describe('a body', () => {
  const FORM = 'application/x-www-form-urlencoded'
  const read = async (type: string | undefined, body: string | Uint8Array<ArrayBuffer>) => {
    const request = new Request('https://localhost/', { method: 'POST', body: new Blob([body]) })
    request.headers.delete('content-type')
    if (type !== undefined) request.headers.set('content-type', type)
    try {
      return Object.fromEntries(await readParameters(exchangeOf(request), 'a=1'))
    } catch (thrown) {
      return thrown instanceof DholeError ? thrown.code : thrown
    }
  }

  test.each([
    [FORM, 'b=2', { a: '1', b: '2' }],
    [`${FORM}; charset=UTF-8`, 'b=2&a=1', { a: '1', b: '2' }],
    [FORM.toUpperCase(), 'b=%E5%B0%8F', { a: '1', b: '小' }],
    [undefined, 'b=2', { a: '1', b: '2' }],
    [FORM, '', { a: '1' }],
    [FORM, 'a=2', 'sms-bad-arguments'],
    [FORM, 'b=%', 'sms-bad-arguments'],
    [FORM, 'b=é', { a: '1', b: 'é' }],
    ['application/json', '{"b":2}', { a: '1' }],
    ['multipart/form-data; boundary=x', 'b=2', { a: '1' }],
    ['text/plain', 'b=2', { a: '1' }],
  ])('of type %s: %s', async (type, body, expected) => {
    expect(await read(type, body)).toEqual(expected)
  })

  test('is UTF-8', async () => {
    expect(await read(FORM, new Uint8Array([0x62, 0x3d, 0xff]))).toBe('sms-bad-arguments')
  })

  test('has at most a megabyte', async () => {
    expect(await read(FORM, `b=${'x'.repeat(1024 * 1024 - 2)}`)).toMatchObject({ a: '1' })
    expect(await read(FORM, `b=${'x'.repeat(1024 * 1024 - 1)}`)).toBe('sms-bad-arguments')
  })
})

describe('the memory of a long body', () => {
  const LENGTH = 500_000
  const post = () => exchangeOf(new Request('https://localhost/', { method: 'POST', body: `b=${'x'.repeat(LENGTH)}` }))

  test.each<[string, (exchange: Exchange, use: () => Promise<number>) => Promise<number>]>([
    ['of reports', (exchange, use) => useSmsBody(exchange, 2 * LENGTH, use)],
    ['that is a form', (exchange, use) => useParameters(exchange, '', use)],
  ])('%s is reserved as long as the call takes', async (_, call) => {
    const exchange = post()
    exchange.request.headers.set('content-type', 'application/x-www-form-urlencoded')
    const { promise: stored, resolve } = Promise.withResolvers<void>()
    const reserved = () => exchange.limits.taken.memoryBytes
    const during = call(exchange, async () => {
      setImmediate(resolve)
      await stored
      return reserved()
    })
    expect(await during).toBeGreaterThanOrEqual(LENGTH)
    expect(reserved()).toBe(0)
  })

  test('is released when the call fails, and its error is the answer', async () => {
    const exchange = post()
    const failing = useSmsBody(exchange, 2 * LENGTH, async () => {
      throw new DholeError('write-too-big')
    })
    expect(await failing.catch(({ code }) => code)).toBe('write-too-big')
    expect(exchange.limits.taken.memoryBytes).toBe(0)
  })
})

describe('the time of a request', () => {
  const refused = 'sms-bad-timestamp'
  test.each([
    [String(NOW), undefined],
    [String(NOW - 60_000), undefined],
    [String(NOW + 60_000), undefined],
    [String(NOW - 60_001), refused],
    [String(NOW + 60_001), refused],
    [`000${NOW}`, undefined],
    [`0000${NOW}`, refused],
    [` ${NOW}`, refused],
    [`+${NOW}`, refused],
    [`-${NOW}`, refused],
    [`${NOW}.0`, refused],
    [`0x${NOW.toString(16)}`, refused],
    [`${NOW / 1000}`, refused],
    [String(Math.floor(NOW / 1000)), refused],
    ['', refused],
    ['9'.repeat(16), refused],
    ['NaN', refused],
    ['١٤٩٢٦٧٥٧٤٠٢٣١', refused],
  ])('%j', (text, expected) => {
    expect(outcomeOf(() => checkTimestamp(text, NOW))).toBe(expected as never)
  })
})

describe('a signature', () => {
  const check = (shown: string, fields: Record<string, string>, documented?: string) =>
    outcomeOf(() => checkSignature(shown, new Map(Object.entries(fields)), KEY, documented))
  const right = signatureOf({ rrid: 'r', extra: 'x' }, KEY)
  const documented = signatureOf({ rrid: 'r' }, KEY)
  test.each([
    ['of all', right, 'rrid', undefined],
    ['in upper case', right.toUpperCase(), 'rrid', undefined],
    ['of what is documented', documented, 'rrid', undefined],
    ['of what is documented, where that is not enough', documented, undefined, 'sms-bad-signature'],
    ['of what is documented, which is not there', documented, 'timestamp', 'sms-bad-signature'],
    ['with another key', signatureOf({ rrid: 'r', extra: 'x' }, `${KEY}0`), 'rrid', 'sms-bad-signature'],
    ['too short', right.slice(1), 'rrid', 'sms-bad-signature'],
    ['too long', `${right}0`, 'rrid', 'sms-bad-signature'],
    ['no hex', `${right.slice(1)}g`, 'rrid', 'sms-bad-signature'],
  ])('%s', (_, shown, name, expected) => {
    expect(check(shown, { rrid: 'r', extra: 'x', signature: shown }, name)).toBe(expected as never)
  })
})

describe('a batch', () => {
  const isMobile = (text: string) => /^1[0-9]{10}$/.test(text)
  const parse = (fields: Record<string, string>) => parseBatch(new Map(Object.entries(fields)), isMobile)
  const [one, two] = ['13800138000', '13900139000']
  const both = JSON.stringify([one, two])
  const hundred = Array.from({ length: 100 }, (_, at) => String(13_800_000_000 + at))

  test.each([
    [{ mobiles: both }, { mobiles: [one, two] }],
    [{ mobiles: ` [ "${one}" ] ` }, { mobiles: [one] }],
    [{ mobiles: JSON.stringify(hundred) }, { mobiles: hundred }],
    [
      { mobiles: both, rrid: 'A-z_9' },
      { mobiles: [one, two], rrid: 'A-z_9' },
    ],
    [
      { mobiles: both, messageIds: '["a","b"]' },
      { mobiles: [one, two], messageIds: ['a', 'b'] },
    ],
  ])('%j', (fields, expected) => {
    expect(parse(fields)).toEqual(expected)
  })

  test('what is empty was not filled in', () => {
    expect(parse({ mobiles: both, rrid: '', messageIds: '' })).toEqual({ mobiles: [one, two] })
  })

  test.each([
    [{}, 'sms-no-mobiles: sms phones empty'],
    [{ mobiles: '' }, 'sms-no-mobiles: sms phones empty'],
    [{ mobiles: '[]' }, 'sms-no-mobiles: sms phones empty'],
    [{ mobiles: JSON.stringify([...hundred, one]) }, 'sms-too-many-mobiles: sms phones exceeded max number(100)'],
    ...[one, '{}', 'null', '"x"', `[${one}]`, '[null]', `["${one}"`, `["${one}",]`, `['${one}']`].map(
      (mobiles) => [{ mobiles }, 'sms-bad-array: mobiles: expected a JSON array of strings'] as const,
    ),
    [{ mobiles: '["123"]' }, 'sms-bad-mobile: mobiles: "123" is no telephone number'],
    [{ mobiles: `["${one}","<b>"]` }, 'sms-bad-mobile: mobiles: "<b>" is no telephone number'],
    [
      { mobiles: JSON.stringify(['9'.repeat(1000)]) },
      `sms-bad-mobile: mobiles: "${'9'.repeat(40)}…" is no telephone number`,
    ],
    [{ mobiles: `["${one}","${two}","${one}"]` }, `sms-bad-arguments: mobiles: "${one}" is there twice`],
    ...['a b', '小', 'x'.repeat(65), 'a/b'].map(
      (rrid) => [{ mobiles: both, rrid }, 'sms-bad-arguments: rrid: expected 1 to 64 letters, digits, - or _'] as const,
    ),
    [{ mobiles: both, messageIds: '[1,2]' }, 'sms-bad-array: messageIds: expected a JSON array of strings'],
    [{ mobiles: both, messageIds: '["a"]' }, 'sms-bad-array: messageIds: expected as many as mobiles'],
    [{ mobiles: both, messageIds: '["a","a"]' }, 'sms-bad-array: messageIds: "a" is there twice'],
    ...['', 'a b', 'x'.repeat(65), '\t'].map(
      (id) =>
        [
          { mobiles: both, messageIds: JSON.stringify(['a', id]) },
          'sms-bad-array: messageIds: expected 1 to 64 printable characters without spaces each',
        ] as const,
    ),
  ])('%j is refused', (fields, expected) => {
    expect(refusalOf(() => parse(fields))).toBe(expected)
  })
})

describe('what a gateway reports', () => {
  const time = new ReceiveTime('+08:00')
  const parse = (fields: Record<string, string>) => parseDelivery(new Map(Object.entries(fields)), time, NOW)
  const place = { rrid: 'r', mobile: '13800138000' }
  test.each([
    [
      { ...place, stat: 'DELIVRD' },
      { message: place, state: 2, code: 'DELIVRD', receivedAt: NOW },
    ],
    [
      { messageId: 'm', stat: 'ENROUTE' },
      { message: { messageId: 'm' }, state: 1, code: 'ENROUTE', receivedAt: NOW },
    ],
    [
      { messageId: 'm', stat: 'odd', done: '0' },
      { message: { messageId: 'm' }, state: 3, code: 'odd', receivedAt: 0 },
    ],
    [
      { receipt: 'id:m sub:001 dlvrd:001 submit date:1704201608 done date:1704201609 stat:DELIVRD err:000 text:x' },
      { message: { messageId: 'm' }, state: 2, code: 'DELIVRD', receivedAt: Date.UTC(2017, 3, 20, 8, 9) },
    ],
    [{ receipt: 'id:m stat:EXPIRED' }, { message: { messageId: 'm' }, state: 3, code: 'EXPIRED', receivedAt: NOW }],
    [
      { ...place, receipt: 'id:m stat:EXPIRED' },
      { message: place, state: 3, code: 'EXPIRED', receivedAt: NOW },
    ],
    [
      { ...place, stat: 'DELIVRD', messageId: '', done: '', receipt: '' },
      { message: place, state: 2, code: 'DELIVRD', receivedAt: NOW },
    ],
  ])('%j', (fields, expected) => {
    expect(parse(fields)).toEqual(expected as never)
  })

  test.each([
    [{ stat: 'DELIVRD' }, 'messageId, or rrid and mobile: missing'],
    [{ rrid: 'r', stat: 'DELIVRD' }, 'mobile: missing'],
    [{ mobile: 'm', stat: 'DELIVRD' }, 'rrid: missing'],
    [{ ...place, messageId: 'm', stat: 'DELIVRD' }, 'messageId: not together with rrid and mobile'],
    [{ messageId: '', stat: 'DELIVRD' }, 'messageId, or rrid and mobile: missing'],
    [{ messageId: 'a b', stat: 'DELIVRD' }, 'messageId: expected 1 to 64 printable characters without spaces'],
    [{ ...place, rrid: 'r r', stat: 'DELIVRD' }, 'rrid: expected 1 to 64 letters, digits, - or _'],
    [{ ...place, mobile: '1'.repeat(65), stat: 'DELIVRD' }, 'mobile: expected at most 64 characters'],
    [{ ...place }, 'stat: missing'],
    [{ ...place, stat: 'é' }, 'stat: expected 1 to 64 printable ASCII characters'],
    ...['-1', '1.5', 'now', '9'.repeat(16), '9'.repeat(17)].map(
      (done) => [{ ...place, stat: 'DELIVRD', done }, 'done: expected milliseconds since 1970'] as const,
    ),
    ...['messageId', 'stat', 'done'].map(
      (name) => [{ receipt: 'id:m stat:DELIVRD', [name]: 'x' }, `${name}: not together with receipt`] as const,
    ),
    [{ receipt: 'id:m stat:DELIVRD', rrid: 'r' }, 'mobile: missing'],
    [{ receipt: 'hello' }, 'receipt: expected the text of an SMPP delivery receipt, with id and stat'],
  ])('%j is refused', (fields, hint) => {
    expect(refusalOf(() => parse(fields as Record<string, string>))).toBe(`sms-bad-arguments: ${hint}`)
  })
})

test.each([
  [null, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['text/html', 'text/html'],
  ['TEXT/HTML', 'text/html'],
  ['text/*', 'text/html'],
  ['text/html;q=0', 'application/json'],
  ['text/html,application/json', 'application/json'],
  ['text/html;q=0.9,application/json;q=0.8', 'text/html'],
  ['text/html; q=0.5, */*; q=0.8', 'application/json'],
  ['text/html;level=1;q=0.4, application/*;q=0.3', 'text/html'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
  ['image/png', 'application/json'],
])('carrier codes for who accepts %j', async (accept, type) => {
  const ask = (value: string | null) =>
    answerCarrierCodes(
      exchangeOf(new Request('https://localhost/', value === null ? {} : { headers: { accept: value } })),
    )
  const reply = ask(accept)
  expect(reply.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
  expect(reply.headers.get('vary')).toBe('Accept')
  expect(ask('application/json').headers.get('content-security-policy')).toBeNull()
  expect(await reply.text()).toContain('general failure, usually an error code from the channel')
})
