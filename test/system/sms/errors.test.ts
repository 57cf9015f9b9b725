import { afterEach, beforeAll, describe, expect, setSystemTime, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import { dhole } from '../../../src/index.ts'
import { errorBody, errors } from '../../protocol/rest/errors.ts'
import type { Call } from '../../protocol/rest/interpreter.ts'
import { dataOf, encoded, FORM, SmsClient, signatureOf, signed, timestamp } from '../../protocol/sms/calls.ts'
import { expectRefusal, type Refusal, refusals } from '../../protocol/sms/refusals.ts'
import { application, SMS_KEY, startSms } from '../../protocol/sms/service.ts'
import { addApplication } from '../../support/dhole-command.ts'
import { SECRET, startInProcess } from '../../support/https-server.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { withServer } from '../../support/with-server.ts'
import { BATCH, type Draft, draftOf, type GoodCall, goodCalls, requestOf } from './good-calls.ts'

const OTHER_KEY = 'the key of another application'

const server = withServer(() => startSms({ app: application(), other: application({}, OTHER_KEY) }))
const client = new SmsClient(server.call)

beforeAll(async () => {
  await client.record(JSON.parse(BATCH.mobiles) as string[], { rrid: BATCH.rrid, messageIds: BATCH.messageIds })
})

afterEach(() => {
  setSystemTime()
})

/** One thing that is wrong with a call. */
interface Flaw {
  readonly name: string
  readonly refusal: Refusal
  readonly hint?: RegExp
  /** Which calls can have it. Default: all. */
  readonly of?: (call: GoodCall) => boolean
  readonly spoil?: (draft: Draft) => void
  /** What stands in place of the right signature; `null`: nothing. */
  readonly signature?: string | null | ((right: string) => string)
}

const needsTime = ({ kind }: GoodCall) => kind !== 'batch'
const needsRrid = ({ kind }: GoodCall) => kind === 'batch'

/** In the order of the checks. */
const checks: readonly (readonly Flaw[])[] = [
  ['nobody', 'No_Such', 'APP', 'a'.repeat(64), '-a', 'app%20', 'app%00', '%E5%B0%8F', '__proto__', 'constructor'].map(
    (app) => ({
      name: `an application that is none: ${app}`,
      refusal: refusals.app,
      spoil: (draft: Draft) => {
        draft.app = app
      },
    }),
  ),
  [
    { name: 'no signature', refusal: refusals.noSignature, signature: null },
    { name: 'an empty signature', refusal: refusals.noSignature, signature: '' },
  ],
  [
    {
      name: 'no timestamp',
      refusal: refusals.arguments,
      of: needsTime,
      spoil: ({ fields }) => remove(fields, 'timestamp'),
    },
    { name: 'no rrid', refusal: refusals.arguments, of: needsRrid, spoil: ({ fields }) => remove(fields, 'rrid') },
  ],
  [
    ...['abc', '12.5', '-1', '1e12', '0x10', '+1492675740231', '1'.repeat(17), '٣', 'NaN', '1', '0'].map(timeOf),
    ...[' 0', '0 '].map((blank) => ({
      name: `a timestamp beside a space: "${blank}"`,
      refusal: refusals.timestamp,
      spoil: ({ fields }: Draft) => {
        fields['timestamp'] = blank.replace('0', timestamp())
      },
    })),
  ],
  [
    {
      name: 'a signature over something else',
      refusal: refusals.signature,
      signature: signatureOf({ timestamp: '1' }),
    },
    { name: 'a signature that is too short', refusal: refusals.signature, signature: (right) => right.slice(1) },
    { name: 'a signature that is too long', refusal: refusals.signature, signature: (right) => `${right}0` },
    { name: 'a signature of no digits', refusal: refusals.signature, signature: 'z'.repeat(64) },
    { name: 'a signature with other letters', refusal: refusals.signature, signature: '小'.repeat(64) },
    { name: 'a signature with a space', refusal: refusals.signature, signature: (right) => ` ${right}` },
    { name: 'a signature one digit off', refusal: refusals.signature, signature: oneOff },
    {
      name: "another application's key",
      refusal: refusals.signature,
      spoil: (draft) => {
        draft.key = OTHER_KEY
      },
    },
  ],
]

function remove(fields: Record<string, string>, name: string): void {
  delete fields[name]
}

function timeOf(text: string): Flaw {
  return {
    name: `timestamp=${text}`,
    refusal: refusals.timestamp,
    spoil: ({ fields }) => {
      fields['timestamp'] = text
    },
  }
}

function oneOff(right: string): string {
  return `${right.slice(0, -1)}${right.endsWith('0') ? '1' : '0'}`
}

/** The calls that can have a flaw. */
function callsWith({ of = () => true }: Flaw): readonly GoodCall[] {
  return goodCalls.filter(of)
}

/** Sends a call with flaws, the last one laid over those before. */
async function sendSpoilt(call: Call, good: GoodCall, ...wrong: readonly Flaw[]) {
  const draft = draftOf(good)
  for (const { spoil } of wrong) spoil?.(draft)
  const body = good.body === undefined ? {} : { body: good.body }
  const right = signatureOf({ ...draft.fields, ...body }, draft.key)
  const shown = wrong.findLast(({ signature }) => signature !== undefined)?.signature
  const signature = typeof shown === 'function' ? shown(right) : shown === undefined ? right : shown
  const { method, target, options } = requestOf(good, draft, signature)
  return call(method, target, options)
}

describe.each(['HTTP/1.1', 'HTTP/2'] as const)('over %s', (protocol) => {
  const call: Call = (method, target, options) =>
    (protocol === 'HTTP/2' ? server.http2 : server.call)(method, target, options)

  test.each(goodCalls)('$name: as it should be', async (good) => {
    dataOf(await sendSpoilt(call, good))
  })

  test.each(checks.flat())('$name', async (flaw) => {
    for (const good of callsWith(flaw)) expectRefusal(await sendSpoilt(call, good, flaw), flaw.refusal, flaw.hint)
  })
})

test('of two things that are wrong, the one that is looked at first is answered', async () => {
  const ends = checks.map((step) => [step[0], step.at(-1)].filter((flaw) => flaw !== undefined))
  for (const [at, step] of ends.entries()) {
    for (const earlier of step) {
      for (const later of ends.slice(at + 1).flat()) {
        const both = callsWith(earlier).filter(later.of ?? (() => true))
        for (const good of both) {
          expectRefusal(await sendSpoilt(server.call, good, later, earlier), earlier.refusal, earlier.hint)
        }
      }
    }
  }
})

test.each(goodCalls)('$name: a minute early or late is good, a millisecond more is not', async (good) => {
  const now = Date.now()
  setSystemTime(new Date(now))
  for (const [off, isGood] of [
    [-60_000, true],
    [60_000, true],
    [-60_001, false],
    [60_001, false],
  ] as const) {
    const moment: Flaw = { ...timeOf(String(now + off)) }
    const answer = await sendSpoilt(server.call, good, moment)
    if (isGood) dataOf(answer)
    else expectRefusal(answer, refusals.timestamp)
  }
})

describe('methods', () => {
  const allowed: readonly (readonly [path: string, allow: string])[] = [
    ['/api/v2/app/status', 'GET, POST, OPTIONS'],
    ['/api/v1/app/status', 'GET, POST, OPTIONS'],
    ['/api/v2/app/send', 'POST, OPTIONS'],
    ['/api/v1/app/send', 'POST, OPTIONS'],
    ['/api/v1/app/batch/record', 'POST, OPTIONS'],
    ['/api/v1/app/report', 'POST, OPTIONS'],
    ['/api/v1/app/dlr', 'GET, POST, OPTIONS'],
    ['/api/v1/carrier-codes', 'GET, OPTIONS'],
  ]

  test.each(allowed)('%s takes %s', async (path, allow) => {
    const query = encoded(signed({ timestamp: timestamp() }))
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'LOCK'].filter((name) => !allow.includes(name))) {
      const answer = await server.call(method, `${path}?${query}`)
      expectRefusal(answer, refusals.method)
      expect({ method, allow: answer.headers.get('allow') }).toEqual({ method, allow })
    }
    const head = await server.call('HEAD', `${path}?${query}`)
    expect([head.status, head.headers.get('allow'), head.text]).toEqual([405, allow, ''])
    const preflight = await server.call('OPTIONS', path)
    expect([preflight.status, preflight.text]).toEqual([204, ''])
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST')
  })

  test('HEAD hands nothing over', async () => {
    const client = new SmsClient(server.call, 'other', OTHER_KEY)
    const rrid = await client.record(['13800138000'])
    await client.dlr({ rrid, mobile: '13800138000', stat: 'DELIVRD' })
    expect((await client.sendSigned('HEAD', 'v2/status', { timestamp: timestamp() })).status).toBe(405)
    expect(await client.fresh()).toHaveLength(1)
  })
})

