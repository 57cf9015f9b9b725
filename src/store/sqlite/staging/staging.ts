import type { Change } from '../../../tree/change.ts'
import { exceeds } from '../../../tree/json/print.ts'
import type { Write } from '../../../tree/write.ts'
import type { QueuedJob } from '../commit/queued-job.ts'
import type { TreeWriter } from '../tree/tree-writer.ts'
import { PreparedWrites } from './prepared-writes.ts'
import type { StagedValue } from './staged-values.ts'

/** Pauses of the writer within one transaction: about 2,000 rows, or a megabyte of text. */
const STEP_PAUSES = 16
/** Values looked at between two pauses. */
const VALUES_BEFORE_PAUSE = 64

/** Times a job is postponed because what it was to be attached to has changed, the first one among them. */
const MOST_TIMES = 4

/** A job that runs again once its large values are written and its many writes are prepared. */
export interface Postponed {
  readonly queued: QueuedJob
  readonly writes: readonly Write[]
  /** Whether the writes are many. */
  readonly isMany: boolean
  /** Large values of single writes. */
  readonly values: readonly StagedValue[]
}

/** What is done ahead of a commit. */
export interface StagingOptions {
  /** Text from which on a value is written ahead, in UTF-16 code units. */
  readonly stagedLength: number
  /** Writes from which on those of one change are prepared. */
  readonly preparedWrites: number
}

/** The work ahead of one job. */
class Preparation {
  readonly prepared: PreparedWrites | undefined
  readonly steps: Generator<void>
  /** Values that are written, or are going to be. */
  staged: readonly StagedValue[]
  readonly #writer: TreeWriter

  constructor(writer: TreeWriter, { writes, isMany, values }: Postponed) {
    this.#writer = writer
    this.prepared = isMany ? new PreparedWrites(writer, writes) : undefined
    this.staged = values
    this.steps = this.#run()
  }

  *#run(): Generator<void> {
    if (this.prepared !== undefined) {
      yield* this.prepared.prepare()
      this.staged = this.prepared.staged(this.staged)
    }
    for (const value of this.staged) {
      yield* this.#writer.stage(value)
      yield
    }
  }
}

/** The values of a change that are worth being written ahead. @param length least text of one, in UTF-16 code units */
function* largeValues(writes: readonly Write[], length: number): Generator<void, readonly StagedValue[]> {
  const values = new Map<object, StagedValue>()
  let looked = 0
  for (const write of writes) {
    if (write.kind === 'priority' || typeof write.value !== 'object') continue
    if (exceeds(write.value, length)) values.set(write.value, { path: write.path, value: write.value })
    if (++looked % VALUES_BEFORE_PAUSE === 0) yield
  }
  return [...values.values()]
}

/**
 * Writes large values apart from the tree before the jobs that have them, a bounded part in each transaction, so that
 * no other job waits for them. A job whose values are all written runs again and attaches them.
 */
export class Staging {
  readonly #writer: TreeWriter
  readonly #options: StagingOptions
  #waiting: Postponed[] = []
  /** The work on the first that waits. */
  #preparation: Preparation | undefined
  /** What the open transaction works on. */
  #current: Postponed | undefined
  #isCurrentWritten = false
  #ready: QueuedJob[] = []
  #isStopped = false
  #hasFailed = false

  constructor(writer: TreeWriter, options: StagingOptions) {
    this.#writer = writer
    this.#options = options
  }

  /** Whether there is something to write. */
  get isDue(): boolean {
    return this.#waiting.length > 0
  }

  /** The transaction that has postponed the job has committed. */
  add(postponed: Postponed): void {
    this.#waiting.push(postponed)
  }

  /** Does one step inside the open transaction. @returns whether there was anything to do */
  *step(): Generator<void, boolean> {
    const first = this.#waiting[0]
    if (first === undefined) return false
    this.#current = first
    this.#preparation ??= new Preparation(this.#writer, first)
    const { steps } = this.#preparation
    for (let pauses = 0; pauses < STEP_PAUSES; pauses++) {
      if (steps.next().done) {
        this.#isCurrentWritten = true
        break
      }
      yield
    }
    return true
  }

  /** The transaction of the last step has committed. */
  committed(): void {
    const current = this.#current
    const preparation = this.#preparation
    if (preparation !== undefined && this.#isCurrentWritten && current !== undefined && this.#waiting[0] === current) {
      this.#waiting.shift()
      this.#preparation = undefined
      const { staged, prepared } = preparation
      this.#ready.push({ ...current.queued, staged, prepared, postponed: (current.queued.postponed ?? 0) + 1 })
    }
    this.#current = undefined
    this.#isCurrentWritten = false
  }

  /** The transaction was taken back. What it has worked on is left to the sweep, and its job writes its values itself. */
  rolledBack(): void {
    const current = this.#current
    this.#current = undefined
    this.#isCurrentWritten = false
    if (current === undefined) return
    this.#hasFailed = true
    if (this.#waiting[0] !== current) return
    this.#waiting.shift()
    this.#ready.push(this.#unstaged(current))
  }

  /** Whether a transaction was taken back in which a step was done, since this was asked last. */
  takeFailure(): boolean {
    const hasFailed = this.#hasFailed
    this.#hasFailed = false
    return hasFailed
  }

  /** Jobs that are to run again. */
  takeReady(): readonly QueuedJob[] {
    return this.#ready.splice(0)
  }

  /** Postpones no more jobs. @returns those that were postponed and have not run again */
  stop(): readonly QueuedJob[] {
    this.#isStopped = true
    const waiting = this.#waiting.splice(0).map((postponed) => this.#unstaged(postponed))
    return [...this.takeReady(), ...waiting]
  }

  /** A job has run again, or never will. */
  release({ staged }: QueuedJob): void {
    if (staged !== undefined) this.#writer.release(staged)
  }

  #unstaged({ queued }: Postponed): QueuedJob {
    if (this.#preparation !== undefined) this.#writer.release(this.#preparation.staged)
    this.#preparation = undefined
    return { ...queued, staged: [], prepared: undefined, postponed: MOST_TIMES }
  }

  /** How to postpone a job that would write this change; `undefined` when it is to write it now. */
  *postponed(queued: QueuedJob, change: Change | undefined): Generator<void, Postponed | undefined> {
    if (change?.canStoreAhead !== true || this.#isStopped || !this.#isWorthIt(queued, change)) return undefined
    const { writes } = change
    const values = yield* largeValues(writes, this.#options.stagedLength)
    const isMany = writes.length >= this.#options.preparedWrites
    if (values.length === 0 && !isMany) return undefined
    const { job, resolve, reject, postponed } = queued
    return { queued: { job, resolve, reject, postponed: postponed ?? 0 }, writes, isMany, values }
  }

  /** Whether it was not postponed before, or what was done ahead is of no use any more. */
  #isWorthIt({ staged, prepared, postponed = 0 }: QueuedJob, { writes }: Change): boolean {
    if (staged === undefined) return true
    if (postponed >= MOST_TIMES) return false
    if (prepared !== undefined) return !prepared.isOf(writes) || prepared.isOutdated
    const written = new Set<unknown>(writes.map((write) => (write.kind === 'value' ? write.value : undefined)))
    return !staged.every(({ value }) => written.has(value))
  }
}
