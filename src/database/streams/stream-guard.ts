import type { Caller } from '../../auth/caller.ts'
import { DholeError } from '../../error.ts'
import type { Batch } from '../../hub/event-batch.ts'
import { BEGIN_ANEW, DENIED, type EndReason, type Sink } from '../../hub/subscriber.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { covers, type Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import type { ReadRuling } from '../access/authorizer.ts'

const REVOKED: EndReason = { kind: 'auth_revoked', text: 'credential is no longer valid' }
/** Longest time a timer can be set to, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** What a guard asks of its database. */
export interface Ruling {
  /** Source of the rules in force; another text means other rules. */
  readonly source: () => string | undefined
  /** Number of the last durable commit. */
  readonly seq: () => number
  /** Finds out what the rules say; `undefined` when the caller needs none. */
  readonly decide: (() => Reads<ReadRuling>) | undefined
  /** Runs that on the last durable commit. */
  readonly run: <T>(logic: () => Reads<T>) => Awaitable<T>
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
}

/** What was known when a judgement began. */
interface Known {
  readonly source: string | undefined
  readonly touches: number
  readonly places: readonly Path[]
  readonly seq: number
}

/**
 * Stands between the hub and one listener: nothing passes that the listener may not read at that moment.
 *
 * A batch may tell of several commits, so it is not enough that reading is allowed now. It passes if nothing was
 * touched since the last one that passed, or if it tells of nothing but the last commit. A beginning was judged on the
 * very commit that it tells of. Everything else is refused, and the stream begins anew.
 * @see docs/reference/protocol.md#streams
 */
export class StreamGuard implements Sink {
  readonly hold: Sink['hold']
  readonly #sink: Sink
  readonly #caller: Caller
  readonly #ruling: Ruling
  readonly #keeper: GuardKeeper
  /** Rules under which reading is allowed until somebody touches what they looked at; `null` when that is not known. */
  #settledBy: string | undefined | null = null
  /** Places that the last verdict has looked at: only these are watched. */
  #places: readonly Path[] = []
  /** Source of the rules that were asked last; `null` before. */
  #askedSource: string | undefined | null = null
  /** How often what the permission depends on was written to, the rules included. */
  #touches = 0
  /** As of the last commit told of; `undefined` when something may have been touched unnoticed since. */
  #toldTouches: number | undefined = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #stream: GuardedStream | undefined
  #ended: EndReason | undefined
  #isOver = false

  constructor(sink: Sink, caller: Caller, ruling: Ruling, keeper: GuardKeeper) {
    this.hold = sink.hold
    this.#sink = sink
    this.#caller = caller
    this.#ruling = ruling
    this.#keeper = keeper
  }

  /** Finds out what the permission depends on, so that nothing is written to it unnoticed while the stream is opened. */
  async prepare(): Promise<void> {
    await this.#allows()
  }

  /**
   * Judges on the commit that a beginning is read of: see `Judging`.
   * @throws `permission-denied`
   */
  authorize(): Reads<unknown> | undefined {
    const known = this.#know()
    this.#toldTouches = known.touches
    const { decide } = this.#ruling
    return decide === undefined || this.#settledBy === known.source ? undefined : this.#decideBeginning(decide, known)
  }

  /**
   * Finds out whether permission depends on the same as before all the while.
   * @returns `undefined` when something that it depends on was touched meanwhile
   */
  async untouchedDuring<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { touches } = this.#know()
    const result = await work()
    if (this.#know().touches !== touches) return undefined
    this.#toldTouches = touches
    return result
  }

  /** The stream is open. */
  attach(stream: GuardedStream): void {
    this.#stream = stream
    if (this.#ended !== undefined) stream.end(this.#ended)
    else this.#awaitExpiry()
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

  write(batch: Batch): ReturnType<Sink['write']> {
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

  #pass(batch: Batch, allowed: boolean): ReturnType<Sink['write']> {
    if (this.#isSilent) return undefined
    if (!allowed) {
      this.#stop(DENIED)
      return undefined
    }
    // What was touched since it was read is left for the next batch.
    if (batch.isBeginning) return this.#sink.write(batch)
    if (this.#toldTouches !== this.#touches && !this.#isOfNow(batch)) return BEGIN_ANEW
    this.#toldTouches = this.#touches
    return this.#sink.write(batch)
  }

  #isOfNow({ events }: Batch): boolean {
    const now = this.#ruling.seq()
    return events.every(({ seq }) => seq === now)
  }

  /** What is known now. Other rules count as a touch. */
  #know(): Known {
    const source = this.#ruling.source()
    if (this.#askedSource !== source) {
      if (this.#askedSource !== null) this.#touches++
      this.#askedSource = source
    }
    return { source, touches: this.#touches, places: this.#places, seq: this.#ruling.seq() }
  }

  #allows(): Awaitable<boolean> {
    const { decide, run } = this.#ruling
    if (decide === undefined || this.#settledBy === this.#ruling.source()) return true
    const known = this.#know()
    const ruling = run(decide)
    if (ruling instanceof Promise) return ruling.then((later) => this.#learnLater(later, known))
    this.#learn(ruling, known)
    return ruling.verdict.allowed
  }

  /** What may have been touched while it was judged is judged again. */
  #learnLater(ruling: ReadRuling, known: Known): Awaitable<boolean> {
    return this.#learn(ruling, known) ? ruling.verdict.allowed : this.#allows()
  }

  *#decideBeginning(decide: () => Reads<ReadRuling>, known: Known): Reads<void> {
    const ruling = yield* decide()
    if (!this.#learn(ruling, known)) this.#toldTouches = undefined
    if (!ruling.verdict.allowed) throw new DholeError('permission-denied')
  }

  /** @returns whether it is still so: nothing it depends on was touched since the judgement began */
  #learn({ verdict, looked }: ReadRuling, known: Known): boolean {
    if (!this.#isOver) {
      this.#places = looked
      this.#keeper.watch(looked)
    }
    const { touches, source } = this.#know()
    // Commits meanwhile are noticed only at the places that were watched all the while.
    const wasWatched = known.seq === this.#ruling.seq() || areSame(known.places, looked)
    const isCurrent = wasWatched && known.touches === touches && known.source === source
    this.#settledBy = isCurrent && verdict.allowed && verdict.timeless ? source : null
    return isCurrent
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

function areSame(left: readonly Path[], right: readonly Path[]): boolean {
  return left.length === right.length && left.every((path, index) => isSame(path, right[index]))
}

function isSame(left: Path, right: Path | undefined): boolean {
  return right !== undefined && left.length === right.length && covers(left, right)
}
