import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import { Elysia } from 'elysia'
import { dhole } from '../../../src/index.ts'
import { CARRIER_CODES } from '../../../src/sms/model/carrier-codes.ts'
import type { Call } from '../../protocol/rest/interpreter.ts'
import {
  dataOf,
  type Fields,
  JSON_TYPE,
  mobiles,
  pushed,
  SmsClient,
  signatureOf,
  signed,
  timestamp,
} from '../../protocol/sms/calls.ts'
import { expectRefusal, refusals } from '../../protocol/sms/refusals.ts'
import { application, startSms } from '../../protocol/sms/service.ts'
import { addApplication, runDhole, shownKeys } from '../../support/dhole-command.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { withServer } from '../../support/with-server.ts'
import { PUSH_VECTOR } from './good-calls.ts'

const [ONE = '', TWO = '', THREE = ''] = mobiles(3)

const server = withServer(() =>
  startSms({
    app: application(),
    news: application(),
    berlin: application({ timeZone: 'Europe/Berlin' }),
    nepal: application({ timeZone: '+05:45' }),
    other: application({}, 'the key of another application'),
  }),
)
const client = new SmsClient(server.call)

afterEach(() => {
  setSystemTime()
})

describe('vectors of the signature', () => {
  const rows: readonly { readonly path: string; readonly fields: Fields }[] = [
    {
      path: 'v2/status',
      fields: { signature: '7d4f66d52f7a2cc312d13db17a39921a913873819e4ebe782c8e2b9d7b38e0fa' },
    },
    {
      path: 'v2/status',
      fields: {
        mobile: '13800138000',
        templateId: '100000',
        signature: '159dd5bcc9beef1d8e4ee309d957b3bc701a93c68a9b994f19da40a4a4fff848',
      },
    },
    {
      path: 'v2/status',
      fields: {
        params: '["小王","123456"]',
        templateId: '100001',
        mobiles: '["13800138000","13900139000"]',
        signature: 'f1cdc059353dae18bf449714165cd69ee14efedbe4c949bffb9b4ad81763dfa0',
      },
    },
    {
      path: 'v1/status',
      fields: {
        rrid: 'e97539af58f44a0092',
        signature: 'd94a6b8560f8ab7178ad7b42283800918c5296bf2690705e5469322d0fc04fd8',
      },
    },
  ]

  test.each(rows)('$path with $fields', async ({ path, fields }) => {
    setSystemTime(new Date(1_492_675_740_231))
    const all = path === 'v2/status' ? { timestamp: '1492675740231', ...fields } : fields
    expect(dataOf(await client.send('GET', path, all))).toEqual([])
    expect(dataOf(await client.send('POST', path, all, 'form'))).toEqual([])
  })

  test('a push', async () => {
    setSystemTime(new Date(1_492_675_740_231))
    const signature = 'd45715a0f6e806c3e106cbf613e474af2a31e4bba388408cd42be0c803b97fee'
    const target = `/api/v1/app/report?timestamp=1492675740231&signature=${signature}`
    expect(dataOf(await server.call('POST', target, { body: PUSH_VECTOR }))).toEqual({ accepted: 0, ignored: 1 })
  })

  test('the order of parameters is of no matter, nor that there are more of them', async () => {
    const fields = signed({ timestamp: timestamp(), Zeta: '1', alpha: '2', Ümlaut: 'ß & = ?', empty: '', 小: '王 +' })
    const turned = Object.fromEntries(Object.entries(fields).reverse())
    for (const way of ['query', 'form'] as const) {
      dataOf(await client.send('POST', 'v2/status', fields, way))
      dataOf(await client.send('POST', 'v2/status', turned, way))
    }
  })

  test('the two queries may be signed by what the documents name alone, other calls are signed whole', async () => {
    const time = signed({ timestamp: timestamp() })
    dataOf(await client.send('GET', 'v2/status', { ...time, sdk: 'java' }))
    const named = signed({ rrid: 'none' })
    dataOf(await client.send('GET', 'v1/status', { ...named, sdk: 'java', timestamp: timestamp() }))
    dataOf(await client.send('POST', 'v1/send', { ...named, sdk: 'java' }, 'form'))
    const batch = signed({ timestamp: timestamp(), mobiles: JSON.stringify([ONE]) })
    expectRefusal(await client.send('POST', 'v1/batch/record', { ...batch, sdk: 'java' }), refusals.signature)
    const receipt = signed({ timestamp: timestamp(), messageId: 'none', stat: 'DELIVRD' })
    expectRefusal(await client.send('GET', 'v1/dlr', { ...receipt, sdk: 'java' }), refusals.signature)
  })
})

describe('send, of which only the queries are there', () => {
  test('the news', async () => {
    expect(dataOf(await client.sendSigned('POST', 'v2/send', { timestamp: timestamp() }, 'form'))).toEqual([])
    for (const more of [{ mobile: ONE }, { templateId: '100000' }, { rrid: 'none' }, { params: '' }]) {
      const answer = await client.sendSigned('POST', 'v2/send', { timestamp: timestamp(), ...more }, 'form')
      expectRefusal(answer, refusals.arguments)
    }
  })

  test('a batch', async () => {
    expect(dataOf(await client.sendSigned('POST', 'v1/send', { rrid: 'none' }, 'form'))).toEqual([])
    expectRefusal(await client.sendSigned('POST', 'v1/send', { mobile: ONE }, 'form'), refusals.arguments, /rrid/)
  })
})

