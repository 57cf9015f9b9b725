import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ClientLimits } from '../../../src/http/limits/client-limits.ts'
import { defaultClientLimits } from '../../../src/http/limits/limit-settings.ts'
import { deliver } from '../../../src/http/sms/confirmed-delivery.ts'
import type { Lease } from '../../../src/sms/model/lease.ts'
import { exchangeOf } from '../../support/exchange.ts'
import { inLanes, longTest } from '../../support/lane.ts'
import { type Reader, readHttp1, readHttp2 } from '../../support/reader.ts'
import { sharedCertificate } from '../../support/shared-certificate.ts'

/** Ten chunks, 1.3 MB in all: as many records as one call has at most. */
const PIECES = Array.from({ length: 10 }, (_, at) => `{"piece":${at},"text":"${'x'.repeat(130_000)}"}`)
const HEAD = '{"status":"ok","data":['
const WHOLE = `${HEAD}${PIECES.join(',')}]}`

/** What became of a lease. */
interface Outcome {
  readonly acknowledged: boolean
  readonly released: boolean
  readonly failure: unknown
}

/** A lease that remembers what it was told; `ended` settles when the handover is over. */
class KnownLease implements Lease {
  readonly chunks: readonly string[]
  readonly count: number
  readonly #ended = Promise.withResolvers<Outcome>()
  readonly #failure: unknown
  #told: string[] = []
  #times = 0

  constructor(chunks: readonly string[] = PIECES, failure?: unknown) {
    this.chunks = chunks
    this.count = chunks.length
    this.#failure = failure
  }

  get outcome(): Promise<Outcome> {
    return this.#ended.promise
  }

  /** How often it was told to be over. */
  get times(): number {
    return this.#times
  }

  /** What it has been told, in order. */
  get told(): readonly string[] {
    return this.#told
  }

  async acknowledge(): Promise<void> {
    this.#told.push('acknowledge')
    if (this.#failure !== undefined) throw this.#failure
  }

  release(): void {
    this.#told.push('release')
  }

  readonly end = (failure?: unknown): void => {
    this.#times++
    const [acknowledged, released] = ['acknowledge', 'release'].map((word) => this.#told.includes(word))
    this.#ended.resolve({ acknowledged: acknowledged === true, released: released === true, failure })
  }
}

const IDLE_SECONDS = 1
const RELEASED = { acknowledged: false, released: true, failure: undefined }
const ACKNOWLEDGED = { acknowledged: true, released: false, failure: undefined }

/** Leases by the path that hands them over. */
const leases = new Map<string, { lease: KnownLease; patienceMs?: number }>()
const limits = new ClientLimits({ ...defaultClientLimits, idleSeconds: IDLE_SECONDS })
/** Other systems do not show what waits to be sent. */
const showsQueues = process.platform === 'linux'
let server: ReturnType<typeof Bun.serve>
let place: { port: number; ca: string }
let count = 0

async function listen(): Promise<ReturnType<typeof Bun.serve>> {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: await sharedCertificate(),
    http2: true,
    idleTimeout: IDLE_SECONDS,
    fetch(request, listener) {
      const found = leases.get(new URL(request.url).pathname)
      if (found === undefined) return new Response('hello')
      const { lease, ...options } = found
      return deliver(lease, exchangeOf(request, { limits }, listener), lease.end, options)
    },
  })
}

async function placeOf({ port = 0 }: { readonly port?: number | undefined }): Promise<typeof place> {
  return { port, ca: (await sharedCertificate()).cert }
}

beforeAll(async () => {
  server = await listen()
  place = await placeOf(server)
})

afterAll(() => server.stop(true))

/** A path of its own for a lease. */
function offer(lease: KnownLease, patienceMs?: number): string {
  const path = `/${++count}`
  leases.set(path, patienceMs === undefined ? { lease } : { lease, patienceMs })
  return path
}

const protocols: readonly (readonly [name: string, read: (path: string) => Reader])[] = [
  ['HTTP/1.1', (path) => readHttp1(place, path)],
  ['HTTP/2, request cancelled', (path) => readHttp2(place, path, false)],
  ['HTTP/2, connection closed', (path) => readHttp2(place, path, true)],
]

