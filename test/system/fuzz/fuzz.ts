import fc from 'fast-check'
import { EventSource } from '../../support/event-source.ts'
import type { FuzzAnswer, FuzzRequest, Silence } from './exchange.ts'
import { Http1Wire } from './http1-wire.ts'
import { Http2Wire } from './http2-wire.ts'
import { anyLaneWrite, Lane, type LaneWrite } from './lane.ts'
import { answerProblems, leakProblems } from './oracle.ts'
import { anyRawBytes, type RawBytes } from './raw-bytes.ts'
import { anyRequest } from './requests.ts'
import { type FuzzService, logProblems, MODEL } from './service.ts'

/** One thing done to the server. */
type Act =
  | { readonly kind: 'request'; readonly request: FuzzRequest; readonly http2: boolean }
  | { readonly kind: 'raw'; readonly raw: RawBytes }
  | { readonly kind: 'write'; readonly write: LaneWrite }
  /** A stream opened, read a little and cut off; often one that is refused. */
  | { readonly kind: 'stream'; readonly request: FuzzRequest; readonly http2: boolean; readonly events: number }

export interface FuzzOptions {
  readonly seed: number
  /** Least number of requests. */
  readonly requests: number
  readonly onProgress?: (requests: number) => void
}

export interface FuzzResult {
  readonly requests: number
  /** Answers by status; `closed` where the connection was. */
  readonly statuses: ReadonlyMap<string, number>
}

const BURST = 60
/** Of requests that go on at the same time. */
const WIDTH = 16
const KEEP_SMALL = 2_000_000
const STREAM_PATIENCE_MS = 200
const SETTLE_MS = 20_000
/** Others may be unknown to the layer below us. */
const METHODS = new Set(['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS'])
/** A head that is longer may be cut off below us. */
const LONG_HEAD = 7500

/**
 * Throws bursts of everything at a server and judges every answer.
 * @throws Error with the seed and all that was wrong in a burst
 */
export async function fuzz(service: FuzzService, { seed, requests, onProgress }: FuzzOptions): Promise<FuzzResult> {
  const run = new Run(service)
  await run.begin()
  const good = anyRequest((name) => service.keys(name))
  const burst: fc.Arbitrary<Act[]> = fc.array(
    fc.oneof(
      {
        weight: 30,
        arbitrary: fc.record({ kind: fc.constant('request' as const), request: good, http2: fc.boolean() }),
      },
      { weight: 5, arbitrary: fc.record({ kind: fc.constant('raw' as const), raw: anyRawBytes(good) }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), write: anyLaneWrite }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('stream' as const),
          request: good,
          http2: fc.boolean(),
          events: fc.nat({ max: 2 }),
        }),
      },
    ),
    { minLength: BURST, maxLength: BURST, size: 'max' },
  )
  const property = fc.asyncProperty(burst, async (acts) => {
    const problems = await run.burst(acts)
    onProgress?.(run.requests)
    if (problems.length > 0) throw new Error(problems.join('\n'))
  })
  const numRuns = Math.ceil(requests / BURST)
  const told = await fc.check(property, { seed, numRuns, endOnFailure: true })
  if (told.failed) throw new Error(`seed ${seed}, burst ${told.numRuns} of ${numRuns}:\n${String(told.errorInstance)}`)
  const problems = await run.end()
  if (problems.length > 0) throw new Error(`seed ${seed}: at the end:\n${problems.join('\n')}`)
  return { requests: run.requests, statuses: run.statuses }
}

/** A server that is being fuzzed, and the connections to it. */
class Run {
  requests = 0
  readonly statuses = new Map<string, number>()
  readonly #service: FuzzService
  readonly #lane = new Lane()
  readonly #idle: Http1Wire[] = []
  #http2: Http2Wire
  #followers: readonly (readonly [target: string, source: EventSource])[] = []

  constructor(service: FuzzService) {
    this.#service = service
    this.#http2 = new Http2Wire(service.listening)
  }

  /** Opens the streams that are to hold at the end what a GET answers. */
  async begin(): Promise<void> {
    const targets = [`/.json?ns=${MODEL}&format=export`, `/a.json?ns=${MODEL}`, '/.json', '/a.json?format=export']
    this.#followers = await Promise.all(
      targets.map(async (target, at) => {
        const source = await EventSource.open(this.#service.listening, target, { http2: at % 2 === 1 })
        void read(source)
        return [target, source] as const
      }),
    )
  }

