import { expect } from 'bun:test'
import type { Database } from '../../../src/database/database.ts'
import type { WatchedChange } from '../../../src/database/read-types.ts'
import { DholeError, type Position } from '../../../src/embedded.ts'
import type { StorageOptions, StreamOptions } from '../../../src/options.ts'
import type { QuerySpec } from '../../../src/query/query.ts'
import { openTestTree } from '../../support/engine.ts'
import { readEventId } from '../../support/event-id.ts'
import { dataOf, type EventSource, openSource } from '../../support/event-source.ts'
import { type HttpsServer, SECRET, startInProcess } from '../../support/https-server.ts'
import { strictObserver } from '../../support/store.ts'
import type { StreamSpec, WriteAction } from './plan.ts'

export type Write = Exclude<WriteAction, { kind: 'put-existing' }>

/** Where a tree is read, written and listened to. */
export interface Service {
  watch(spec: StreamSpec, from: Position | undefined, signal: AbortSignal): AsyncIterable<WatchedChange>
  /** What GET answers. */
  get(spec: StreamSpec): Promise<string>
  /** Refusals that a random request may meet with are no failures. */
  write(write: Write): Promise<void>
  close(): Promise<void>
}

export interface ServiceOptions {
  /** Folder of its files, which may be there already. */
  readonly dir: string
  readonly storage: StorageOptions
  readonly streams: StreamOptions
}

/** Without HTTP. */
export async function embeddedService({ dir, storage, streams }: ServiceOptions): Promise<Service> {
  const db = await openTestTree({
    file: `${dir}/tree`,
    profile: 'firebase',
    storage,
    streams,
    observer: strictObserver,
  })
  return {
    watch: ({ path, form, query }, from, signal) =>
      db.watch(path, { query, export: form === 'export', signal, ...(from === undefined ? {} : { from }) }),
    get: async ({ path, form, query }) => {
      const found = query === undefined ? await db.node(path) : await db.select(path, query)
      return found?.[form] ?? 'null'
    },
    write: (write) => writeTo(db, write),
    close: () => db.close(),
  }
}

async function writeTo(db: Database, write: Write): Promise<void> {
  try {
    if (write.kind === 'patch') await db.patch(write.path, write.members)
    else await db[write.kind](write.path, write.json)
  } catch (error) {
    if (!(error instanceof DholeError)) throw error
    expect(['priority-on-nothing', 'too-deep']).toContain(error.code)
  }
}

/** Over HTTPS, with a connection for each stream. */
export async function httpsService(options: ServiceOptions, http2: boolean): Promise<Service> {
  const { dir: dataDir, storage, streams } = options
  const applications = { app: { open: true, secret: SECRET, profile: 'firebase' as const } }
  const server = await startInProcess({ dataDir, storage, streams, applications, observer: strictObserver })
  return {
    watch: (spec, from, signal) => follow(server, spec, from, signal, http2),
    get: async (spec) => {
      const { status, text } = await server.call('GET', targetOf(spec))
      expect(status, text).toBe(200)
      return text
    },
    write: async (write) => {
      const body = JSON.stringify(write.kind === 'patch' ? write.members : write.json)
      const { status, text } = await server.call(write.kind.toUpperCase(), `${urlPath(write.path)}.json`, { body })
      // A priority of nothing, or too many keys.
      if (status !== 200) expect([26301, 20203]).toContain((JSON.parse(text) as { errcode: number }).errcode)
    },
    close: () => server.stop(),
  }
}

async function* follow(
  server: HttpsServer,
  spec: StreamSpec,
  from: Position | undefined,
  signal: AbortSignal,
  http2: boolean,
): AsyncGenerator<WatchedChange, void> {
  const headers: Record<string, string> = from === undefined ? {} : { 'Last-Event-ID': from.epoch }
  const source = await openSource(server, `${targetOf(spec)}&resume=true`, { http2, headers })
  signal.addEventListener('abort', () => void source.close())
  if (signal.aborted) await source.close()
  try {
    for (let event = await nextOf(source); event !== undefined && !signal.aborted; event = await nextOf(source)) {
      // Who does not take events does not read.
      source.pause()
      yield event
      source.resume()
    }
  } finally {
    await source.close()
  }
}

async function nextOf(source: EventSource): Promise<WatchedChange | undefined> {
  for (;;) {
    const event = await source.nextMessage()
    if (event === undefined) return undefined
    if (event.name === 'keep-alive') continue
    // An id says all of a position.
    return { ...dataOf(event), position: { epoch: event.id ?? '', seq: readEventId(event.id).seq } }
  }
}

function urlPath(path: readonly string[]): string {
  return `/${path.map(encodeURIComponent).join('/')}`
}

function targetOf({ path, form, query }: StreamSpec): string {
  const parameters = new URLSearchParams(form === 'export' ? { format: 'export' } : {})
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) parameters.set(name, JSON.stringify(value))
  }
  return `${urlPath(path)}.json?${parameters}`
}

/** The query as a URL can say it: bounds without keys. */
export function withoutKeys(query: QuerySpec): QuerySpec {
  const bounds = Object.entries(query).map(([name, bound]) => [name, Array.isArray(bound) ? bound[0] : bound])
  return { ...query, ...Object.fromEntries(bounds) }
}