describe.each(protocols)('%s', (_, read) => {
  test('who reads all has it, and the lease knows', async () => {
    const lease = new KnownLease()
    const reader = read(offer(lease))
    expect(await reader.ended).toBe(true)
    expect((await reader.until(() => true)).text).toBe(WHOLE)
    expect(await lease.outcome).toEqual(ACKNOWLEDGED)
    expect(lease.times).toBe(1)
    reader.cut()
  })

  test('a few bytes are handed over alike', async () => {
    const lease = new KnownLease(['{"a":1}', '{"b":2}'])
    const reader = read(offer(lease))
    expect(await reader.ended).toBe(true)
    expect((await reader.until(() => true)).text).toBe(`${HEAD}{"a":1},{"b":2}]}`)
    expect(await lease.outcome).toEqual(ACKNOWLEDGED)
    reader.cut()
  })

  test.each([
    ['after the headers', ({ status }: { status: number }) => status !== 0],
    ['after 16 KB', ({ text }: { text: string }) => text.length >= 16 * 1024],
    ['after half of it', ({ text }: { text: string }) => text.length >= WHOLE.length / 2],
    ['with all but the end', ({ text }: { text: string }) => text.length >= WHOLE.length - 2],
  ])('who goes away %s has nothing', async (_when, isEnough) => {
    const lease = new KnownLease()
    const reader = read(offer(lease))
    const { text } = await reader.until(isEnough)
    reader.cut()
    expect(WHOLE.startsWith(text)).toBe(true)
    expect(await lease.outcome).toEqual(RELEASED)
    expect(await reader.ended).toBe(false)
    expect(lease.times).toBe(1)
  })

  test.skipIf(!showsQueues)('who stops reading and then goes away has nothing', async () => {
    const lease = new KnownLease()
    const reader = read(offer(lease))
    await reader.until(({ text }) => text.length >= 1024)
    reader.pause()
    await new Promise(setImmediate)
    expect(lease.told).toEqual([])
    reader.cut()
    expect(await lease.outcome).toEqual(RELEASED)
  })

  test('what cannot be kept is told, and the client has it all the same', async () => {
    const failure = new Error('no disk')
    const lease = new KnownLease(['1'], failure)
    const reader = read(offer(lease))
    expect(await reader.ended).toBe(true)
    expect(await lease.outcome).toEqual({ ...ACKNOWLEDGED, failure })
    reader.cut()
  })
})

test('who goes away before anything was written has nothing', async () => {
  const lease = new KnownLease()
  const reader = readHttp1(place, offer(lease))
  while (server.pendingRequests === 0) await new Promise(setImmediate)
  reader.cut()
  expect(await lease.outcome).toEqual(RELEASED)
})

// They wait for seconds, and for nothing of each other.
describe.skipIf(!showsQueues).each(inLanes([], protocols))('%s', (_, read) => {
  test.concurrent('who takes nothing for too long is cut off, without the end', async () => {
    const lease = new KnownLease()
    const reader = read(offer(lease, 100))
    await reader.until(({ text }) => text.length >= 1024)
    reader.pause()
    expect(await lease.outcome).toEqual(RELEASED)
    reader.resume()
    expect(await reader.ended).toBe(false)
    expect(lease.times).toBe(1)
  })

  test.concurrent('who pauses for longer than an idle connection is left open gets the rest', async () => {
    const lease = new KnownLease()
    const reader = read(offer(lease))
    await reader.until(({ text }) => text.length >= 1024)
    reader.pause()
    const idle = readHttp1(place, '/hello')
    await idle.closed
    expect(lease.told).toEqual([])
    reader.resume()
    expect(await reader.ended).toBe(true)
    expect((await reader.until(() => true)).text).toBe(WHOLE)
    expect(await lease.outcome).toEqual(ACKNOWLEDGED)
    reader.cut()
  })
})

longTest('a connection that has its answer can be idle again', async () => {
  const lease = new KnownLease(['1'])
  const reader = readHttp1(place, offer(lease))
  expect(await reader.ended).toBe(true)
  expect(await lease.outcome).toEqual(ACKNOWLEDGED)
  await reader.closed
})

test('a server that stops has not handed over what was under way', async () => {
  const other = await listen()
  const leases = [new KnownLease(), new KnownLease()] as const
  const [first, second] = leases.map((lease) => offer(lease))
  const there = await placeOf(other)
  const readers = [readHttp1(there, first ?? ''), readHttp2(there, second ?? '', true)]
  for (const reader of readers) {
    await reader.until(({ text }) => text.length >= 1024)
    reader.pause()
  }
  await other.stop(true)
  for (const { outcome } of leases) expect(await outcome).toEqual(RELEASED)
  for (const reader of readers) reader.cut()
})

test('a request that is over already', async () => {
  const lease = new KnownLease()
  const controller = new AbortController()
  controller.abort()
  const request = new Request('https://localhost/', { signal: controller.signal })
  deliver(lease, exchangeOf(request, { limits }), lease.end)
  expect(await lease.outcome).toEqual(RELEASED)
})

test('an answer that nobody takes', async () => {
  const lease = new KnownLease()
  deliver(lease, exchangeOf(new Request('https://localhost/'), { limits }), lease.end, { patienceMs: 1 })
  expect(await lease.outcome).toEqual(RELEASED)
})

test('an answer that is read without a connection', async () => {
  const lease = new KnownLease()
  const reply = deliver(lease, exchangeOf(new Request('https://localhost/'), { limits }), lease.end)
  expect(await reply.text()).toBe(WHOLE)
  expect(await lease.outcome).toEqual(ACKNOWLEDGED)
})

test('many at once, each on its own', async () => {
  const all = Array.from({ length: 40 }, (_, at) => ({ lease: new KnownLease([`"${at}"`]), stays: at % 2 === 0 }))
  await Promise.all(
    all.map(async ({ lease, stays }) => {
      const reader = readHttp1(place, offer(lease))
      await reader.until(({ text }) => text.length >= HEAD.length + 3)
      if (stays) expect(await reader.ended).toBe(true)
      reader.cut()
      expect(await lease.outcome).toEqual(stays ? ACKNOWLEDGED : RELEASED)
    }),
  )
})
