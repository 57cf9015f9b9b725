import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { beginPolling } from '../../protocol/sdk/long-polling.ts'
import { openSource } from '../../support/event-source.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { customToken } from '../../support/token.ts'
import { type ConsoleServer, startConsole } from './console-server.ts'

const RULES = `{
  "rules": {
    "open": { ".read": true, ".write": true },
    "notes": { "$uid": { ".read": "auth.uid === $uid", ".write": "auth.uid === $uid", ".validate": "newData.isString()" } }
  }
}`

let server: ConsoleServer

beforeAll(async () => {
  server = await startConsole({ SLOW_REQUEST_MS: '1' })
  await server.admin('tree-set-rules', { id: 'app', source: RULES })
})
afterAll(() => server[Symbol.asyncDispose]())

const token = (uid: string) => customToken(server.secret, { uid })
const refused = async () => (await server.admin('requests-recent', { kind: 'refused' }))[0]

describe('the last requests', () => {
  test('are listed, the newest first, without credentials', async () => {
    await server.call('PUT', `/open/a.json?auth=${token('ann')}`, { body: '1' })
    await server.call('GET', '/open/a.json')
    const [last, before] = await server.admin('requests-recent', { kind: 'recent' })
    expect(last).toMatchObject({
      method: 'GET',
      path: '/open/a.json',
      status: 200,
      operation: 'get',
      application: 'app',
    })
    expect(last).toMatchObject({ address: '127.0.0.1', ms: expect.any(Number), requestId: expect.any(String) })
    expect(before).toMatchObject({ method: 'PUT', path: '/open/a.json', operation: 'put' })
    expect(Math.abs(Date.now() - (last?.at ?? 0))).toBeLessThan(3_600_000)
    expect(JSON.stringify([last, before])).not.toContain(token('ann'))
  })

  test.each([
    ['a read', 'GET', '/notes/ann.json', undefined, '/notes/$uid/.read', 'auth.uid === $uid'],
    ['a write', 'PUT', '/notes/ann.json', '"x"', '/notes/$uid/.write', 'auth.uid === $uid'],
    [
      'a long write',
      'PUT',
      '/notes/ann.json',
      JSON.stringify('x'.repeat(40_000)),
      '/notes/$uid/.write',
      'auth.uid === $uid',
    ],
  ])('tell which rule refused %s', async (_, method, path, body, rule, text) => {
    const reply = await server.call(method, path, body === undefined ? {} : { body })
    expect(reply.status).toBe(403)
    expect(await refused()).toMatchObject({
      ...{ method, path, status: 403, code: 'permission-denied', rule: { path: rule, text } },
    })
  })

  test('tell which rule found data invalid', async () => {
    await server.call('PUT', `/notes/ann.json?auth=${token('ann')}`, { body: '7' })
    expect(await refused()).toMatchObject({ rule: { path: '/notes/$uid/.validate', text: 'newData.isString()' } })
  })

  test('tell which rule refused a stream', async () => {
    await server.call('GET', '/notes/ann.json', { headers: { Accept: 'text/event-stream' } })
    expect(await refused()).toMatchObject({ operation: 'stream', rule: { path: '/notes/$uid/.read' } })
  })

  test('tell no rule where none applies, and none for a wrong credential', async () => {
    await server.call('GET', '/elsewhere.json')
    expect(await refused()).toMatchObject({ path: '/elsewhere.json', code: 'permission-denied' })
    expect(await refused()).not.toHaveProperty('rule')
    await server.call('GET', '/open.json?auth=nonsense')
    expect(await refused()).toMatchObject({ status: 401, code: 'bad-token' })
    expect(await refused()).not.toHaveProperty('rule')
  })

  test('tell the slow ones', async () => {
    const big = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, { at }]))
    await server.call('PUT', '/open/big.json', { body: JSON.stringify(big) })
    const slow = await server.admin('requests-recent', { kind: 'slow', application: 'app' })
    expect(slow).toContainEqual(expect.objectContaining({ method: 'PUT', path: '/open/big.json', status: 200 }))
    expect(await server.admin('requests-recent', { kind: 'slow', application: 'other' })).toEqual([])
  })

  test('are 200 of each kind, and of a flood a part', async () => {
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 50 }, (_, at) => server.call('GET', `/nowhere/${round}-${at}.json`)))
    }
    expect(await server.admin('requests-recent', { kind: 'recent' })).toHaveLength(200)
    expect(await server.admin('requests-recent', { kind: 'refused' })).toHaveLength(200)
  })
})

