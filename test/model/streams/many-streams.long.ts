import '../../support/long-lane.ts'
import { expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:tls'
import { EventSource, openSource } from '../../support/event-source.ts'
import { startInProcess } from '../../support/https-server.ts'
import { type IdleStreams, openIdle } from '../../support/idle-streams.ts'
import type { Look } from './stream-child.ts'
import { type StreamServer, startStreamServer } from './stream-server.ts'

const CONNECTIONS = 50
const STREAMS_EACH = 100
/** What a process may take for good when it first has so many. */
const MOST_WARMTH = 128 * 1024 * 1024
/** What an allocator may keep of what it had. */
const MOST_KEPT = 48 * 1024 * 1024
/** Functions and scopes of one stream. Bun itself keeps a few. */
const MOST_CLOSURES = 12
/** Clients that leave at once, as many as may listen. */
const LEAVING = 20
const NEVER = { keepAliveMs: 3_600_000 }

function openAll(server: StreamServer): Promise<IdleStreams[]> {
  const numbers = Array.from({ length: STREAMS_EACH }, (_, stream) => stream)
  return Promise.all(
    Array.from({ length: CONNECTIONS }, (_, connection) =>
      openIdle(
        server,
        numbers.map((stream) => `/idle/${connection}/${stream}.json`),
      ),
    ),
  )
}

/** Looks until nobody listens, and as many files are open as there should be: a lost connection to a database is opened again. */
async function lookWhenLeft(server: StreamServer, descriptors: number): Promise<Look> {
  for (;;) {
    const look = await server.look()
    if (look.subscribers === 0 && look.descriptors === descriptors) return look
  }
}

test('of thousands of idle streams nothing stays', async () => {
  await using server = await startStreamServer({ streams: NEVER, clients: { maxStreamsPerAddress: 0 } })
  await (await openIdle(server, ['/idle.json'])).drop()
  const before = await server.look()
  let warm: Look | undefined
  for (const end of ['cancel', 'drop', 'drop'] as const) {
    const connections = await openAll(server)
    const open = await server.look()
    expect(open.subscribers).toBe(CONNECTIONS * STREAMS_EACH)
    expect(open.watched).toBe(CONNECTIONS * STREAMS_EACH)
    await Promise.all(connections.map((connection) => connection[end]()))
    if (end === 'cancel') {
      await lookWhenLeft(server, before.descriptors + CONNECTIONS)
      await Promise.all(connections.map((connection) => connection.drop()))
    }
    const left = await lookWhenLeft(server, before.descriptors)
    expect(left.watched).toBe(0)
    // The first time the process also becomes warm.
    warm ??= left
    expect(left.rss - before.rss).toBeLessThan(MOST_WARMTH)
    expect(left.rss - warm.rss).toBeLessThan(MOST_KEPT)
  }
}, 120_000)

test('an idle stream keeps few closures', async () => {
  await using server = await startStreamServer({ streams: NEVER, clients: { maxStreamsPerAddress: 0 } })
  const targets = new Array<string>(STREAMS_EACH).fill('/idle.json')
  const openSome = () => Promise.all(Array.from({ length: 5 }, () => openIdle(server, targets)))
  const first = await openSome()
  const before = await server.look()
  const second = await openSome()
  const after = await server.look()
  const opened = after.subscribers - before.subscribers
  expect(opened).toBe(5 * STREAMS_EACH)
  expect((after.closures - before.closures) / opened).toBeLessThan(MOST_CLOSURES)
  await Promise.all([...first, ...second].map((connection) => connection.drop()))
})

test('a client that leaves while its stream is opened leaves nothing', async () => {
  await using server = await startStreamServer({ streams: NEVER, clients: { maxStreamsPerAddress: LEAVING } })
  const members = Array.from({ length: 20_000 }, (_, member) => [`m${member}`, 'x'.repeat(30)])
  await server.call('PUT', '/long.json', { body: JSON.stringify(Object.fromEntries(members)) })
  const { descriptors } = await server.look()
  for (let round = 0; round < 4; round++) {
    await Promise.all(Array.from({ length: LEAVING }, () => leaveAtOnce(server, '/long.json')))
    await lookWhenLeft(server, descriptors)
  }
  // Their places are free again: without one of them, somebody would wait for ever.
  const stay = await Promise.all(Array.from({ length: LEAVING }, () => openOnceFree(server, '/long.json')))
  await Promise.all(stay.map((source) => source[Symbol.asyncDispose]()))
}, 120_000)

/** Opens a stream. The place of a client that has left is free when the read for it ends, which no look shows. */
async function openOnceFree(server: StreamServer, target: string): Promise<EventSource> {
  for (;;) {
    const source = await EventSource.open(server, target)
    if (source.status === 200) return source
    expect(source.status).toBe(429)
    await source[Symbol.asyncDispose]()
  }
}

/** Asks for a stream, and closes the connection when the request is sent. */
async function leaveAtOnce({ port, ca }: StreamServer, target: string): Promise<void> {
  const socket = connect({ port, ca, host: 'localhost', ALPNProtocols: ['http/1.1'] })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  const head = `GET ${target} HTTP/1.1\r\nHost: localhost:${port}\r\nAccept: text/event-stream\r\n\r\n`
  await new Promise((sent) => socket.write(head, sent))
  socket.destroy()
}

/** A hundred nodes, and one below each. */
const NODES = Array.from({ length: 100 }, (_, node) => `/rooms/r${node}`)

/** The event of a write at each path that it concerns. */
type Told = Readonly<Record<string, string>>

test('a write reaches those whom it concerns and nobody else', async () => {
  await using server = await startInProcess({ streams: NEVER })
  const paths = NODES.flatMap((node) => [node, `${node}/a`])
  const opened = await Promise.all(
    paths.map(async (path, index): Promise<[string, EventSource]> => {
      const source = await openSource(server, `${path}.json`, { http2: index % 4 > 1 })
      return [path, source]
    }),
  )
  const sources = new Map(opened)
  const expected = new Map(paths.map((path) => [path, ['put / null']]))
  const write = async (method: 'PUT' | 'PATCH', target: string, json: unknown, told: Told) => {
    const { status } = await server.call(method, `${target}.json`, { body: JSON.stringify(json) })
    expect(status).toBe(200)
    for (const [path, event] of Object.entries(told)) expected.get(path)?.push(event)
  }
  for (const [number, node] of NODES.entries()) {
    const other = NODES[(number + 37) % NODES.length] ?? ''
    await write('PUT', `${node}/a/x`, number, { [node]: `put /a/x ${number}`, [`${node}/a`]: `put /x ${number}` })
    await write('PUT', `${node}/b`, number, { [node]: `put /b ${number}` })
    await write(
      'PATCH',
      '/rooms',
      { [`r${number}/c`]: 1, [`${other.slice('/rooms/'.length)}/c`]: 2 },
      {
        [node]: 'patch / {"c":1}',
        [other]: 'patch / {"c":2}',
      },
    )
    await write('PUT', '/elsewhere', number, {})
  }
  // The last write concerns everybody: what came before it is all there is.
  await write('PUT', '/rooms', null, Object.fromEntries(paths.map((path) => [path, 'put / null'])))
  for (const [path, source] of sources) {
    const wanted = expected.get(path) ?? []
    const events = await source.take(wanted.length)
    expect(
      events.map(({ kind, path: at, data }) => `${kind} ${at} ${JSON.stringify(data)}`),
      path,
    ).toEqual(wanted)
    expect(source.waiting, path).toBe(0)
    await source.close()
  }
})
