import { type Caller, hasCredential } from '../../auth/caller.ts'
import type { EventBatch } from '../../hub/event-batch.ts'
import { BEGIN_ANEW, DENIED, type EndReason, type Sink } from '../../hub/sink.ts'
import type { Decision } from '../../rules/decision/decision.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { SharedTurns } from '../../scheduling/shared-turns.ts'
import type { Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import type { Access } from '../access/access.ts'
import { Denial } from '../access/denial.ts'
import type { GuardedCaller, GuardedTree } from './guarded.ts'

const REVOKED: EndReason = { kind: 'auth_revoked', text: 'credential is no longer valid' }
/** Longest timeout of a timer, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Ends streams, of all trees: the tokens of thousands may expire in the same second. */
const endings = new SharedTurns()

/** Owner of the guards of a tree. */
export interface GuardKeeper {
  /** Watches these paths of the tree in place of the previous ones: the permission depends on them. */
  watch(guard: StreamGuard, paths: readonly Path[]): void
  /** A guard has ended. */
  released(guard: StreamGuard): void
}

/** The guarded stream. */
export interface GuardedStream {
  end(reason: EndReason): void
  /** What is being read for the former caller must be read again. */
  callerChanged(): void
}

/** State of the tree at the start of an evaluation. */
interface Observation {
  readonly rules: string | undefined
  readonly invalidations: number
  readonly paths: readonly Path[]
  readonly seq: number
}

/**
 * Stands between the hub and one listener, and passes on only what the listener may read at that moment.
 *
 * A batch may hold several commits, so permission at the end of the batch is not enough. A batch passes if nothing that
 * the permission depends on was written since the last batch, or if it holds only the last commit. A first snapshot is
 * authorised on the very commit it is read from. Any other batch is refused, and the stream begins anew.
 * @see docs/reference/protocol.md#streams
 */
export class StreamGuard implements Sink {
  readonly reserve: Sink['reserve']
  readonly bound: Sink['bound']
  readonly #sink: Sink
  #caller: Caller
  #decide: GuardedCaller['decide']
  readonly #tree: GuardedTree
  readonly #keeper: GuardKeeper
  /** The latest decision. Only its paths are watched. */
  #decision: Decision | undefined
  /** Whether it allows reading until the rules, or something in the tree that it depends on, change. Asked for each batch. */
  #isLasting = false
  /** Source of the rules that were observed last; `null` before. */
  #rules: string | undefined | null = null
  /** Number of writes to what the permission depends on, replaced rules included. */
  #invalidations = 0
  /** The same as of the last delivered commit; `undefined` when a write since may have been missed. */
  #deliveredInvalidations: number | undefined = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #stream: GuardedStream | undefined
  #ended: EndReason | undefined
  #isOver = false

  constructor(sink: Sink, { caller, decide }: GuardedCaller, tree: GuardedTree, keeper: GuardKeeper) {
    this.reserve = sink.reserve
    this.bound = sink.bound
    this.#sink = sink
    this.#caller = caller
    this.#decide = decide
    this.#tree = tree
    this.#keeper = keeper
  }

  /**
   * Makes the decision that the stream opens with, and watches its paths from then on.
   * @throws `permission-denied`
   */
  async prepare(onTrace: Access['onTrace']): Promise<void> {
    const isAllowed = await this.#isAllowed()
    if (this.#decision !== undefined) onTrace?.(this.#decision.trace)
    if (!isAllowed) throw new Denial(this.#decision?.deniedBy)
  }

  /**
   * Authorises a first snapshot on the commit it is read from, unless the decision is still valid: see `AuthorizeRead`.
   * @throws `permission-denied`
   */
  authorize(): Reads<unknown> | undefined {
    const observed = this.#observe()
    this.#deliveredInvalidations = observed.invalidations
    const decide = this.#decide
    return decide === undefined || this.#isDecided() ? undefined : this.#decideSnapshot(decide, observed)
  }

  /**
   * Gathers missed changes under one decision.
   * @param gather is given that decision; `undefined` when no rule applies to the caller
   * @returns `undefined` when reading is denied, or something that the permission depends on was written meanwhile
   */
  async replay<T>(gather: (decision: Decision | undefined) => Promise<T>): Promise<T | undefined> {
    const { invalidations } = this.#observe()
    if (!(await this.#isAllowed())) return undefined
    const result = await gather(this.#decision)
    if (this.#observe().invalidations !== invalidations) return undefined
    this.#deliveredInvalidations = invalidations
    return result
  }

  /** The stream is open. */
  attach(stream: GuardedStream): void {
    this.#stream = stream
    if (this.#ended !== undefined) stream.end(this.#ended)
    else this.#awaitExpiry()
  }

  /** Something that the permission depends on was written. */
  invalidate(): void {
    this.#isLasting = false
    this.#invalidations++
  }

  /** The listener has gone. */
  release(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#keeper.released(this)
  }

  /**
   * Decides for another caller from now on. Nothing that only the former one may read is passed on.
   * @returns resolves when the stream was ended if the new caller may not read it
   */
  changeCaller({ caller, decide }: GuardedCaller): Promise<void> {
    this.#caller = caller
    this.#decide = decide
    this.#decision = undefined
    if (!this.#isOver) this.#keeper.watch(this, [])
    this.invalidate()
    clearTimeout(this.#timer)
    this.#stream?.callerChanged()
    if (this.#stream !== undefined) this.#awaitExpiry()
    return this.recheck()
  }

  /** Silences the stream of a caller with a credential, and ends it soon: the secret was replaced. */
  revoke(): void {
    if (hasCredential(this.#caller)) this.#stopSoon(REVOKED)
  }

  /** Ends the stream if the new rules do not allow it. */
  async recheck(): Promise<void> {
    if (this.#isOver || (await this.#isAllowed())) return
    this.#stop(DENIED)
  }

  write(batch: EventBatch): ReturnType<Sink['write']> {
    // A process that falls silent ends its streams.
    if (this.#isSilent || this.#tree.isSilent()) return undefined
    const allowed = this.#isAllowed()
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

  abort(): void {
    this.#sink.abort()
  }

  /** Whether nothing passes any more. */
  get #isSilent(): boolean {
    return this.#isOver || this.#ended !== undefined
  }

  #pass(batch: EventBatch, allowed: boolean): ReturnType<Sink['write']> {
    if (this.#isSilent) return undefined
    if (!allowed) {
      this.#stop(DENIED)
      return undefined
    }
    // Writes since the snapshot was read are compared with the next batch.
    if (batch.isBeginning) return this.#sink.write(batch)
    if (this.#deliveredInvalidations !== this.#invalidations && !this.#isLastCommit(batch)) return BEGIN_ANEW
    this.#deliveredInvalidations = this.#invalidations
    return this.#sink.write(batch)
  }

  #isLastCommit({ events }: EventBatch): boolean {
    const last = this.#tree.seq()
    return events.every(({ seq }) => seq === last)
  }

  /** Observes the tree. Other rules count as an invalidation. */
  #observe(): Observation {
    const rules = this.#tree.rules()
    if (this.#rules !== rules) {
      if (this.#rules !== null) this.invalidate()
      this.#rules = rules
    }
    const paths = this.#decision?.dependsOn.paths ?? []
    return { rules, invalidations: this.#invalidations, paths, seq: this.#tree.seq() }
  }

  /** Whether the latest decision allows reading and is still valid. */
  #isDecided(): boolean {
    return this.#isLasting && this.#rules === this.#tree.rules()
  }

  /** Whether the listener may read now. Decides anew unless the latest decision is still valid. */
  #isAllowed(): Awaitable<boolean> {
    const decide = this.#decide
    if (decide === undefined || this.#isDecided()) return true
    const observed = this.#observe()
    const decision = this.#tree.run(decide)
    if (decision instanceof Promise) return decision.then((later) => this.#acceptLater(later, observed))
    this.#accept(decision, observed)
    return decision.allowed
  }

  /** Decides once more when something may have been written during the evaluation. */
  #acceptLater(decision: Decision, observed: Observation): Awaitable<boolean> {
    return this.#accept(decision, observed) ? decision.allowed : this.#isAllowed()
  }

  *#decideSnapshot(decide: () => Reads<Decision>, observed: Observation): Reads<void> {
    const decision = yield* decide()
    if (!this.#accept(decision, observed)) this.#deliveredInvalidations = undefined
    if (!decision.allowed) throw new Denial(decision.deniedBy)
  }

  /** @returns whether the decision is current: nothing it depends on was written since its evaluation began */
  #accept(decision: Decision, observed: Observation): boolean {
    const { paths } = decision.dependsOn
    this.#decision = decision
    if (!this.#isOver) this.#keeper.watch(this, paths)
    const { invalidations, rules, seq } = this.#observe()
    // Commits meanwhile are noticed only at paths that were watched all the time.
    const wasWatched = observed.seq === seq || Bun.deepEquals(observed.paths, paths)
    const isCurrent = wasWatched && observed.invalidations === invalidations && observed.rules === rules
    this.#isLasting = isCurrent && decision.allowed && !decision.dependsOn.time
    return isCurrent
  }

  #stop(reason: EndReason): void {
    if (this.#isOver || this.#ended !== undefined) return
    this.#ended = reason
    this.#stream?.end(reason)
  }

  /** As `#stop`, but others that end in the same turn of the event loop may take their turns before. */
  #stopSoon(reason: EndReason): void {
    if (this.#isOver || this.#ended !== undefined) return
    this.#ended = reason
    endings.add(async () => this.#stream?.end(reason))
  }

  #awaitExpiry(): void {
    const { expiresAt } = this.#caller
    if (expiresAt === undefined || this.#isOver) return
    const left = expiresAt - Date.now()
    if (left <= 0) {
      this.#stopSoon(REVOKED)
      return
    }
    this.#timer = setTimeout(() => this.#awaitExpiry(), Math.min(left, LONGEST_TIMER_MS))
    this.#timer.unref()
  }
}