test.each([
  { path: 'v1/app/notify/send', hint: /batch\/record/ },
  { path: 'v1/app/code/send', hint: /batch\/record/ },
  { path: 'v1/app/balance' },
  { path: 'v1/app/batch' },
  { path: 'v1/app/batch/record/more' },
  { path: 'v1/app/batch%2Frecord' },
  { path: 'v1/app/constructor' },
  { path: 'v1/app/status/' },
  { path: 'v1/app/Status' },
  { path: 'v2/app/batch/record' },
  { path: 'v2/app/report' },
  { path: 'v2/app/dlr' },
  { path: 'v2/app/notify/send' },
])('$path is not offered', async ({ path, hint }) => {
  const query = encoded(signed({ timestamp: timestamp() }))
  for (const method of ['GET', 'POST']) {
    expectRefusal(await server.call(method, `/api/${path}?${query}`), refusals.notOffered, hint)
  }
  const form = await server.call('POST', `/api/${path}`, { headers: FORM, body: query })
  expectRefusal(form, refusals.notOffered, hint)
})

test.each([
  '/api/v1/',
  '/api/v2/',
  '/api/v1//status',
  '/api/v2//status',
  '/api/v1/../app/status',
  '/api/v2/%2e%2e/status',
  '/api/v2/app%2fstatus',
  '/api/v2/app%5cstatus',
  '/api/v2/app%/status',
  '/api/v2/%ff/status',
  '/api/v2/%00/status',
  '/api/v2/.json/status',
  '/api/v2/app/status;x',
  '/api/v3/app/status',
  '/API/v2/app/status',
])('%s leads to no status', async (path) => {
  const { status, text } = await server.http2('GET', `${path}?${encoded(signed({ timestamp: timestamp() }))}`)
  // Outside of these calls it is the tree that answers, and wants to know whose it is.
  expect([400, 404, 417]).toContain(status)
  expect(Object.keys(JSON.parse(text) as object)).toEqual(['errcode', 'message', 'error'])
})

