import { describe, expect, test } from 'bun:test'
import { readEventId } from '../../support/event-id.ts'
import {
  type DataEvent,
  EventSource,
  escapedTarget,
  openSource,
  type ReceivedEvent,
} from '../../support/event-source.ts'
import { type HttpsClient, startInProcess } from '../../support/https-server.ts'
import { someInLanes } from '../../support/lane.ts'
import { tempDir } from '../../support/temp-dir.ts'

const versions = [
  ['HTTP/1.1', false],
  ['HTTP/2', true],
] as const

/** A place of its own that every stream of the root hears of: nothing before it is missing, nothing more comes first. */
const MARK: DataEvent = { kind: 'put', path: '/mark', data: true }

async function put(server: HttpsClient, target: string, json: unknown): Promise<void> {
  const { status } = await server.call('PUT', target, { body: JSON.stringify(json) })
  expect(status).toBe(200)
}

async function nextEvent(source: EventSource): Promise<ReceivedEvent> {
  for (;;) {
    const event = await source.nextMessage()
    if (event === undefined) throw new Error('the stream has ended')
    if (event.name !== 'keep-alive') return event
  }
}

/** The number of the last of so many events. */
async function idAfter(source: EventSource, events: number): Promise<string> {
  let id: string | undefined
  for (let index = 0; index < events; index++) id = (await nextEvent(source)).id
  return id ?? ''
}

/** Puts the mark, and every event up to it. */
async function eventsToMark(server: HttpsClient, source: EventSource): Promise<DataEvent[]> {
  await put(server, '/mark.json', true)
  const events: DataEvent[] = []
  for (;;) {
    const event = await source.next()
    if (Bun.deepEquals(event, MARK)) return events
    events.push(event)
  }
}

