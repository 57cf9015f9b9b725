import { expect } from 'bun:test'
import { runsOnPostgres } from '../../support/engine.ts'
import {
  type DataEvent,
  type EventSource,
  escapedTarget,
  openSource,
  type SourceOptions,
} from '../../support/event-source.ts'
import type { HttpsClient } from '../../support/https-server.ts'
import { StreamCache } from '../../support/stream-cache.ts'

/** A write: `PUT /a.json {"b":1}`. */
interface StreamWrite {
  readonly send: string
  readonly headers?: Readonly<Record<string, string>>
  /** Default 200. */
  readonly status?: number
}

/** One row: what streams are told of writes. */
export interface StreamCase {
  /** Number of the conformance example or of the section, and what it shows. */
  readonly name: string
  /** The whole tree before; empty by default. */
  readonly data?: unknown
  /** One after the other. */
  readonly writes?: readonly (string | StreamWrite)[]
  /**
   * Events by target, the first one too: `put /a {"b":1}`. `{name1}` stands for the name that the first write was
   * answered, `{body2}` for the whole answer to the second.
   */
  readonly streams: Readonly<Record<string, readonly string[]>>
  /** Every write is told as one event. Such a row does not open streams between its writes, which would be told too. */
  readonly isToldEach?: true
}

/** A leaf that no row writes. */
const END = 'the end of the row'

/**
 * Plays one row against a server whose tree it may overwrite. Afterwards every stream must hold what GET answers, and
 * one more write that all of them hear of must be the next thing each is told.
 */
export async function play(row: StreamCase, server: HttpsClient, options: SourceOptions = {}): Promise<void> {
  const reset = await server.call('PUT', '/.json', { body: JSON.stringify(row.data ?? null) })
  expect(reset.status).toBe(200)
  const opened = await Promise.all(
    Object.entries(row.streams).map(async ([target, events]) => {
      const source = await openSource(server, escapedTarget(target), options)
      return { target, events, source, first: await source.next() }
    }),
  )
  try {
    const filtered = Object.keys(row.streams).filter((target) => target.includes('orderBy'))
    const each: Awaited<ReturnType<EventSource['next']>>[] = []
    const settle = async () => {
      if (row.isToldEach) for (const { source } of opened) each.push(await source.next())
      else await updated(runsOnPostgres() ? filtered : [], server, options)
    }
    const kept = await write(row.writes ?? [], server, settle)
    for (const { target, events, source, first } of opened) {
      const before = [first, ...each]
      const told = [...before, ...(await source.take(events.length - before.length))]
      expect({ target, told }).toEqual({ target, told: events.map((event) => eventOf(fill(event, kept))) })
      await expectSame(target, source, server)
    }
    const ending = await server.call('PUT', '/.json', { body: JSON.stringify(endOf(Object.keys(row.streams))) })
    expect(ending.status).toBe(200)
    for (const { target, source } of opened) {
      const { kind, path, data } = await source.next()
      const isTheEnd = target.includes('orderBy') || JSON.stringify(data).includes(END)
      expect({ target, kind, path, data, isTheEnd }).toEqual({ target, kind: 'put', path: '/', data, isTheEnd: true })
      await expectSame(target, source, server)
    }
  } finally {
    for (const { source } of opened) await source.close()
  }
}

/**
 * Waits until filtered streams have been told of the last write. A window that is still being read when the next commit
 * comes tells both at once, which the protocol allows; one that opens tells the others first what is new.
 */
async function updated(targets: readonly string[], server: HttpsClient, options: SourceOptions): Promise<void> {
  for (const target of targets) {
    const source = await openSource(server, escapedTarget(target), options)
    await source.next()
    await source.close()
  }
}

async function write(
  writes: readonly (string | StreamWrite)[],
  server: HttpsClient,
  settle: () => Promise<void>,
): Promise<Map<string, string>> {
  const kept = new Map<string, string>()
  for (const [index, each] of writes.entries()) {
    if (index > 0) await settle()
    const { send, headers = {}, status = 200 } = typeof each === 'string' ? { send: each } : each
    const [, method = '', target = '', body] = /^(\S+) (\S+)(?: (.*))?$/s.exec(send) ?? []
    const answer = await server.call(
      method,
      escapedTarget(target),
      body === undefined ? { headers } : { body, headers },
    )
    expect({ send, status: answer.status }).toEqual({ send, status })
    kept.set(`body${index + 1}`, answer.text)
    if (method === 'POST' && status === 200) {
      kept.set(`name${index + 1}`, (JSON.parse(answer.text) as { name?: string } | null)?.name ?? '')
    }
  }
  return kept
}

/** Expects that what a client holds is what GET answers. */
async function expectSame(target: string, source: EventSource, server: HttpsClient): Promise<void> {
  const answer = await server.call('GET', escapedTarget(target))
  expect({ target, status: answer.status }).toEqual({ target, status: 200 })
  const wanted = new StreamCache()
  wanted.apply({ kind: 'put', path: '/', data: JSON.parse(answer.text) })
  expect({ target, cache: source.cache.exportText }).toEqual({ target, cache: wanted.exportText })
}

/** A tree in which every place that is listened to, or that is above one, has another child than before. */
function endOf(targets: readonly string[]): Record<string, unknown> {
  const tree: Record<string, unknown> = { end: END }
  for (const target of targets) {
    let place = tree
    const path = target.replace(/\.json.*$/s, '').split('/')
    for (const key of path.filter((each) => each !== '').map(decodeURIComponent)) {
      if (!Object.hasOwn(place, key)) {
        const value = { end: END }
        Object.defineProperty(place, key, { value, enumerable: true, configurable: true, writable: true })
      }
      place = place[key] as Record<string, unknown>
    }
  }
  return tree
}

function fill(text: string, kept: ReadonlyMap<string, string>): string {
  return text.replace(/\{((?:name|body)\d+)\}/g, (all, name: string) => kept.get(name) ?? all)
}

function eventOf(text: string): DataEvent {
  const [, kind = '', path = '', data = ''] = /^(put|patch) (\S+) (.*)$/s.exec(text) ?? []
  return { kind: kind as DataEvent['kind'], path: decodeURIComponent(path), data: JSON.parse(data) }
}