test.each([
  ['/api/v2/app/./status', '/api/v2/app/status'],
  ['/api/v2/other/../app/status', '/api/v2/app/status'],
  ['/api/v2/app/../other/status', '/api/v2/other/status'],
  ['/api/v2/app/%2e%2e/other/status', '/api/v2/other/status'],
  ['/api/v2/app\\status', '/api/v2/app/status'],
])('%s is what URLs mean by it: %s, with its key', async (path, meant) => {
  for (const key of [SMS_KEY, OTHER_KEY]) {
    const query = encoded(signed({ timestamp: timestamp() }, key))
    const [answer, direct] = [
      await server.http2('GET', `${path}?${query}`),
      await server.http2('GET', `${meant}?${query}`),
    ]
    expect(answer.status).toBe(meant.includes('other') === (key === OTHER_KEY) ? 200 : 401)
    expect([answer.status, answer.text]).toEqual([direct.status, direct.text])
  }
})

test('a path that ends in .json is a place in the tree', async () => {
  for (const path of ['/api/v1/app/status.json', '/api/v2/app/status.json', '/api/v1/carrier-codes.json']) {
    expect((await server.call('PUT', `${path}?ns=app`, { body: '{"a":1}' })).status).toBe(200)
    expect((await server.call('GET', `${path}?ns=app`)).text).toBe('{"a":1}')
  }
})

