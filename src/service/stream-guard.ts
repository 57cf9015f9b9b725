import type { Caller } from '../auth/credential.ts'
import type { Batch } from '../hub/batch.ts'
import type { EndReason, Sink } from '../hub/subscriber.ts'
import type { Awaitable } from '../tree/awaitable.ts'
import type { Path } from '../tree/path.ts'
import type { ReadRuling } from './judge.ts'

const DENIED: EndReason = { kind: 'cancel', text: 'Permission denied' }
const REVOKED: EndReason = { kind: 'auth_revoked', text: 'credential is no longer valid' }
/** Longest time a timer can be set to, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** What a guard asks of its database. */
export interface Ruling {
  /** Source of the rules in force; another text means other rules. */
  readonly source: () => string | undefined
  /** Number of the last durable commit. */
  readonly seq: () => number
  /** What the rules say now; `undefined` when the caller needs none. */
  readonly judge: (() => Awaitable<ReadRuling>) | undefined
}

/** What a guard tells those who keep it. */
export interface GuardKeeper {
  /** Places of the tree that the permission depends on, in place of those before. */
  watch(places: readonly Path[]): void
  /** It guards nothing any more. */
  released(): void
}

/** The stream that is guarded. */
export interface GuardedStream {
  end(reason: EndReason): void
  /** Tells everything anew. */
  resync(): void
}

/**
 * Stands between the hub and one listener: nothing passes that the listener may not read at that moment.
 * @see docs/protocol.md#streams
 */
export class StreamGuard implements Sink {
  readonly #sink: Sink
  readonly #caller: Caller
  readonly #ruling: Ruling
  readonly #keeper: GuardKeeper
  /** Rules under which reading is allowed until somebody touches what they looked at; `null` when that is not known. */
  #settledBy: string | undefined | null = null
  /** How often what the permission depends on was written to. */
  #touches = 0
  /** As of the last batch that passed. */
  #passedTouches = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #stream: GuardedStream | undefined
  #ended: EndReason | undefined
  #mustResync = false
  #isOver = false

  constructor(sink: Sink, caller: Caller, ruling: Ruling, keeper: GuardKeeper) {
    this.#sink = sink
    this.#caller = caller
    this.#ruling = ruling
    this.#keeper = keeper
  }

  /** Finds out what the permission depends on, so that nothing is written to it unnoticed while the stream is opened. */
  async prepare(): Promise<void> {
    await this.#allows()
  }

  /** The stream is open. */
  attach(stream: GuardedStream): void {
    this.#stream = stream
    if (this.#ended !== undefined) stream.end(this.#ended)
    else {
      this.#awaitExpiry()
      if (this.#mustResync) stream.resync()
    }
  }

  /** What the permission depends on was written to. */
  touched(): void {
    this.#settledBy = null
    this.#touches++
  }

  /** Nobody listens any more. */
  release(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#keeper.released()
  }

  /** The secret has changed: whoever showed a credential must show a new one. */
  revoke(): void {
    if (this.#caller.kind !== 'anybody') this.#stop(REVOKED)
  }

  /** The rules have changed. */
  async recheck(): Promise<void> {
    if (this.#isOver || (await this.#allows())) return
    this.#stop(DENIED)
  }

  write(batch: Batch): Promise<unknown> | undefined {
    if (this.#isSilent) return undefined
    const allowed = this.#allows()
    if (allowed instanceof Promise) return allowed.then((later) => this.#pass(batch, later))
    return this.#pass(batch, allowed)
  }

  keepAlive(): void {
    this.#sink.keepAlive()
  }

  end(reason?: EndReason): void {
    this.release()
    this.#sink.end(reason)
  }

  cut(): void {
    this.#sink.cut()
  }

  /** Whether nothing may pass any more. */
  get #isSilent(): boolean {
    return this.#isOver || this.#ended !== undefined
  }

  #pass(batch: Batch, allowed: boolean): Promise<unknown> | undefined {
    if (this.#isSilent) return undefined
    if (!allowed) {
      this.#stop(DENIED)
      return undefined
    }
    const wasTouched = this.#passedTouches !== this.#touches
    this.#passedTouches = this.#touches
    if (!wasTouched || this.#isOfNow(batch)) return this.#sink.write(batch)
    // Nobody knows whether it was allowed at each of the moments that it tells of.
    this.#resync()
    return undefined
  }

  #isOfNow({ events }: Batch): boolean {
    const now = this.#ruling.seq()
    return events.every(({ seq }) => seq === now)
  }

  #resync(): void {
    if (this.#stream === undefined) this.#mustResync = true
    else this.#stream.resync()
  }

  #allows(): Awaitable<boolean> {
    const { judge } = this.#ruling
    const source = this.#ruling.source()
    if (judge === undefined || this.#settledBy === source) return true
    const touches = this.#touches
    const ruling = judge()
    if (ruling instanceof Promise) return ruling.then((later) => this.#learnLater(later, source, touches))
    return this.#learn(ruling, source)
  }

  /** What was touched while it was judged is judged again. */
  #learnLater(ruling: ReadRuling, source: string | undefined, touches: number): Awaitable<boolean> {
    const allowed = this.#learn(ruling, source)
    if (touches === this.#touches && source === this.#ruling.source()) return allowed
    this.#settledBy = null
    return this.#allows()
  }

  #learn({ verdict, looked }: ReadRuling, source: string | undefined): boolean {
    this.#settledBy = verdict.allowed && verdict.timeless ? source : null
    // It does not matter what the data was before.
    if (verdict.fixed) this.#passedTouches = this.#touches
    if (!this.#isOver) this.#keeper.watch(looked)
    return verdict.allowed
  }

  #stop(reason: EndReason): void {
    if (this.#isOver || this.#ended !== undefined) return
    this.#ended = reason
    this.#stream?.end(reason)
  }

  #awaitExpiry(): void {
    const { expiresAt } = this.#caller
    if (expiresAt === undefined || this.#isOver) return
    const left = expiresAt - Date.now()
    if (left <= 0) {
      this.#stop(REVOKED)
      return
    }
    this.#timer = setTimeout(() => this.#awaitExpiry(), Math.min(left, LONGEST_TIMER_MS))
    this.#timer.unref()
  }
}
