import { afterEach, describe, expect, spyOn, test } from 'bun:test'
import { openDatabase } from '../../../src/embedded.ts'
import { EventStream } from '../../../src/http/streams/event-stream.ts'
import { sseEncoder } from '../../../src/http/streams/sse-encoder.ts'
import { DENIED } from '../../../src/hub/sink.ts'
import { EventSource, escapedTarget, openSource } from '../../support/event-source.ts'
import { startInProcess } from '../../support/https-server.ts'
import { someInLanes } from '../../support/lane.ts'
import { spawnServer } from '../../support/server-process.ts'
import { turns } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'

const versions = [
  ['HTTP/1.1', false],
  ['HTTP/2', true],
] as const
const TARGETS = ['/a.json', '/a.json?format=export', '/.json', '/a.json?orderBy="$key"&limitToLast=1'].map(
  escapedTarget,
)

/** The clock of keep-alives runs while anybody listens; an eighth of this is a time that no other timer has. */
const KEEP_ALIVE_MS = 8 * 54_321

/** Whether there is a clock of keep-alives. */
function watchClock(): { readonly running: () => boolean } & Disposable {
  const clocks = new Set<unknown>()
  const { setInterval: start, clearInterval: stop } = globalThis
  const started = spyOn(globalThis, 'setInterval').mockImplementation(((handler: () => void, ms?: number) => {
    const timer = start(handler, ms)
    if (ms === KEEP_ALIVE_MS / 8) clocks.add(timer)
    return timer
  }) as typeof setInterval)
  const stopped = spyOn(globalThis, 'clearInterval').mockImplementation(((timer?: Timer) => {
    clocks.delete(timer)
    stop(timer)
  }) as typeof clearInterval)
  return {
    running: () => clocks.size > 0,
    [Symbol.dispose]: () => {
      started.mockRestore()
      stopped.mockRestore()
    },
  }
}

let opened: EventSource[] = []

afterEach(async () => {
  for (const source of opened) await source.close()
  opened = []
})

