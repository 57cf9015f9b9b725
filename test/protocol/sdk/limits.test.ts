import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { EndedConnection, Observer } from '../../../src/observer.ts'
import { type HttpsServer, SECRET, startInProcess } from '../../support/https-server.ts'
import { longTest } from '../../support/lane.ts'
import { RawSocket } from '../../support/raw-socket.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { beginPolling } from './long-polling.ts'

const open = { open: true, secret: SECRET }

/** What has become of connections, in the order of their ends. */
const ended: EndedConnection[] = []
let endedNext = Promise.withResolvers<EndedConnection>()

const observer: Observer = {
  storeFailed() {},
  storeTroubled() {},
  requestFailed() {},
  connectionEnded(connection) {
    ended.push(connection)
    endedNext.resolve(connection)
    endedNext = Promise.withResolvers()
  },
}

function serving(clients: Readonly<Record<string, number>>): Promise<HttpsServer> {
  return startInProcess({ clients, observer, applications: { app: open, zoo: open } })
}

/** Status and header of a handshake. */
async function handshake(server: HttpsServer, parameters = 'ns=app'): Promise<number> {
  await using socket = new RawSocket(server, { path: `/.ws?v=5&${parameters}` })
  return await socket.status.promise
}

describe('connections', () => {
  test.each([
    ['in all', { maxSockets: 2 }, 503],
    ['of an address', { maxSocketsPerAddress: 2 }, 429],
    ['of an application', { maxSocketsPerApp: 2 }, 429],
  ])('%s: one more is refused until one has ended, by either carrier', async (_, clients, refusal) => {
    await using server = await serving(clients)
    await using _first = await SdkClient.connect(server, 'v=5&ns=app')
    const { id, pw } = await beginPolling(server)
    expect(await handshake(server)).toBe(refusal)
    expect((await server.call('GET', '/.lp?start=t&ser=1&cb=1&v=5&ns=app')).status).toBe(refusal)
    // Event streams have limits of their own, and requests go on.
    expect((await server.call('GET', '/a.json?ns=app')).status).toBe(200)
    expect((await server.call('GET', `/.lp?id=${id}&pw=${pw}&disconn=t&ns=app`)).status).toBe(200)
    await using third = await SdkClient.connect(server, 'v=5&ns=app')
    expect((await third.request('s', {})).status).toBe('ok')
  })

  test('of an application leave room for those of another', async () => {
    await using server = await serving({ maxSocketsPerApp: 1 })
    await using _first = await SdkClient.connect(server, 'v=5&ns=app')
    expect(await handshake(server)).toBe(429)
    await using other = await SdkClient.connect(server, 'v=5&ns=zoo')
    expect((await other.request('s', {})).status).toBe('ok')
  })

  test('that come to take over a session count until they have', async () => {
    await using server = await serving({ maxSockets: 2 })
    const { session, id, pw } = await beginPolling(server)
    const raw = await RawSocket.connect(server, { path: `/.ws?v=5&ns=app&s=${session}` })
    expect(await handshake(server)).toBe(503)
    // The last message of the old carrier hands the session over.
    raw.text('{"t":"c","d":{"t":"a","d":{}}}')
    raw.text('{"t":"c","d":{"t":"p","d":{}}}')
    await raw.until(() => raw.texts.length > 1)
    const last = Buffer.from('{"t":"c","d":{"t":"n","d":{}}}').toString('base64url')
    await server.call('GET', `/.lp?id=${id}&pw=${pw}&ns=app&seg0=0&ts0=1&d0=${last}`)
    expect(await handshake(server)).toBe(101)
    const end = endedNext.promise
    raw.cut()
    // The session has ended with its socket.
    for (let found = await end; found.bytesOut === 0 || found.cause !== 'lost'; found = await endedNext.promise);
    expect(await handshake(server)).toBe(101)
  })
})

