import { describe, expect, test } from 'bun:test'
import { type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2'
import fc from 'fast-check'
import { DholeError } from '../../../src/error.ts'
import { ConcurrencyLimit } from '../../../src/http/limits/concurrency-limit.ts'
import { RateLimiter } from '../../../src/http/limits/rate-limiter.ts'
import { dhole } from '../../../src/index.ts'
import { openSource } from '../../support/event-source.ts'
import type { HttpsServer } from '../../support/https-server.ts'
import { BUSY, beginning, type Clients, HALF_PUT, open, QUOTA, serving, told } from './limited-server.ts'

function statusOf(stream: ClientHttp2Stream): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  stream.on('response', (headers) => resolve(headers[':status']))
  stream.on('error', reject)
  return promise
}

describe('requests a second', () => {
  test('of an address: twice as many at once, then 429 in the words of each endpoint', async () => {
    await using server = await serving({ ratePerAddress: 1 })
    for (let count = 0; count < 2; count++) expect((await server.call('GET', '/a.json')).status).toBe(200)
    expect(told(await server.call('GET', '/a.json'))).toEqual([429, '1', QUOTA])
    expect(told(await server.call('PUT', '/a.json', { body: '1' }))).toEqual([429, '1', QUOTA])
    const exchange = await server.call('POST', '/.auth/customTokenToIdToken.json', { body: '{"token":"x"}' })
    expect(told(exchange)).toEqual([429, '1', { error: { code: '20105', errorMessage: QUOTA.message } }])
    const sms = await server.call('GET', '/api/v2/app/status')
    expect(told(sms)).toMatchObject([429, '1', { errcode: 70304 }])
  })

  test('of an application: another one goes on', async () => {
    await using server = await serving({ ratePerApp: 1 }, { app: open, zoo: open })
    for (let count = 0; count < 2; count++) expect((await server.call('GET', '/a.json?ns=app')).status).toBe(200)
    expect(told(await server.call('GET', '/a.json?ns=app'))).toEqual([429, '1', QUOTA])
    expect((await server.call('GET', '/a.json?ns=zoo')).status).toBe(200)
  })

  test('of each key agree with a bucket that is filled bit by bit, whatever else is counted', () => {
    const request = fc.record({ key: fc.integer({ min: 0, max: 3 }), after: fc.integer({ min: 0, max: 1500 }) })
    fc.assert(
      fc.property(fc.array(request, { maxLength: 200 }), fc.integer({ min: 1, max: 5 }), (requests, perSecond) => {
        const rate = new RateLimiter(perSecond)
        const buckets = new Map<number, { level: number; at: number }>()
        let now = 1000
        for (const { key, after } of requests) {
          now += after
          const { level, at } = buckets.get(key) ?? { level: 2 * perSecond, at: now }
          const filled = Math.min(2 * perSecond, level + ((now - at) * perSecond) / 1000)
          // Where one is exactly full enough the last bit of a fraction decides.
          if (Math.abs(filled - 1) < 1e-6) return
          expect(rate.take(String(key), now)).toBe(filled >= 1)
          buckets.set(key, { level: filled >= 1 ? filled - 1 : filled, at: now })
        }
      }),
    )
  })

  test('are counted in bounded memory', () => {
    const rate = new RateLimiter(1, 1000)
    for (let key = 0; key < 100_000; key++) rate.take(String(key), 1000)
    expect(rate.size).toBeLessThanOrEqual(1000)
  })
})