describe.each(someInLanes(versions, 2))('%s', (_, http2) => {
  test('4.5 a server that stops ends its streams without an event', async () => {
    const server = await startInProcess()
    for (const target of TARGETS) opened.push(await openSource(server, target, { http2 }))
    for (const source of opened) await source.next()
    await server.stop()
    for (const source of opened) {
      await source.ended
      expect(await source.nextMessage()).toBeUndefined()
      expect(source.rest).toBe('')
    }
  })

  test('4.5 so does the command, which waits for nobody', async () => {
    await using server = await spawnServer()
    const listening = { port: Number(new URL(server.url).port), ca: await Bun.file(server.certificate).text() }
    for (const target of TARGETS) opened.push(await openSource(listening, target, { http2 }))
    for (const source of opened) await source.next()
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    for (const source of opened) {
      // Each is told that it ends: nobody has to guess.
      expect(await source.ended).toBe(true)
      expect(await source.nextMessage()).toBeUndefined()
    }
  })

  test('a client that has gone is let go of', async () => {
    using clock = watchClock()
    await using server = await startInProcess({ streams: { keepAliveMs: KEEP_ALIVE_MS } })
    expect(clock.running()).toBe(false)
    for (const target of TARGETS) opened.push(await openSource(server, target, { http2 }))
    for (const source of opened) await source.next()
    expect(clock.running()).toBe(true)
    for (const source of opened) await source.close()
    while (clock.running()) await turns()
    expect((await server.call('PUT', '/a.json', { body: '{"b":1}' })).status).toBe(200)
    opened.push(await openSource(server, '/a.json', { http2 }))
    expect(clock.running()).toBe(true)
    expect(await opened.at(-1)?.next()).toEqual({ kind: 'put', path: '/', data: { b: 1 } })
  })

  test('writes go on while clients go, in the middle of what they are sent', async () => {
    using clock = watchClock()
    const failures: unknown[] = []
    const observer = {
      storeFailed: (_file: string, error: unknown) => void failures.push(error),
      storeTroubled: (_file: string, error: unknown) => void failures.push(error),
      requestFailed: (_method: string, _path: string, error: unknown) => void failures.push(error),
    }
    await using server = await startInProcess({ streams: { keepAliveMs: KEEP_ALIVE_MS }, observer })
    await server.call('PUT', '/a.json', { body: JSON.stringify({ text: 'x'.repeat(1_000_000) }) })
    await using staying = await openSource(server, '/a/n.json', { http2 })
    await staying.next()
    for (let round = 0; round < 10; round++) {
      const going = await Promise.all(TARGETS.map((target) => EventSource.open(server, target, { http2 })))
      const write = server.call('PUT', '/a/n.json', { body: String(round) })
      for (const source of going) await source.close()
      expect((await write).status).toBe(200)
      expect(await staying.next()).toEqual({ kind: 'put', path: '/', data: round })
    }
    await staying.close()
    while (clock.running()) await turns()
    expect(failures).toEqual([])
  })

  test('a stream that is refused leaves nothing behind', async () => {
    using clock = watchClock()
    await using server = await startInProcess({
      streams: { keepAliveMs: KEEP_ALIVE_MS },
      limits: { maxReadBytes: 100 },
    })
    await server.call('PUT', '/a.json', { body: JSON.stringify({ text: 'x'.repeat(90), more: 'y'.repeat(90) }) })
    for (const target of TARGETS.slice(0, 3)) {
      const source = await EventSource.open(server, target, { http2 })
      expect(source.status).toBe(400)
      await source.close()
    }
    expect(clock.running()).toBe(false)
  })

  test('4.5 an event over the size limit: cancel', async () => {
    await using server = await startInProcess({ limits: { maxReadBytes: 200 }, streams: { maxEvent: 200 } })
    const cancel =
      'event: cancel\ndata: The specified payload is too large, please request a location with less data.\n\n'
    for (const target of ['/a.json', '/a.json?orderBy="$key"', '/a.json?orderBy="$key"&limitToLast=2']) {
      await server.call('PUT', '/a.json', { body: '{"b":1}' })
      await using source = await openSource(server, escapedTarget(target), { http2 })
      expect(await source.next()).toEqual({ kind: 'put', path: '/', data: { b: 1 } })
      await server.call('PUT', '/a.json', { body: JSON.stringify({ c: 'x'.repeat(190), d: 'y'.repeat(190) }) })
      const end = await source.nextMessage()
      expect({ target, end: end?.raw }).toEqual({ target, end: cancel })
      expect(await source.nextMessage()).toBeUndefined()
    }
  })
})

test('4.5 closing a tree ends who watches it', async () => {
  using clock = watchClock()
  await using dir = await tempDir()
  const database = openDatabase({ file: dir.file('tree.sqlite'), streams: { keepAliveMs: KEEP_ALIVE_MS } })
  await database.put('/a', 1)
  const whole = database.watch('/a')
  const window = database.watch('/', { query: { orderBy: '$key', limitToLast: 1 } })
  expect((await whole.next()).value).toMatchObject({ path: '/', data: 1 })
  expect((await window.next()).value).toMatchObject({ path: '/', data: { a: 1 } })
  const ends = Promise.all([whole.next(), window.next()])
  await database.close()
  expect(await ends).toEqual([
    { done: true, value: undefined },
    { done: true, value: undefined },
  ])
  expect(clock.running()).toBe(false)
})

test('a stream that ends before its connection takes anything says why', async () => {
  const release = () => {}
  const stream = new EventStream(sseEncoder(), {
    closed: release,
    ended: release,
    abort: release,
    reserve: () => ({ resize: release, release }),
    sent: release,
  })
  stream.end(DENIED)
  expect(await new Response(new ReadableStream(stream)).text()).toBe('event: cancel\ndata: Permission denied\n\n')
})
