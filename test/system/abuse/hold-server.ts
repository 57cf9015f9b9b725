import { expect } from 'bun:test'
import { holdBoundMs, startWatchedServer } from '../../support/watched-server.ts'

/** Work that holds the loop does so at each attempt; a garbage collection falls into some of them only. */
const ATTEMPTS = 3
/** Requests after a large one: a hold that ends with its answer is only seen in a later turn of the event loop. */
const REQUESTS_AFTER = 3
const SMALL_REQUESTS = 50

/** Headers of a request that may do everything. */
export const OWNER: Readonly<Record<string, string>> = { authorization: 'Bearer owner' }

/** A watched server, and requests to it whose holds of the event loop are measured. */
export interface HoldServer {
  /**
   * Greatest hold that the last measurement may give, in milliseconds: `holdBoundMs` at that time, or three times the
   * hold of small requests.
   */
  boundMs(): number
  readonly url: string
  readonly port: number
  readonly ca: string
  /** Sends a request, reads the whole answer and returns its status. */
  send(
    method: string,
    target: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<number>
  /**
   * Makes a request once to warm up, then measures it.
   * @returns the longest hold of the attempt that came nearest to its bound, in milliseconds; `boundMs` is that bound
   */
  holdOf(request: () => Promise<number>, status: number): Promise<number>
  /** Greatest resident memory while a request is answered, in bytes. */
  peakOf(request: () => Promise<number>): Promise<number>
  stop(): Promise<void>
}

/** @param settings as of `startWatchedServer` */
export async function startHoldServer(settings: Readonly<Record<string, string>> = {}): Promise<HoldServer> {
  const server = await startWatchedServer({ DEVELOPMENT: 'true', ...settings })
  const send: HoldServer['send'] = async (method, target, body, headers = {}) => {
    const answer = await fetch(`${server.url}${target}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      tls: { rejectUnauthorized: false },
    })
    await answer.arrayBuffer()
    return answer.status
  }
  let boundMs = Number.NaN
  const holdOf: HoldServer['holdOf'] = async (request, status) => {
    expect(await request()).toBe(status)
    let best = { holdMs: Number.POSITIVE_INFINITY, boundMs: 1 }
    for (let attempt = 0; attempt < ATTEMPTS && best.holdMs >= best.boundMs; attempt++) {
      const { longestHoldMs } = await server.watch(async () => {
        expect(await request()).toBe(status)
        for (let after = 0; after < REQUESTS_AFTER; after++) await send('GET', '/small/0.json')
      })
      const measured = { holdMs: longestHoldMs, boundMs: Math.max(smallBoundMs, holdBoundMs()) }
      if (measured.holdMs / measured.boundMs < best.holdMs / best.boundMs) best = measured
    }
    boundMs = best.boundMs
    return best.holdMs
  }
  const small = async () => {
    for (let index = 0; index < SMALL_REQUESTS; index++) {
      await send('PUT', `/small/${index}.json`, '{"text":"small"}', OWNER)
    }
  }
  await small()
  const smallBoundMs = 3 * (await server.watch(small)).longestHoldMs
  const peakOf: HoldServer['peakOf'] = async (request) => (await server.watch(request)).peakMemory
  const { url, stop } = server
  const ca = await Bun.file(server.certificate).text()
  return { boundMs: () => boundMs, url, port: Number(new URL(url).port), ca, send, holdOf, peakOf, stop }
}

/** As `holdOf` with status 204, while somebody listens to a node or query. */
export async function holdListened(
  server: HoldServer,
  listened: string,
  request: () => Promise<number>,
): Promise<number> {
  const ending = new AbortController()
  const stream = await fetch(`${server.url}${listened}`, {
    headers: { accept: 'text/event-stream' },
    signal: ending.signal,
    tls: { rejectUnauthorized: false },
  })
  const draining = stream.body?.pipeTo(new WritableStream()).catch(() => {})
  const hold = await server.holdOf(request, 204)
  ending.abort()
  await draining
  return hold
}

/** The JSON text of an object with many members. */
export function members<T>(count: number, member: (index: number) => [string, T]): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => member(index))))
}

/** A record of five nodes. */
export const user = (index: number): [string, unknown] => [
  `user${index}`,
  { id: index, name: `Name ${index}`, tags: ['a', 'b'] },
]

export const withPriority = (index: number): [string, unknown] => [
  `user${index}`,
  { '.priority': index, list: [1, 2, index] },
]