describe('a connection that gives no sign of life', () => {
  let server: HttpsServer
  beforeAll(async () => {
    server = await serving({ socketSeconds: 1, maxSockets: 2 })
  })
  afterAll(() => server.stop())

  test('by long polling has left, and what it has left is written', async () => {
    const { id, pw } = await beginPolling(server)
    const message = JSON.stringify({ t: 'd', d: { r: 1, a: 'o', b: { p: '/left', d: true } } })
    const data = Buffer.from(message).toString('base64url')
    const end = endedNext.promise
    await server.call('GET', `/.lp?id=${id}&pw=${pw}&ns=app&seg0=0&ts0=1&d0=${data}`)
    expect(await end).toMatchObject({ cause: 'lost', carrier: 'polling', applicationId: 'app', address: '127.0.0.1' })
    expect((await server.call('GET', '/left.json?ns=app')).text).toBe('true')
    expect((await server.call('GET', `/.lp?id=${id}&pw=${pw}&ns=app`)).status).toBeGreaterThanOrEqual(400)
  })

  longTest('and never takes over a session is closed, and its place is free', async () => {
    const { session, id, pw } = await beginPolling(server)
    const kept = server.call('GET', `/.lp?id=${id}&pw=${pw}&ns=app`)
    await using raw = await RawSocket.connect(server, { path: `/.ws?v=5&ns=app&s=${session}` })
    expect(await handshake(server)).toBe(503)
    expect(await raw.closed.promise).toEqual({ code: 1001, reason: 'the session was not handed over' })
    await raw.gone.promise
    expect(await handshake(server)).toBe(101)
    // The session has gone on meanwhile.
    const left = server.call('GET', `/.lp?id=${id}&pw=${pw}&ns=app&disconn=t`)
    expect([(await kept).status, (await left).status]).toEqual([200, 200])
  })

  longTest('and half a message is closed', async () => {
    await using client = await SdkClient.connect(server)
    client.sendFrame('2')
    expect(await client.closed.promise).toEqual({ code: 1002, reason: 'the segments of a message took too long' })
  })
})

test('a connection to take over a session ends with it', async () => {
  await using server = await serving({})
  const { session, id, pw } = await beginPolling(server)
  await using raw = await RawSocket.connect(server, { path: `/.ws?v=5&ns=app&s=${session}` })
  await server.call('GET', `/.lp?id=${id}&pw=${pw}&disconn=t&ns=app`)
  expect((await raw.closed.promise).code).toBe(1001)
})

test('listens of a connection: one more is answered with `unavailable` until one has ended', async () => {
  await using server = await serving({ maxListens: 2 })
  await using client = await SdkClient.connect(server)
  const listen = async (p: string) => (await client.request('q', { p, h: '' })).status
  expect([await listen('/a'), await listen('/b'), await listen('/c')]).toEqual(['ok', 'ok', 'unavailable'])
  // One in place of another is none more.
  expect(await listen('/b')).toBe('ok')
  await client.request('n', { p: '/a' })
  expect(await listen('/c')).toBe('ok')
})

test('messages that wait to be carried out are bounded, and one may always wait', async () => {
  await using server = await serving({ maxSocketBytes: 100_000 })
  await using client = await SdkClient.connect(server)
  expect((await client.request('p', { p: '/a', d: 'x'.repeat(200_000) })).status).toBe('ok')
  for (let count = 0; count < 3; count++) client.request('p', { p: '/b', d: 'x'.repeat(40_000) }).catch(() => {})
  expect(await client.closed.promise).toEqual({ code: 1008, reason: 'too many messages wait to be carried out' })
})

test.each([
  ['messages', { ratePerSocket: 1 }, 2, {}],
  ['bytes', { byteRatePerSocket: 1000 }, 1, { c: 'x'.repeat(10_000) }],
])('%s beyond the rate of a connection wait, and hold up no other one', async (_, clients, atOnce, body) => {
  await using server = await serving(clients)
  await using client = await SdkClient.connect(server)
  await using other = await SdkClient.connect(server)
  const asked = Array.from({ length: atOnce + 2 }, () => client.request('s', body))
  for (const each of asked) each.catch(() => {})
  await Promise.all(asked.slice(0, atOnce))
  expect((await other.request('s', {})).status).toBe('ok')
  expect(client.received).toHaveLength(atOnce)
})

test('what a client has sent waits for no rate when it has left', async () => {
  await using server = await serving({ ratePerSocket: 1 })
  const client = await SdkClient.connect(server)
  for (let at = 0; at < 100; at++) client.request('p', { p: `/left/${at}`, d: at }).catch(() => {})
  await client.first(1)
  const end = endedNext.promise
  client.close()
  expect(await end).toMatchObject({ cause: 'left', carrier: 'websocket' })
  const { text } = await server.call('GET', '/left.json?ns=app')
  expect(JSON.parse(text)).toHaveLength(100)
})

test('the end of a connection does not wait for a rate', async () => {
  await using server = await serving({ byteRatePerSocket: 1000 })
  const client = await SdkClient.connect(server)
  const { s: session } = await client.hello.promise
  client.request('s', { c: 'x'.repeat(100_000) }).catch(() => {})
  client.request('s', {}).catch(() => {})
  await client.first(1)
  await using next = await SdkClient.connect(server, `v=5&ns=app&ls=${session}`)
  expect((await client.closed.promise).code).toBe(1001)
  expect((await next.request('s', {})).status).toBe('ok')
})