  /** @returns all that was wrong */
  async burst(acts: readonly Act[]): Promise<string[]> {
    const problems: string[] = []
    const queue = acts.filter(({ kind }) => kind !== 'write')
    const writes = acts.filter((act): act is Act & { kind: 'write' } => act.kind === 'write')
    const work = async () => {
      for (let act = queue.shift(); act !== undefined; act = queue.shift()) problems.push(...(await this.#do(act)))
    }
    const write = async () => {
      for (const one of writes) {
        this.requests++
        problems.push(...(await this.#lane.write(one.write, (request, http2) => this.#good(request, http2))))
      }
    }
    await Promise.all([...Array.from({ length: WIDTH }, work), write()])
    problems.push(...(await this.#after()))
    return problems
  }

  /** @returns what is wrong with what the server holds and leaves */
  async end(): Promise<string[]> {
    const problems: string[] = []
    for (const [target, source] of this.#followers) {
      const wanted: unknown = JSON.parse(await this.#text(target))
      const late = performance.now() + SETTLE_MS
      const held = () => (target.includes('export') ? source.cache.export : source.cache.plain)
      while (!Bun.deepEquals(held(), wanted) && performance.now() < late) await Bun.sleep(20)
      if (!Bun.deepEquals(held(), wanted)) problems.push(`the stream of ${target} holds something else than GET`)
      await source.close()
    }
    for (const wire of this.#idle) wire.close()
    this.#http2.close()
    return [...problems, ...(await this.#service.finish())]
  }

  async #do(act: Act): Promise<string[]> {
    switch (act.kind) {
      case 'request':
        return this.#request(act.request, act.http2)
      case 'raw':
        return this.#raw(act.raw)
      case 'stream':
        return this.#stream(act)
      case 'write':
        return []
      default:
        return act satisfies never
    }
  }

  async #request(request: FuzzRequest, http2: boolean): Promise<string[]> {
    this.requests++
    // What would be a stream does not end by itself.
    if (wantsStream(request)) return this.#stream({ request, http2, events: 0 })
    const answer = await (http2 ? this.#overHttp2(request) : this.#overHttp1(request)).catch((error) => String(error))
    this.#count(typeof answer === 'string' ? answer : String(answer.status))
    if (answer === 'unsent') return []
    if (typeof answer !== 'string')
      return this.#told(request, http2, answerProblems(request, answer, this.#service.secrets))
    if (answer === 'closed' && isCutOffBelow(request)) return []
    return this.#told(request, http2, [`no answer: ${answer}`])
  }

  #told(request: FuzzRequest, http2: boolean, problems: readonly string[]): string[] {
    const { method, target, headers, body } = request
    const shown = `${method} ${target.slice(0, 300)} ${JSON.stringify(headers).slice(0, 300)}`
    const sent = body === undefined ? '' : ` ${JSON.stringify(Buffer.from(body).toString('latin1')).slice(0, 200)}`
    return problems.map((problem) => `${problem}\n  ${http2 ? 'HTTP/2' : 'HTTP/1.1'} ${shown}${sent}`)
  }

  async #raw({ pieces, ending }: RawBytes): Promise<string[]> {
    this.requests++
    const shown = JSON.stringify(Buffer.concat(pieces).toString('latin1')).slice(0, 400)
    const wire = await Http1Wire.open(this.#service.listening)
    const answers = await wire.throwAt(pieces, ending).catch((error) => [String(error)])
    wire.close()
    if (answers === 'hang') return [`the connection stays open, ending ${ending}\n  ${shown}`]
    return answers.flatMap((answer) => {
      if (typeof answer === 'string') return [`${answer}\n  ${shown}`]
      this.#count(`raw ${answer.status}`)
      const text = answer.body.toString('utf8')
      const leaks = leakProblems(text, answer.status >= 400 ? text : '', this.#service.secrets)
      const failed = answer.status === 500 || answer.status === 502 ? [`status ${answer.status}: ${text}`] : []
      return [...leaks, ...failed].map((problem) => `${problem}\n  ${shown}`)
    })
  }

  async #stream({ request, http2, events }: Omit<Act & { kind: 'stream' }, 'kind'>): Promise<string[]> {
    this.requests++
    const headers = Object.fromEntries(
      request.headers.filter(([name, value]) => name !== 'Host' && !/[^\t -~]/.test(value)),
    )
    const opening = EventSource.open(this.#service.listening, request.target, { headers, http2 })
    const source = await opening.catch((error) => String(error))
    if (typeof source === 'string') {
      this.#count('no stream')
      return isCutOffBelow(request) ? [] : this.#told(request, http2, [source])
    }
    this.#count(`stream ${source.status}`)
    const isStream = source.headers.get('content-type')?.startsWith('text/event-stream') === true
    const timer = isStream ? setTimeout(() => void source.close(), STREAM_PATIENCE_MS) : undefined
    if (isStream) {
      for (let event = 0; event < events; event++) if ((await source.nextMessage()) === undefined) break
    }
    const text = isStream ? source.raw : await source.text()
    clearTimeout(timer)
    await source.close()
    const answer: FuzzAnswer = { status: source.status, headers: source.headers, body: Buffer.from(text) }
    const asked = { ...request, method: 'GET' }
    return this.#told(asked, http2, answerProblems(asked, answer, this.#service.secrets))
  }

  /** The server still answers over both protocols, holds what was acknowledged, and nothing went wrong inside. */
  async #after(): Promise<string[]> {
    const problems = logProblems(this.#service.server.output())
    for (const http2 of [false, true]) {
      const answer = await this.#good(
        { method: 'GET', target: '/alive.json?shallow=true', headers: [], body: undefined },
        http2,
      )
      if (typeof answer === 'string' || answer.status !== 200) problems.push('the server does not answer any more')
    }
    const text = await this.#text(`/.json?ns=${MODEL}&format=export`)
    if (text !== this.#lane.text)
      problems.push(`GET differs from what was acknowledged:\n  ${text}\n  ${this.#lane.text}`)
    const kept = await this.#text('/.json')
    if (kept.length + text.length > KEEP_SMALL) {
      await this.#good({ method: 'DELETE', target: '/.json', headers: [], body: undefined }, false)
    }
    return problems
  }

  async #text(target: string): Promise<string> {
    const answer = await this.#good({ method: 'GET', target, headers: [], body: undefined }, false)
    return typeof answer === 'string' ? answer : answer.body.toString('utf8')
  }

  /** A request with nothing wrong about it. */
  async #good(request: FuzzRequest, http2: boolean): Promise<FuzzAnswer | Silence> {
    const answer = await (http2 ? this.#overHttp2(request) : this.#overHttp1(request))
    return answer === 'unsent' ? 'closed' : answer
  }

  async #overHttp1(request: FuzzRequest): Promise<FuzzAnswer | Silence> {
    const kept = this.#idle.pop()
    if (kept?.isOpen === true) {
      const answer = await this.#askAndKeep(kept, request)
      // The server may have closed it in that moment: then a new one is answered.
      if (answer !== 'closed') return answer
    }
    return this.#askAndKeep(await Http1Wire.open(this.#service.listening), request)
  }

  async #askAndKeep(wire: Http1Wire, request: FuzzRequest): Promise<FuzzAnswer | Silence> {
    try {
      const answer = await wire.ask(request)
      if (typeof answer !== 'string' && wire.isOpen && wire.isClean) this.#idle.push(wire)
      else wire.close()
      return answer
    } catch (error) {
      wire.close()
      throw error
    }
  }

  async #overHttp2(request: FuzzRequest): Promise<FuzzAnswer | Silence | 'unsent'> {
    if (!this.#http2.isOpen) this.#http2 = new Http2Wire(this.#service.listening)
    const answer = await this.#http2.ask(request)
    if (answer !== 'closed' || this.#http2.isOpen) return answer
    // Another request may have ended the connection for all on it.
    this.#http2 = new Http2Wire(this.#service.listening)
    return this.#http2.ask(request)
  }

  #count(status: string): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
  }
}

function wantsStream({ method, headers }: FuzzRequest): boolean {
  return method === 'GET' && headers.some(([name, value]) => name === 'Accept' && /event-stream/.test(value))
}

/** Requests that the layer below us may cut off without a word: a head beyond its bounds, or none of HTTP. */
function isCutOffBelow({ method, target, headers }: FuzzRequest): boolean {
  if (!METHODS.has(method)) return true
  const head = target.length + headers.reduce((length, [name, value]) => length + name.length + value.length, 0)
  return head > LONG_HEAD
}

async function read(source: EventSource): Promise<void> {
  while ((await source.nextMessage()) !== undefined);
}
