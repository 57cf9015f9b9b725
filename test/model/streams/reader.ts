import { expect } from 'bun:test'
import type { WatchedChange } from '../../../src/database/read-types.ts'
import type { Position } from '../../../src/embedded.ts'
import { StreamCache } from '../../support/stream-cache.ts'
import type { StreamSpec } from './plan.ts'
import type { Service } from './service.ts'

/** How long a cache may take to become what GET answers, in milliseconds. */
const PATIENCE_MS = 30_000

/** Somebody who listens to a node and keeps a cache. */
export class Reader {
  readonly spec: StreamSpec
  /** Number of events since it was opened. */
  events = 0
  /** Of the last event, also of an earlier stream. */
  position: Position | undefined
  #cache = new StreamCache()
  #abort = new AbortController()
  #gate: PromiseWithResolvers<void> | undefined
  #done: Promise<void> = Promise.resolve()
  /** Whether it goes on where another stream has ended. */
  resumes = false

  constructor(spec: StreamSpec) {
    this.spec = spec
  }

  get isPaused(): boolean {
    return this.#gate !== undefined
  }

  /** Begins to read. @param resume from the last position, keeping the cache */
  open(service: Service, resume: boolean): void {
    const from = resume ? this.position : undefined
    this.resumes = from !== undefined
    if (!this.resumes) {
      this.#cache = new StreamCache()
      this.position = undefined
    }
    this.events = 0
    this.#abort = new AbortController()
    this.#done = this.#read(service.watch(this.spec, from, this.#abort.signal))
    // Looked at when it is closed.
    this.#done.catch(() => {})
  }

  /** Stops taking events until `goOn`. */
  pause(): void {
    this.#gate ??= Promise.withResolvers()
  }

  goOn(): void {
    this.#gate?.resolve()
    this.#gate = undefined
  }

  /** Ends the stream. @throws what went wrong while it was read */
  close(): Promise<void> {
    this.#abort.abort()
    this.goOn()
    return this.#done
  }

  /** Settles when the service has ended the stream, or refused it because it is ending. */
  async ended(): Promise<void> {
    this.goOn()
    try {
      await this.#done
    } catch (error) {
      if (this.events > 0) throw error
    }
  }

  /** Waits until the cache is what GET answers now. */
  async expectCurrent(service: Service): Promise<void> {
    const wanted = await this.#wanted(service)
    const deadline = performance.now() + PATIENCE_MS
    while (!this.#hasAll(wanted) && performance.now() < deadline) await new Promise(setImmediate)
    expect(this.#text(), this.#name).toBe(wanted)
    if (!this.resumes) expect(this.events, this.#name).toBeGreaterThan(0)
  }

  get #name(): string {
    return `${JSON.stringify(this.spec).slice(0, 500)} after ${this.events} events`
  }

  #hasAll(wanted: string): boolean {
    return this.#text() === wanted && (this.resumes || this.events > 0)
  }

  /** Of a query, without its order: that is the client's affair. */
  #text(): string {
    const { form, query } = this.spec
    return form === 'plain' && query === undefined ? this.#cache.plainText : this.#cache.exportText
  }

  async #wanted(service: Service): Promise<string> {
    const text = await service.get(this.spec)
    return this.spec.query === undefined ? text : inKeyOrder(text)
  }

  async #read(events: AsyncIterable<WatchedChange>): Promise<void> {
    for await (const event of events) {
      if (this.events === 0 && !this.resumes) {
        expect(`${event.kind} ${event.path}`, `first event of ${this.#name}`).toBe('put /')
      }
      this.#expectLater(event)
      this.#cache.apply(event)
      this.position = event.position
      this.events++
      await this.#gate?.promise
    }
  }

  /** One commit is one event; only a query may have to say more than once what stands after a commit. */
  #expectLater({ position }: WatchedChange): void {
    if (this.position === undefined) return
    const first = this.position.seq + (this.spec.query === undefined && (this.events > 0 || !this.resumes) ? 1 : 0)
    expect(position.seq, `position of ${this.#name}`).toBeGreaterThanOrEqual(first)
  }
}

/** A text as `format=export` prints it, with the children of every node in key order. */
function inKeyOrder(text: string): string {
  const cache = new StreamCache()
  cache.apply({ kind: 'put', path: '/', data: JSON.parse(text) })
  return cache.exportText
}