describe('records', () => {
  test('are written the same way by both queries, byte for byte', async () => {
    const news = new SmsClient(server.call, 'news')
    const rrid = await news.record(['13800138000', '13900139000', '13700137000'])
    const enroute = { status: 'Success', receiveTime: '2016-11-22 20:00:00' } as const
    await news.report(
      pushed(rrid, '13900139000', 'ENROUTE', enroute),
      pushed(rrid, '13800138000', 'DELIVRD', { receiveTime: '2016-11-22 20:18:50' }),
    )
    const final = `{"status":2,"mobile":"13800138000","receiveTime":"2016-11-22 20:18:50","rrid":"${rrid}","deliveryStatus":"DELIVRD"}`
    const going = `{"status":1,"mobile":"13900139000","receiveTime":"","rrid":"${rrid}","deliveryStatus":"ENROUTE"}`
    const none = `{"status":0,"mobile":"13700137000","receiveTime":"","rrid":"${rrid}","deliveryStatus":""}`
    const batch = await news.sendSigned('GET', 'v1/status', { rrid })
    expect(batch.text).toBe(`{"status":"ok","data":[${final},${going},${none}]}`)
    const told = await news.news()
    expect(told.text).toBe(`{"status":"ok","data":[${final}]}`)
    expect([told.headers.get('content-type'), batch.headers.get('content-type')]).toEqual([JSON_TYPE, JSON_TYPE])
    for (const { headers } of [told, batch]) {
      expect(headers.get('cache-control')).toBe('no-cache')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
    expect((await news.news()).text).toBe('{"status":"ok","data":[]}')
  })

  test('stand in the order of submission in a batch, and in that of their reports in the news', async () => {
    const news = new SmsClient(server.call, 'news')
    const first = await news.record([THREE, ONE, TWO])
    const second = await news.record([TWO, THREE])
    await news.report(pushed(second, THREE), pushed(first, TWO))
    await news.report(pushed(first, THREE, 'UNDELIV'))
    await news.report(pushed(first, ONE), pushed(second, TWO))
    expect((await news.statuses(first)).map(({ mobile }) => mobile)).toEqual([THREE, ONE, TWO])
    expect((await news.statuses(second)).map(({ mobile }) => mobile)).toEqual([TWO, THREE])
    expect((await news.fresh()).map(({ rrid, mobile }) => [rrid, mobile])).toEqual([
      [second, THREE],
      [first, TWO],
      [first, THREE],
      [first, ONE],
      [second, TWO],
    ])
  })

  test('are told in the zone of their application', async () => {
    const rows = [
      ['berlin', '2026-03-29 01:59:59', '2026-03-29 01:59:59'],
      ['berlin', '2026-03-29 02:30:00', '2026-03-29 03:30:00'],
      ['berlin', '2026-10-25 02:30:00', '2026-10-25 02:30:00'],
      ['berlin', '2024-02-29 23:59:59', '2024-02-29 23:59:59'],
      ['nepal', '2026-01-01 00:00:00', '2026-01-01 00:00:00'],
      ['app', '1999-12-31 23:59:59', '1999-12-31 23:59:59'],
    ] as const
    for (const [app, receiveTime, expected] of rows) {
      const there = new SmsClient(server.call, app)
      const rrid = await there.record([ONE])
      await there.report(pushed(rrid, ONE, 'DELIVRD', { receiveTime }))
      expect((await there.statuses(rrid)).map((record) => record.receiveTime)).toEqual([expected])
    }
    const moments = [
      ['app', '2026-06-01 20:00:00'],
      ['berlin', '2026-06-01 14:00:00'],
      ['nepal', '2026-06-01 17:45:00'],
    ] as const
    for (const [app, expected] of moments) {
      const there = new SmsClient(server.call, app)
      const rrid = await there.record([ONE])
      await there.dlr({ rrid, mobile: ONE, stat: 'DELIVRD', done: String(Date.UTC(2026, 5, 1, 12)) })
      expect((await there.statuses(rrid)).map((record) => record.receiveTime)).toEqual([expected])
    }
  })

  test('of a batch that nobody has heard of are none', async () => {
    const answer = await client.sendSigned('GET', 'v1/status', { rrid: 'e97539af58f44a0092' })
    expect(answer.text).toBe('{"status":"ok","data":[]}')
  })

  test('of 10,001 final states come in two calls, oldest first', async () => {
    await using big = await startSms()
    const there = new SmsClient(big.call)
    const all: (readonly [rrid: string, mobile: string])[] = []
    for (let batch = 0; batch < 101; batch++) {
      const numbers = mobiles(batch === 100 ? 1 : 100, batch * 100)
      const rrid = await there.record(numbers)
      all.push(...numbers.map((mobile) => [rrid, mobile] as const))
    }
    all.reverse()
    const reports = all.map(([rrid, mobile]) => pushed(rrid, mobile))
    expect(await there.report(...reports.slice(0, 10_000))).toEqual({ accepted: 10_000, ignored: 0 })
    expect(await there.report(...reports.slice(10_000))).toEqual({ accepted: 1, ignored: 0 })
    const first = await there.fresh()
    const second = await there.fresh()
    expect([first.length, second.length]).toEqual([10_000, 1])
    expect([...first, ...second].map(({ rrid, mobile }) => [rrid, mobile])).toEqual(all.map((pair) => [...pair]))
    expect(await there.fresh()).toEqual([])
  })
})

describe('what one application has is not seen by another', () => {
  test('batches, message ids, news', async () => {
    const other = new SmsClient(server.call, 'other', 'the key of another application')
    const [rrid, messageId] = ['shared', 'shared-id']
    for (const one of [client, other]) await one.record([ONE], { rrid, messageIds: JSON.stringify([messageId]) })
    expect(await client.dlr({ messageId, stat: 'DELIVRD' })).toEqual({ accepted: 1, ignored: 0 })
    expect((await other.statuses(rrid)).map(({ status }) => status)).toEqual([0])
    expect(await other.fresh()).toEqual([])
    const mine = (await client.fresh()).filter((record) => record.rrid === rrid)
    expect(mine.map(({ status }) => status)).toEqual([2])
    expect(await other.dlr({ rrid, mobile: ONE, stat: 'UNDELIV' })).toEqual({ accepted: 1, ignored: 0 })
    expect((await client.statuses(rrid)).map(({ status }) => status)).toEqual([2])
    expect((await other.fresh()).map(({ status }) => status)).toEqual([3])
  })
})

describe('carrier codes', () => {
  test('for programs, whatever stands in the query', async () => {
    for (const target of ['/api/v1/carrier-codes', '/api/v1/carrier-codes?signature=x&ns=nobody']) {
      expect(dataOf(await server.call('GET', target))).toEqual(CARRIER_CODES)
    }
  })

  test.each([
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
    ['text/html', true],
    ['application/json', false],
    ['*/*', false],
    ['application/json, text/html;q=0.5', false],
  ])('to whom accepts %j: as a page: %j', async (accept, isPage) => {
    const { status, headers, text } = await server.call('GET', '/api/v1/carrier-codes', { headers: { Accept: accept } })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(isPage ? /^text\/html; ?charset=utf-8$/i : JSON_TYPE)
    for (const { code, meaning } of CARRIER_CODES) {
      expect(text).toContain(code)
      expect(text).toContain(meaning)
    }
    if (isPage) expect(text).toContain('<table')
  })
})

test('below a prefix, within a host that does not listen', async () => {
  await using dir = await tempDir()
  const app = new Elysia().use(dhole({ dataDir: dir.path, applications: { app: application() }, prefix: '/tree' }))
  const below: Call = async (method, target, { body, headers = {} } = {}) => {
    const url = `https://localhost/tree${target}`
    const reply = await app.handle(new Request(url, { method, headers: { ...headers }, body: body ?? null }))
    return { status: reply.status, headers: reply.headers, text: await reply.text() }
  }
  const there = new SmsClient(below)
  const rrid = await there.record([ONE])
  await there.report(pushed(rrid, ONE))
  const record = { status: 2, mobile: ONE, receiveTime: '2017-04-20 16:09:05', rrid, deliveryStatus: 'DELIVRD' }
  expect(await there.statuses(rrid)).toEqual([record])
  expect(await there.fresh()).toEqual([record])
  expect(await there.fresh()).toEqual([])
  expect((await app.handle(new Request('https://localhost/api/v1/carrier-codes'))).status).toBe(404)
  // One that never listened has no stop of its own.
  app.listen({ hostname: '127.0.0.1', port: 0 })
  await app.stop(true)
})

test('a new key is in force at once, and the old one is not', async () => {
  await using process = await spawnServer({ SMS_INTERVAL_MS: '0' })
  const { call } = await clientOfProcess(process)
  const { smsKey } = await addApplication(process.dataDir, 'shop')
  const old = new SmsClient(call, 'shop', smsKey)
  const rrid = await old.record([ONE])
  const rotated = await runDhole(['apps', 'rotate', 'shop', '--yes', '--sms-key', '--data-dir', process.dataDir])
  const fresh = new SmsClient(call, 'shop', shownKeys(rotated.stdout)[0])
  expectRefusal(await old.news(), refusals.signature)
  const source = { source: 'kannel', rrid, mobile: ONE, stat: 'DELIVRD' }
  const token = signatureOf({ source: 'kannel' }, smsKey)
  expectRefusal(await old.send('GET', 'v1/dlr', { ...source, token }), refusals.signature)
  expect((await fresh.statuses(rrid)).map(({ status }) => status)).toEqual([0])
  const renewed = signatureOf({ source: 'kannel' }, fresh.key)
  expect(dataOf(await fresh.send('GET', 'v1/dlr', { ...source, token: renewed }))).toEqual({
    accepted: 1,
    ignored: 0,
  })
  expect(process.output()).not.toContain(fresh.key)
})