describe.each(someInLanes(versions, 2))('%s', (_, http2) => {
  test('4.5 each event tells its number, behind its data; a keep-alive does not', async () => {
    await using server = await startInProcess({ streams: { keepAliveMs: 40 } })
    await put(server, '/a.json', 1)
    await using source = await openSource(server, '/.json?resume=true', { http2 })
    const id = await idAfter(source, 1)
    expect(id).toMatch(/^[\w-]{22}$/)
    expect(source.raw).toBe(`event: put\ndata: {"path":"/","data":{"a":1}}\nid: ${id}\n\n`)
    expect((await source.nextMessage())?.raw).toBe('event: keep-alive\ndata: null\n\n')
    await put(server, '/b.json', 2)
    await server.call('PATCH', '/.json', { body: '{"c":3,"d":4}' })
    const [next, last] = [await nextEvent(source), await nextEvent(source)]
    expect([next.raw, last.raw]).toEqual([
      `event: put\ndata: {"path":"/b","data":2}\nid: ${next.id}\n\n`,
      `event: patch\ndata: {"path":"/","data":{"c":3,"d":4}}\nid: ${last.id}\n\n`,
    ])
    const { tree, seq } = readEventId(id)
    expect([next.id, last.id].map((each) => readEventId(each))).toEqual([
      { tree, seq: seq + 1 },
      { tree, seq: seq + 2 },
    ])
  })

  test.each(['/.json', '/.json?resume=false'])('4.5 no numbers for %s', async (target) => {
    await using server = await startInProcess()
    await using source = await openSource(server, target, { http2 })
    await put(server, '/a.json', 1)
    await source.take(2)
    expect(source.raw).not.toContain('id:')
  })

  test('4.5 who shows a known number is told what was missed, and goes on', async () => {
    await using server = await startInProcess()
    await put(server, '/.json', { a: { b: { '.value': 1, '.priority': 2 }, c: [1, 2] }, z: 1 })
    await using first = await openSource(server, '/a.json?resume=true&format=export', { http2 })
    await using live = await openSource(server, '/a.json?resume=true&format=export', { http2 })
    await using plain = await openSource(server, '/a.json?resume=true', { http2 })
    const id = await idAfter(first, 1)
    await first.close()
    const writes: readonly (readonly [string, string, string?])[] = [
      ['PUT', '/a/b.json', '5'],
      ['PUT', '/z.json', '2'],
      ['PATCH', '/a/c.json', '{"0":"x","5":null,"7/y":{"d":[1]}}'],
      ['PUT', '/a/b/.priority.json', '"p"'],
      ['PATCH', '/.json', '{"a/b/.priority":7,"a/d e":{".sv":"timestamp"},"q":null}'],
      ['POST', '/a/c.json', '[true,null,false]'],
      ['DELETE', '/a/c/0.json'],
      ['PUT', '/a.json', '{"n":{"__proto__":1,".priority":3}}'],
      ['PATCH', '/a/n.json', '{"__proto__":null,"o/p":2,"1":1,"0":0}'],
      ['PUT', '/.json', '{"a":{"new":[1,2]}}'],
      ['PATCH', '/.json', '{"a":{"new":{"0":1,"1":3}}}'],
      ['DELETE', '/a.json'],
      ['PUT', '/a/again.json', '"x"'],
    ]
    for (const [method, target, body] of writes) {
      const { status } = await server.call(method, target, body === undefined ? {} : { body })
      expect(status).toBe(200)
    }
    const liveIds: (string | undefined)[] = []
    const told: DataEvent[] = []
    await live.next()
    for (let index = 0; index < writes.length - 1; index++) {
      const event = await nextEvent(live)
      liveIds.push(event.id)
      const { path, data } = JSON.parse(event.text) as DataEvent
      told.push({ kind: event.name as DataEvent['kind'], path, data })
    }
    const headers = { 'Last-Event-ID': id }
    await using again = await openSource(server, '/a.json?format=export', { http2, headers })
    again.cache.apply({ kind: 'put', path: '/', data: { b: { '.value': 1, '.priority': 2 }, c: [1, 2] } })
    const ids: (string | undefined)[] = []
    const events: DataEvent[] = []
    for (let index = 0; index < told.length; index++) {
      const event = await nextEvent(again)
      ids.push(event.id)
      const { path, data } = JSON.parse(event.text) as DataEvent
      events.push({ kind: event.name as DataEvent['kind'], path, data })
    }
    expect(events).toEqual(told)
    expect(ids).toEqual(liveIds)
    expect(again.cache.exportText).toBe(live.cache.exportText)
    await put(server, '/a/last.json', 1)
    expect(await again.next()).toEqual({ kind: 'put', path: '/last', data: 1 })
    expect(await live.next()).toEqual({ kind: 'put', path: '/last', data: 1 })

    // In the plain form the same, without priorities; from the number of an event in the middle.
    const middle = await idAfter(plain, 3)
    const { plainText } = plain.cache
    await using resumed = await openSource(server, '/a.json', { http2, headers: { 'Last-Event-ID': middle } })
    resumed.cache.apply({ kind: 'put', path: '/', data: JSON.parse(plainText) })
    const rest = await plain.take(9)
    expect(await resumed.take(9)).toEqual(rest)
    expect(resumed.cache.plainText).toBe(plain.cache.plainText)
  })

  test('4.5 who has missed nothing is told nothing', async () => {
    await using server = await startInProcess()
    await put(server, '/.json', { a: 1 })
    await using first = await openSource(server, '/.json?resume=true', { http2 })
    const id = await idAfter(first, 1)
    const headers = { 'Last-Event-ID': id }
    await using again = await openSource(server, '/.json', { http2, headers })
    await using twice = await openSource(server, '/.json?resume=true', { http2, headers })
    await using elsewhere = await openSource(server, '/b.json', { http2, headers })
    expect(await eventsToMark(server, again)).toEqual([])
    expect(await eventsToMark(server, twice)).toEqual([])
    await put(server, '/b.json', 2)
    expect(await elsewhere.next()).toEqual({ kind: 'put', path: '/', data: 2 })
  })

  test('4.5 a number that is not known begins anew', async () => {
    await using server = await startInProcess()
    await put(server, '/a.json', 1)
    await using first = await openSource(server, '/.json?resume=true', { http2 })
    const id = await idAfter(first, 1)
    await put(server, '/b.json', 2)
    const { tree, seq } = readEventId(id)
    const ids = [
      `${id}A`,
      id.slice(1),
      `${id.startsWith('A') ? 'B' : 'A'}${id.slice(1)}`,
      'A'.repeat(22),
      '-'.repeat(22),
      `${tree}:${seq}`,
      `41c7bc12-b8d9-491d-bb15-f99ec63df443:${seq}`,
      String(seq),
      ':',
      'garbage',
      '%00',
    ]
    for (const each of ids) {
      await using source = await openSource(server, '/.json', { http2, headers: { 'Last-Event-ID': each } })
      const event = await nextEvent(source)
      expect({ each, raw: event.raw }).toEqual({
        each,
        raw: `event: put\ndata: {"path":"/","data":{"a":1,"b":2}}\nid: ${event.id}\n\n`,
      })
      expect(readEventId(event.id)).toEqual({ tree, seq: seq + 1 })
    }
  })

  test('4.5 a query always begins anew, with numbers', async () => {
    await using server = await startInProcess()
    await put(server, '/s.json', { a: 1, b: 2 })
    const target = escapedTarget('/s.json?orderBy="$value"&limitToLast=1&resume=true')
    await using first = await openSource(server, target, { http2 })
    const event = await nextEvent(first)
    expect(event.raw).toBe(`event: put\ndata: {"path":"/","data":{"b":2}}\nid: ${event.id}\n\n`)
    await put(server, '/s/c.json', 3)
    expect((await nextEvent(first)).raw).toMatch(
      /^event: patch\ndata: \{"path":"\/","data":\{("c":3,"b":null|"b":null,"c":3)\}\}\nid: [\w-]{22}\n\n$/,
    )
    const headers = { 'Last-Event-ID': String(event.id) }
    await using again = await openSource(server, target, { http2, headers })
    expect(await again.next()).toEqual({ kind: 'put', path: '/', data: { c: 3 } })
  })

  test('4.5 too large a change begins anew', async () => {
    await using server = await startInProcess()
    await put(server, '/a.json', 1)
    await using first = await openSource(server, '/.json?resume=true', { http2 })
    const id = await idAfter(first, 1)
    const text = 'x'.repeat(100_000)
    await put(server, '/b.json', text)
    await put(server, '/a.json', 2)
    const headers = { 'Last-Event-ID': id }
    await using again = await openSource(server, '/.json', { http2, headers })
    expect(await again.next()).toEqual({ kind: 'put', path: '/', data: { a: 2, b: text } })
    expect(await eventsToMark(server, again)).toEqual([])
  })

  test('4.5 more than a thousand missed, and then too many', async () => {
    await using server = await startInProcess({ storage: { maxChanges: 2000 } })
    await put(server, '/a.json', -1)
    await using first = await openSource(server, '/.json?resume=true', { http2 })
    const id = await idAfter(first, 1)
    await first.close()
    const writeMany = async (number: number) => {
      await Promise.all(Array.from({ length: number }, (_, index) => put(server, `/k${index % 7}.json`, index)))
    }
    await writeMany(1100)
    const headers = { 'Last-Event-ID': id }
    await using again = await openSource(server, '/.json', { http2, headers })
    again.cache.apply({ kind: 'put', path: '/', data: { a: -1 } })
    const events = await eventsToMark(server, again)
    expect(events.map(({ data }) => data).toSorted((left, right) => Number(left) - Number(right))).toEqual(
      Array.from({ length: 1100 }, (_, index) => index),
    )
    const { text } = await server.call('GET', '/.json')
    expect(again.cache.plain).toEqual(JSON.parse(text))
    await writeMany(2600)
    await using late = await openSource(server, '/.json', { http2, headers })
    const { data } = await late.next()
    const now = await server.call('GET', '/.json')
    expect(data).toEqual(JSON.parse(now.text))
    expect(await eventsToMark(server, late)).toEqual([])
  })

  test('4.5 whoever comes again while others write here and elsewhere is told each commit once', async () => {
    await using server = await startInProcess()
    await using first = await openSource(server, '/l.json?resume=true', { http2 })
    const headers = { 'Last-Event-ID': await idAfter(first, 1) }
    let last = 0
    // Both become durable together.
    const write = () => Promise.all([put(server, '/l/k.json', ++last), put(server, '/elsewhere.json', last)])
    for (let round = 0; round < 100; round++) await write()
    let isOver = false
    const writing = (async () => {
      while (!isOver) await write()
    })()
    const sources: EventSource[] = []
    for (let round = 0; round < 8; round++) {
      const opening = Array.from({ length: 12 }, () => openSource(server, '/l.json', { http2, headers }))
      sources.push(...(await Promise.all(opening)))
    }
    isOver = true
    await writing
    await put(server, '/l/end.json', true)
    const once = Array.from({ length: last }, (_each, index) => index + 1)
    for (const source of sources) {
      const told: unknown[] = []
      for (let event = await source.next(); event.path !== '/end'; event = await source.next()) told.push(event.data)
      expect(told).toEqual(once)
      await source.close()
    }
  })

  test('4.5 whoever comes again while others write misses nothing', async () => {
    await using server = await startInProcess()
    await using first = await openSource(server, '/l.json?resume=true', { http2 })
    const id = await idAfter(first, 1)
    const { seq: start } = readEventId(id)
    const writing = Promise.all(Array.from({ length: 600 }, (_, index) => put(server, `/l/${index % 20}.json`, index)))
    const opened = await Promise.all(
      Array.from({ length: 20 }, () => openSource(server, '/l.json', { http2, headers: { 'Last-Event-ID': id } })),
    )
    await writing
    for (const source of opened) {
      const numbers: number[] = []
      while (numbers.length < 600) numbers.push(readEventId((await nextEvent(source)).id).seq)
      expect(numbers).toEqual(Array.from({ length: 600 }, (_, index) => start + index + 1))
      await source.close()
    }
  })
})

test('4.5 after a restart', async () => {
  await using dir = await tempDir()
  const before = await startInProcess({ dataDir: dir.path })
  await put(before, '/a.json', 1)
  const first = await openSource(before, '/.json?resume=true')
  const id = await idAfter(first, 1)
  await put(before, '/b.json', 2)
  await before.stop()
  await using after = await startInProcess({ dataDir: dir.path })
  const headers = { 'Last-Event-ID': id }
  await using again = await openSource(after, '/.json', { headers })
  expect(await again.next()).toEqual({ kind: 'put', path: '/b', data: 2 })
  expect(await eventsToMark(after, again)).toEqual([])
  await using other = await startInProcess()
  await using elsewhere = await openSource(other, '/.json', { headers })
  expect(await elsewhere.next()).toEqual({ kind: 'put', path: '/', data: null })
})

test('4.5 a stream that is refused is refused whatever it has seen', async () => {
  await using server = await startInProcess({ applications: { app: {} } })
  const source = await EventSource.open(server, '/a.json', { headers: { 'Last-Event-ID': 'x:1' } })
  expect(source.status).toBe(403)
  await source.close()
})
