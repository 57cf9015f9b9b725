import { describe, expect, test } from 'bun:test'
import { type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2'
import { connect, type TLSSocket } from 'node:tls'
import fc from 'fast-check'
import { DholeError } from '../../../src/error.ts'
import { ConcurrencyLimit } from '../../../src/http/limits/concurrency-limit.ts'
import { MemoryBudget } from '../../../src/http/limits/memory-budget.ts'
import { PendingBodies, type PendingBody } from '../../../src/http/limits/pending-bodies.ts'
import { RateLimiter } from '../../../src/http/limits/rate-limiter.ts'
import { dhole } from '../../../src/index.ts'
import { openSource } from '../../support/event-source.ts'
import { type Answer, type HttpsServer, SECRET, startInProcess } from '../../support/https-server.ts'
import { longTest } from '../../support/lane.ts'

const QUOTA = { errcode: 20105, message: 'Quota limit exceeded.', error: 'Too many requests' }
const BUSY = { errcode: 20104, message: 'The app is out of service', error: 'Too much is under way' }
const open = { open: true, secret: SECRET }

type Clients = Readonly<Record<string, number>>

function serving(
  clients: Clients,
  applications: Readonly<Record<string, typeof open>> = { app: open },
): Promise<HttpsServer> {
  return startInProcess({ clients, applications })
}

function told({ status, headers, text }: Answer): unknown[] {
  return [status, headers.get('retry-after'), JSON.parse(text)]
}

/** Says how a request begins, and is there until the server or the test ends it. */
async function beginning(server: HttpsServer, text: string): Promise<{ socket: TLSSocket; answer: Promise<string> }> {
  const begun = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<string>()
  const { port, ca } = server
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' }, () => {
    socket.write(text, () => begun.resolve())
  })
  socket.on('data', (bytes: Buffer) => answer.resolve(bytes.toString('latin1')))
  socket.on('close', () => answer.resolve('closed'))
  await begun.promise
  return { socket, answer: answer.promise }
}

/** Over HTTP/2, writes whose bodies do not come. */
function unfinished({ url, ca }: HttpsServer) {
  const session = connectHttp2(url, { ca })
  let waiting = 0
  const begin = (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>()
    const stream = session.request({ ':method': 'PUT', ':path': path, ...headers }, { endStream: false })
    waiting++
    let head: unknown[] = []
    let text = ''
    stream.on('response', (headers) => {
      waiting--
      head = [headers[':status'], headers['retry-after']]
    })
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
    })
    stream.on('end', () => resolve([...head, JSON.parse(text)]))
    stream.on('error', reject)
    // Nobody waits for most of them.
    promise.catch(() => {})
    return promise
  }
  return {
    begin,
    waiting: () => waiting,
    [Symbol.asyncDispose]: async () => session.destroy(),
  }
}

function statusOf(stream: ClientHttp2Stream): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  stream.on('response', (headers) => resolve(headers[':status']))
  stream.on('error', reject)
  return promise
}