test('the application is named by the path alone', async () => {
  const fields = signed({ timestamp: timestamp(), ns: 'other' })
  dataOf(await new SmsClient(server.call).send('GET', 'v2/status', fields))
  const { signature = '' } = signed({ timestamp: fields['timestamp'] ?? '' }, OTHER_KEY)
  const query = encoded({ timestamp: fields['timestamp'] ?? '', signature, ns: 'other' })
  expectRefusal(await server.call('GET', `/api/v2/app/status?${query}`), refusals.signature)
})

test('an answer wears neither a callback nor another print', async () => {
  const client = new SmsClient(server.call)
  const more = { callback: 'cb', print: 'pretty', download: 'x' }
  const good = await client.sendSigned('GET', 'v1/status', { rrid: 'none', ...more })
  expect([good.status, good.text]).toEqual([200, '{"status":"ok","data":[]}'])
  expect(good.headers.get('content-disposition')).toBeNull()
  const silent = await client.sendSigned('GET', 'v1/status', { rrid: 'none', print: 'silent' })
  expect([silent.status, silent.text]).toEqual([200, '{"status":"ok","data":[]}'])
  const bad = await client.send('GET', 'v1/status', { rrid: 'none', ...more })
  expectRefusal(bad, refusals.noSignature)
  expect(bad.text).toStartWith('{"errcode":70206,')
})

describe('what cannot be read', () => {
  const big = 'x'.repeat(1024 * 1024)

  test.each([['%'], ['%zz'], ['%f'], ['%ff'], ['%C3'], ['%ED%A0%80'], ['%C0%80']])(
    'a parameter that is %s',
    async (value) => {
      const query = `${encoded(signed({ timestamp: timestamp() }))}&more=${value}`
      expectRefusal(await server.http2('GET', `/api/v2/app/status?${query}`), refusals.arguments)
      const form = await server.call('POST', '/api/v2/app/status', { headers: FORM, body: query })
      expectRefusal(form, refusals.arguments)
    },
  )

  test('a form of more than 1 MiB', async () => {
    const client = new SmsClient(server.call)
    const answer = await client.sendSigned('POST', 'v1/status', { rrid: 'none', more: big }, 'form')
    expectRefusal(answer, refusals.arguments)
    const smaller = { rrid: 'none', more: big.slice(1024) }
    dataOf(await client.sendSigned('POST', 'v1/status', smaller, 'form'))
  })

  test('a push of more than 4 MiB', async () => {
    const client = new SmsClient(server.call)
    const spaces = (bytes: number) => `{"type":1,"data":[]}`.padEnd(bytes, ' ')
    expectRefusal(await client.push(spaces(4 * 1024 * 1024 + 1)), refusals.arguments)
  })

  test('a push that is not UTF-8', async () => {
    const query = encoded(signed({ timestamp: timestamp(), body: '\ufffd' }))
    const body = new Uint8Array([0xff])
    expectRefusal(await server.call('POST', `/api/v1/app/report?${query}`, { body }), refusals.arguments)
  })
})

