import type { Caller } from '../auth/credential.ts'
import type { Batch } from '../hub/batch.ts'
import type { EndReason, Sink } from '../hub/subscriber.ts'
import type { Verdict } from '../rules/authorize.ts'
import type { Awaitable } from '../tree/awaitable.ts'

const DENIED: EndReason = { kind: 'cancel', text: 'Permission denied' }
const REVOKED: EndReason = { kind: 'auth_revoked', text: 'credential is no longer valid' }
/** Longest time a timer can be set to, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** What a guard asks of its database. */
export interface Ruling {
  /** Source of the rules in force; another text means other rules. */
  readonly source: () => string | undefined
  /** What they say now; `undefined` when the caller needs none. */
  readonly judge: (() => Awaitable<Verdict>) | undefined
}

/**
 * Stands between the hub and one listener: nothing passes that the listener may not read at that moment.
 * @see docs/protocol.md#streams
 */
export class StreamGuard implements Sink {
  readonly #sink: Sink
  readonly #caller: Caller
  readonly #ruling: Ruling
  readonly #released: (guard: StreamGuard) => void
  /** Rules under which reading is allowed whatever the data may be. */
  #settledBy: string | undefined | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #end: ((reason: EndReason) => void) | undefined
  #ended: EndReason | undefined
  #isOver = false

  /** @param released hears, once, that it guards nothing any more */
  constructor(sink: Sink, caller: Caller, ruling: Ruling, released: (guard: StreamGuard) => void) {
    this.#sink = sink
    this.#caller = caller
    this.#ruling = ruling
    this.#released = released
  }

  /** The stream is open. @param end ends it with a reason */
  attach(end: (reason: EndReason) => void): void {
    this.#end = end
    if (this.#ended !== undefined) end(this.#ended)
    else this.#awaitExpiry()
  }

  /** Nobody listens any more. */
  release(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#released(this)
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
    if (allowed) return this.#sink.write(batch)
    this.#stop(DENIED)
    return undefined
  }

  #allows(): Awaitable<boolean> {
    const { judge } = this.#ruling
    const source = this.#ruling.source()
    if (judge === undefined || this.#settledBy === source) return true
    const verdict = judge()
    if (verdict instanceof Promise) return verdict.then((later) => this.#learn(later, source))
    return this.#learn(verdict, source)
  }

  #learn({ allowed, fixed }: Verdict, source: string | undefined): boolean {
    this.#settledBy = allowed && fixed ? source : null
    return allowed
  }

  #stop(reason: EndReason): void {
    if (this.#isOver || this.#ended !== undefined) return
    this.#ended = reason
    this.#end?.(reason)
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