describe('at once', () => {
  test.each([
    ['in all', { maxStreams: 1 }, [503, '5', BUSY]],
    ['of an address', { maxStreamsPerAddress: 1 }, [429, '1', QUOTA]],
    ['of an application', { maxStreamsPerApp: 1 }, [429, '1', QUOTA]],
  ] as const)('streams %s: one more is refused until one has ended', async (_, clients, refusal) => {
    await using server = await serving(clients)
    const accept = { headers: { Accept: 'text/event-stream' } }
    for (const http2 of [false, true]) {
      const stream = await openSource(server, '/a.json', { http2 })
      await stream.next()
      expect(told(await server.call('GET', '/a.json', accept))).toEqual([...refusal])
      expect((await server.call('GET', '/a.json')).status).toBe(200)
      stream.close()
      await freed(server)
    }
    // One that fails takes no place.
    expect((await server.call('GET', '/a.json?orderBy=x', accept)).status).toBe(400)
    expect((await server.call('GET', '/a/.priority.json', accept)).status).toBe(400)
    const stream = await openSource(server, '/a.json')
    await stream.next()
    stream.close()
  })

  test('streams of an address: 1000 unless it is set', async () => {
    await using server = await serving({})
    const session = () => connectHttp2(server.url, { ca: server.ca })
    const sessions = Array.from({ length: 5 }, session)
    const opened = sessions.flatMap((each) =>
      Array.from({ length: 200 }, () => statusOf(each.request({ ':path': '/a.json', accept: 'text/event-stream' }))),
    )
    expect(new Set(await Promise.all(opened))).toEqual(new Set([200]))
    expect(told(await server.call('GET', '/a.json', { headers: { Accept: 'text/event-stream' } }))).toEqual([
      429,
      '1',
      QUOTA,
    ])
    for (const each of sessions) each.destroy()
  })

  test.each([
    ['in all', { maxRequests: 1 }, [503, '5', BUSY]],
    ['of an address', { maxRequestsPerAddress: 1 }, [429, '1', QUOTA]],
    ['of an application', { maxRequestsPerApp: 1 }, [429, '1', QUOTA]],
  ] as const)('requests %s: one more is refused until one has ended', async (_, clients, refusal) => {
    await using server = await serving(clients)
    const { socket } = await beginning(server, HALF_PUT)
    const get = () => server.call('GET', '/a.json')
    let answer = await get()
    while (answer.status === 200) answer = await get()
    expect(told(answer)).toEqual([...refusal])
    socket.destroy()
    while ((await get()).status !== 200);
  })

  test('what is under way in one application takes no place of another', async () => {
    await using server = await serving({ maxRequestsPerApp: 1, maxStreamsPerApp: 1 }, { app: open, zoo: open })
    const accept = { headers: { Accept: 'text/event-stream' } }
    await using _stream = await openSource(server, '/a.json?ns=app')
    expect((await server.call('GET', '/a.json?ns=app', accept)).status).toBe(429)
    await using other = await openSource(server, '/a.json?ns=zoo')
    expect((await other.next()).path).toBe('/')
    const { socket } = await beginning(server, HALF_PUT.replace('/b.json', '/b.json?ns=app'))
    const get = (ns: string) => server.call('GET', `/a.json?ns=${ns}`)
    while ((await get('app')).status === 200);
    expect((await get('zoo')).status).toBe(200)
    // A call about text messages counts as well, in its own words.
    const sms = await server.call('GET', '/api/v2/app/status')
    expect(told(sms)).toMatchObject([429, '1', { errcode: 70304 }])
    socket.destroy()
  })

  test('places are given back once, and nothing stays of them', () => {
    const places = new ConcurrencyLimit({ most: 3, mostOfOne: 2 })
    const [a, b, c] = ['x', 'x', 'y'].map((network) => places.enter(() => network))
    expect(() => places.enter(() => 'z')).toThrow(new DholeError('too-busy'))
    for (const leave of [c, c, c]) leave?.()
    expect(() => places.enter(() => 'x')).toThrow(new DholeError('quota'))
    expect(places.taken).toBe(2)
    for (const leave of [a, b]) leave?.()
    expect([places.taken, places.holders]).toEqual([0, 0])
  })
})

/** A place is free when the end of a stream has been heard of. */
async function freed(server: HttpsServer): Promise<void> {
  for (;;) {
    const answer = await fetch(`${server.url}/a.json`, {
      headers: { Accept: 'text/event-stream' },
      tls: { ca: server.ca },
    })
    await answer.body?.cancel()
    if (answer.status === 200) break
  }
  // The one that has found it free leaves it as well.
  const stream = await fetch(`${server.url}/a.json`, { tls: { ca: server.ca } })
  await stream.text()
}

const WRONG: readonly Clients[] = [
  { ratePerAddress: -1 },
  { maxStreams: 1.5 },
  { maxBodies: -1 },
  { maxStreamsPerApp: -1 },
  { maxRequestsPerApp: 0.5 },
  { idleSeconds: 4 },
  { idleSeconds: 256 },
  { maxTransferBytes: 0 },
  { rate: 1 },
]

test('wrong options are refused', () => {
  for (const clients of WRONG) expect(() => dhole({ clients })).toThrow('/clients')
})