const HALF_PUT = 'PUT /b.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"x'

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

  test('bodies that have not come: for one more the oldest is given up', async () => {
    await using server = await serving({ maxBodies: 2 })
    const begun: Awaited<ReturnType<typeof beginning>>[] = []
    for (let count = 0; count < 3; count++) {
      begun.push(await beginning(server, HALF_PUT))
      // Answered behind what came before it.
      expect((await server.call('GET', '/a.json')).status).toBe(200)
    }
    const [oldest, ...others] = begun
    expect(await oldest!.answer).toStartWith('HTTP/1.1 503')
    expect(await oldest!.answer).toContain(JSON.stringify(BUSY))
    // Those that came behind it are taken, as is one that comes at once.
    expect((await server.call('PUT', '/c.json', { body: '1' })).status).toBe(200)
    const last = others.at(-1)!
    last.socket.write(`${'x'.repeat(97)}"`)
    expect(await last.answer).toStartWith('HTTP/1.1 200')
    for (const { socket } of begun) socket.destroy()
  })

  test('bodies that have not come: one of which much has come is not the oldest any more', async () => {
    await using server = await serving({ maxBodies: 2 })
    const settled = async () => expect((await server.call('GET', '/a.json')).status).toBe(200)
    const length = 200_000
    const text = JSON.stringify('x'.repeat(length - 2))
    const long = await beginning(server, HALF_PUT.replace('100\r\n\r\n"x', `${length}\r\n\r\n${text.slice(0, 1000)}`))
    await settled()
    const idle = await beginning(server, HALF_PUT)
    await settled()
    long.socket.write(text.slice(1000, 50_000))
    await settled()
    const last = await beginning(server, HALF_PUT)
    expect(await idle.answer).toStartWith('HTTP/1.1 503')
    long.socket.write(text.slice(50_000))
    expect(await long.answer).toStartWith('HTTP/1.1 200')
    for (const { socket } of [long, idle, last]) socket.destroy()
  })

  test('bodies that have not come: a connection with many of them gets no more, another one does', async () => {
    await using server = await serving({ maxBodies: 16 })
    await using greedy = unfinished(server)
    // Eight are there for anybody, and eight more are known to be its own.
    const answers = Array.from({ length: 40 }, () => greedy.begin('/b.json'))
    const refusals = await Promise.all(answers.slice(16))
    for (const refusal of refusals) expect(refusal).toEqual([503, '5', BUSY])
    expect((await server.call('PUT', '/c.json', { body: '1' })).status).toBe(200)
    expect(greedy.waiting()).toBeGreaterThanOrEqual(15)
  })

  test('bodies that have not come: short ones of one connection are refused above the limit', async () => {
    await using server = await serving({ maxBodies: 4 })
    await using greedy = unfinished(server)
    const refusals: unknown[] = []
    const refused = Promise.withResolvers<void>()
    for (let count = 0; count < 40; count++) {
      const answer = greedy.begin('/b.json', { 'content-length': '100' })
      // The last ones end with the connection.
      answer.then((refusal) => refusals.push(refusal) === 36 && refused.resolve()).catch(() => {})
    }
    await refused.promise
    for (const refusal of refusals) expect(refusal).toEqual([503, '5', BUSY])
    expect(greedy.waiting()).toBe(4)
    expect((await server.call('PUT', '/c.json', { body: '1' })).status).toBe(200)
  })

  test('bodies that have not come: all that are too many are given up, oldest first', async () => {
    await using server = await serving({ maxBodies: 4 })
    await using greedy = unfinished(server)
    const refusals: unknown[] = []
    const eight = Promise.withResolvers<void>()
    const refused = (refusal: unknown) => {
      if (refusals.push(refusal) === 8) eight.resolve()
    }
    // The others end with the connection.
    const answers = Array.from({ length: 12 }, () => greedy.begin('/b.json').then(refused, () => {}))
    // Of the last, those are refused that come before the first are given up.
    await Promise.all([...answers.slice(0, 6), eight.promise])
    for (const refusal of refusals) expect(refusal).toEqual([503, '5', BUSY])
    expect(greedy.waiting()).toBe(4)
  })

  test('bodies are given back once, whoever has them, and those that are too many are given up', () => {
    const step = fc.record({
      connection: fc.integer({ min: 0, max: 3 }),
      next: fc.constantFrom('nothing', 'give up', 'give up', 'renew', 'end'),
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.array(step, { maxLength: 200 }), (most, steps) => {
        const bodies = new PendingBodies(most)
        // Oldest first.
        const held: { connection: number; body?: PendingBody | undefined }[] = []
        for (const { connection, next } of steps) {
          const entered: (typeof held)[number] = { connection }
          entered.body = bodies.enter(
            () => String(connection),
            () => expect(held.shift()).toBe(entered),
          )
          const own = held.filter((one) => one.connection === connection).length
          if (entered.body === undefined) expect([held.length >= most, own > 7]).toEqual([true, true])
          else held.push(entered)
          // Beside other work, so that some may enter before.
          if (next === 'give up') {
            while (bodies.areTooMany) bodies.abortOldest()
            expect(bodies.size).toBeLessThanOrEqual(most)
          }
          const [oldest] = held
          if (next === 'renew') held.push(...held.splice(0, 1))
          if (next === 'renew') oldest?.body?.renew()
          if (next === 'end') for (const { body } of held.splice(0, 1)) for (const one of [body, body]) one?.leave()
          expect(bodies.size).toBe(held.length)
          expect(bodies.areTooMany).toBe(held.length > most)
        }
        for (const { body } of held) body?.leave()
        for (const { body } of held) body?.renew()
        expect([bodies.size, bodies.connections]).toEqual([0, 0])
      }),
    )
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

/** Long answers that are together more than the buffers of the system take. */
const TIMES = 3

describe('what takes too long', () => {
  test('a body that does not come is answered 408', async () => {
    await using server = await serving({ transferSeconds: 1 })
    const { socket, answer } = await beginning(server, HALF_PUT)
    expect(await answer).toStartWith('HTTP/1.1 408')
    socket.destroy()
    expect((await server.call('GET', '/b.json')).text).toBe('null')
  })

  longTest('an answer that nobody takes is cut off, and is no whole answer', async () => {
    await using server = await serving({ transferSeconds: 1, maxStreams: 1 })
    const piece = 'x'.repeat(10_000_000)
    const names = ['p', 'q', 'r', 's']
    for (const name of names) {
      const body = JSON.stringify(piece)
      expect((await server.call('PUT', `/a/${name}.json?print=silent`, { body })).status).toBe(204)
    }
    const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, piece])))
    const { socket } = await beginning(server, '')
    let received = 0
    const ended = Promise.withResolvers<void>()
    socket.removeAllListeners('data')
    socket.on('data', (bytes: Buffer) => (received += bytes.length))
    socket.on('close', () => ended.resolve())
    socket.on('error', () => ended.resolve())
    socket.pause()
    socket.write('GET /a.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(TIMES))
    // Others are not concerned.
    expect((await server.call('GET', '/a.json')).text).toBe(text)
    // Whoever does not read does not learn that it was cut off.
    await connectionsGone(server)
    socket.resume()
    await ended.promise
    expect(received).toBeLessThan(text.length * TIMES)
  })
})