describe('open streams', () => {
  test('are listed with their callers, without credentials, and leave the list', async () => {
    const target = `/open/a.json?orderBy="$key"&auth=${token('ann')}`
    await using source = await openSource(server, target)
    await source.next()
    const { total, streams } = await server.admin('streams', {})
    expect(total).toBe(1)
    expect(streams).toEqual([
      {
        ...{ id: expect.any(String), application: 'app', path: '/open/a.json', query: 'orderBy="$key"', uid: 'ann' },
        ...{ address: '127.0.0.1', since: expect.any(Number), bytesSent: expect.any(Number), waitingBytes: 0 },
      },
    ])
    expect(streams[0]?.bytesSent).toBeGreaterThan(0)
    expect((await server.admin('streams', { application: 'other' })).total).toBe(0)
    await source[Symbol.asyncDispose]()
    while ((await server.admin('streams', {})).total > 0) await new Promise(setImmediate)
  })

  test('can be ended, and the client is told', async () => {
    await using source = await openSource(server, '/open/a.json')
    await source.next()
    const [stream] = (await server.admin('streams', {})).streams
    expect(await server.admin('stream-end', { id: stream?.id ?? '' })).toEqual({ ended: true })
    expect(await source.nextMessage()).toMatchObject({ name: 'cancel', text: 'The operator has ended the stream' })
    expect((await server.admin('streams', {})).total).toBe(0)
    expect(await server.admin('stream-end', { id: stream?.id ?? '' })).toEqual({ ended: false })
  })

  test('of an SDK are listed with their queries, and can be ended', async () => {
    await using client = await SdkClient.connect(server)
    const query = { i: '.key', l: 2, vf: 'l' }
    await client.request('q', { p: '/open/a', h: '', t: 1, q: query })
    const { total, streams } = await server.admin('streams', {})
    expect([total, streams[0]?.path, streams[0]?.query]).toEqual([1, '/open/a', JSON.stringify(query)])
    client.take()
    expect(await server.admin('stream-end', { id: streams[0]?.id ?? '' })).toEqual({ ended: true })
    expect(await client.first(1)).toEqual([`c /open/a ${JSON.stringify([query])}`])
    expect((await server.admin('streams', {})).total).toBe(0)
  })
})

describe('open connections', () => {
  const connections = () => server.admin('connections', {})

  test('are listed with their users, and leave the list', async () => {
    const client = await SdkClient.connect(server)
    await client.request('auth', { cred: token('ann') })
    await client.request('q', { p: '/open/a', h: '' })
    const { total, connections: listed } = await connections()
    expect(total).toBe(1)
    expect(listed).toEqual([
      {
        ...{ id: expect.any(String), application: 'app', carrier: 'websocket', uid: 'ann', address: '127.0.0.1' },
        ...{ since: expect.any(Number), listens: 1, messagesReceived: 2, messagesSent: 4 },
        ...{ bytesReceived: expect.any(Number), bytesSent: expect.any(Number) },
      },
    ])
    expect(listed[0]?.bytesReceived).toBeGreaterThan(token('ann').length)
    expect((await server.admin('connections', { application: 'other' })).total).toBe(0)
    expect(await server.admin('clients', {})).toMatchObject({ connections: { taken: 1, most: 20_000 } })
    client.close()
    while ((await connections()).total > 0) await new Promise(setImmediate)
  })

  test('by long polling are listed as such', async () => {
    const { id, pw } = await beginPolling(server)
    expect((await connections()).connections).toMatchObject([{ carrier: 'polling', listens: 0, messagesSent: 1 }])
    await server.call('GET', `/.lp?id=${id}&pw=${pw}&disconn=t&ns=app`)
    expect((await connections()).total).toBe(0)
  })

  test('can be ended', async () => {
    const client = await SdkClient.connect(server)
    const [connection] = (await connections()).connections
    expect(await server.admin('connection-end', { id: connection?.id ?? '' })).toEqual({ ended: true })
    expect((await client.closed.promise).code).toBe(1001)
    expect(await server.admin('connection-end', { id: connection?.id ?? '' })).toEqual({ ended: false })
  })
})