describe('parameters in more than one place', () => {
  const status = '/api/v2/app/status'

  test('one name, one value: as often as one likes', async () => {
    const query = encoded(signed({ timestamp: timestamp() }))
    dataOf(await server.call('GET', `${status}?${query}&${query}`))
    dataOf(await server.call('POST', `${status}?${query}`, { headers: FORM, body: `${query}&${query}` }))
  })

  test('the time in the one, the signature in the other', async () => {
    const { signature = '', ...rest } = signed({ timestamp: timestamp() })
    dataOf(await server.call('POST', `${status}?${encoded(rest)}`, { headers: FORM, body: encoded({ signature }) }))
    dataOf(await server.call('POST', `${status}?signature=${signature}`, { headers: FORM, body: encoded(rest) }))
  })

  test('one name, two values', async () => {
    const fields = signed({ timestamp: timestamp() })
    const query = encoded(fields)
    const other = encoded(signed({ timestamp: String(Date.now() + 1000) }))
    const rows = [
      [`${status}?${query}&timestamp=1`, ''],
      [`${status}?${query}&signature=1`, ''],
      [`${status}?${query}`, 'timestamp=1'],
      [`${status}?${query}`, other],
      [status, `${query}&timestamp=1`],
      [`${status}?${query}&more=1`, 'more=2'],
      [`${status}?${query}&more=1&more=2`, ''],
    ] as const
    for (const [target, body] of rows) {
      expectRefusal(await server.call('POST', target, { headers: FORM, body }), refusals.arguments)
    }
  })

  test('a form is one whatever its charset and the case of its name, and nothing else is', async () => {
    const body = encoded(signed({ timestamp: timestamp() }))
    for (const type of ['application/x-www-form-urlencoded; charset=UTF-8', 'Application/X-WWW-Form-URLencoded']) {
      dataOf(await server.call('POST', status, { headers: { 'Content-Type': type }, body }))
    }
    for (const type of ['text/plain', 'application/json', 'multipart/form-data; boundary=x']) {
      const answer = await server.call('POST', status, { headers: { 'Content-Type': type }, body })
      expectRefusal(answer, refusals.noSignature)
    }
  })

  test('the body of a GET is not looked at', async () => {
    const body = encoded(signed({ timestamp: timestamp() }))
    const head = `GET ${status} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: ${FORM['Content-Type']}`
    const answer = await server.raw(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    expect(answer).toStartWith('HTTP/1.1 400 ')
    expect(answer).toContain('"errcode":70206')
  })
})

test('a key that nobody has chosen is one that nobody can guess', async () => {
  await using bare = await startInProcess()
  for (const key of ['', 'undefined', 'null', 'app', SECRET, SMS_KEY]) {
    expectRefusal(await new SmsClient(bare.call, 'app', key).news(), refusals.signature)
  }
})

test('an application whose file cannot be opened is out of service, and opens when it is mended', async () => {
  await using process = await spawnServer({ SMS_INTERVAL_MS: '0' })
  const { call } = await clientOfProcess(process)
  const { smsKey } = await addApplication(process.dataDir, 'shop')
  const file = join(process.dataDir, 'apps', 'shop.sqlite')
  await Bun.write(file, 'this is no database, and far from it'.repeat(1000))
  const client = new SmsClient(call, 'shop', smsKey)
  expectRefusal(await client.news(), refusals.unavailable)
  expectRefusal(await client.batch({ mobiles: BATCH.mobiles }), refusals.unavailable)
  expectRefusal(await new SmsClient(call, 'nobody', smsKey).news(), refusals.app)
  await rm(file)
  expect(await client.fresh()).toEqual([])
})

test('what comes without encryption is told nothing', async () => {
  await using dir = await tempDir()
  const app = new Elysia().use(dhole({ dataDir: dir.path, applications: { app: application() } }))
  const query = encoded(signed({ timestamp: timestamp() }))
  for (const path of ['/api/v2/app/status', '/api/v1/carrier-codes', '/api/v1/nobody/status', '/api/v1/app/none']) {
    const reply = await app.handle(new Request(`http://localhost${path}?${query}`))
    expect<unknown>([reply.status, await reply.json()]).toEqual([404, errorBody(errors.plainHttp)])
    expect(reply.headers.get('strict-transport-security')).toBeNull()
  }
  // One that never listened has no stop of its own.
  app.listen({ hostname: '127.0.0.1', port: 0 })
  await app.stop(true)
})