/** Waits until the server has no connection of which the other end is silent: its next look at them has passed. */
async function connectionsGone(server: HttpsServer): Promise<void> {
  const { answer } = await beginning(server, 'GET /a')
  expect(await answer).toBe('closed')
}

describe('memory', () => {
  test('a body for which there is none is refused, and a smaller one is not', async () => {
    await using server = await serving({ maxTransferBytes: 1_000_000 })
    const body = (length: number) => ({ body: JSON.stringify('x'.repeat(length)) })
    expect(told(await server.call('PUT', '/a.json', body(3_000_000)))).toEqual([503, '5', BUSY])
    expect((await server.call('PUT', '/a.json', body(100_000))).status).toBe(200)
    expect((await server.call('GET', '/a.json')).text).toBe(body(100_000).body)
  })

  test('a long answer for which there is none is refused', async () => {
    await using server = await serving({ maxTransferBytes: 1_000_000 })
    for (const name of ['a', 'b', 'c', 'd']) {
      const body = JSON.stringify('x'.repeat(500_000))
      expect((await server.call('PUT', `/long/${name}.json?print=silent`, { body })).status).toBe(204)
    }
    expect(told(await server.call('GET', '/long.json'))).toEqual([503, '5', BUSY])
    expect((await server.call('GET', '/long.json?shallow=true')).status).toBe(200)
    expect((await server.call('HEAD', '/long.json')).status).toBe(200)
  })

  test('whoever holds the most goes first, and what several hold counts once', () => {
    const cut: string[] = []
    const holdings = new MemoryBudget(100)
    const hold = (what: object, bytes: number, name: string) => holdings.reserve(what, bytes, () => cut.push(name))
    const shared = {}
    const small = hold({}, 20, 'small')
    hold(shared, 60, 'one')
    hold(shared, 60, 'other')
    expect([holdings.bytes, cut]).toEqual([80, []])
    const growing = hold({}, 10, 'growing')
    growing.resize(30)
    expect([holdings.bytes, cut]).toEqual([50, ['one', 'other']])
    for (const holding of [small, small, growing]) holding.release()
    growing.resize(90)
    expect(holdings.bytes).toBe(0)
    hold({}, 101, 'huge')
    expect([holdings.bytes, cut]).toEqual([0, ['one', 'other', 'huge']])
  })

  test('what is in use counts, and others go in its place', () => {
    const cut: string[] = []
    const holdings = new MemoryBudget(100)
    const hold = (bytes: number, name: string) => holdings.reserve({}, bytes, () => cut.push(name))
    const used = hold(90, 'used')
    used.secure()
    hold(5, 'small')
    hold(7, 'large')
    expect([holdings.bytes, cut]).toEqual([95, ['large']])
    used.resize(200)
    expect([holdings.bytes, cut]).toEqual([200, ['large', 'small']])
    used.release()
    expect(holdings.bytes).toBe(0)
  })
})

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
