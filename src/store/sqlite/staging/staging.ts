import type { Change } from '../../../tree/change.ts'
import { exceeds } from '../../../tree/json/print.ts'
import { leafOf } from '../../../tree/value.ts'
import type { Write } from '../../../tree/write.ts'
import { longString } from '../../rows/chunked-text.ts'
import type { TransactionParticipant } from '../commit/participant.ts'
import type { Queued, QueuedJob } from '../commit/queued-job.ts'
import { longestString, type RowLengths } from '../tree/branch-writer.ts'
import type { TreeWriter } from '../tree/tree-writer.ts'
import { PreparedWrites } from './prepared-writes.ts'
import { isLarge, type LargeValue, type StagedValue } from './staged-values.ts'

/** Pauses of the writer in one step: about 2,000 rows, or a megabyte of text. */
const STEP_PAUSES = 16
/** Values examined between two pauses. */
const VALUES_BEFORE_PAUSE = 64

/** Maximum times a job is postponed. After the first time, the place of its values has changed meanwhile. */
const MAX_TIMES = 4

/** A job that runs again once its large values are written and its many writes are prepared. */
export interface PostponedJob {
  readonly queued: QueuedJob
  readonly writes: readonly Write[]
  /** Whether the writes are many. */
  readonly isMany: boolean
  /** Large values of single writes. */
  readonly values: readonly StagedValue[]
}

/** Thresholds of the work ahead of a commit. */
export interface StagingOptions extends Pick<RowLengths, 'chunkLength'> {
  /** Minimum text of a value that is written ahead, in UTF-16 code units. */
  readonly stagedLength: number
  /** Minimum number of writes of one change that are prepared. */
  readonly preparedWrites: number
}

/** The work ahead of the commit of one job. */
class Preparation {
  readonly prepared: PreparedWrites | undefined
  readonly steps: Generator<void>
  /** Values that are written, or will be. */
  staged: readonly StagedValue[]
  readonly #writer: TreeWriter

  constructor(writer: TreeWriter, { writes, isMany, values }: PostponedJob) {
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

/**
 * The values of a change that are written ahead.
 * @param length minimum text of an object, in UTF-16 code units
 * @param stringLength maximum length of a string that is not, in the same unit
 */
function* largeValues(
  writes: readonly Write[],
  length: number,
  stringLength: number,
): Generator<void, readonly StagedValue[]> {
  const values = new Map<LargeValue, StagedValue>()
  let examined = 0
  for (const write of writes) {
    if (write.kind === 'priority' || write.value === undefined || !isLarge(write.value)) continue
    const { path, value } = write
    const isStaged =
      leafOf(value) === undefined ? exceeds(value, length) : longString(value, stringLength) !== undefined
    if (isStaged) values.set(value, { path, value })
    if (++examined % VALUES_BEFORE_PAUSE === 0) yield
  }
  return [...values.values()]
}

/**
 * Writes large values apart from the tree before their jobs, a bounded part in each transaction, so that no other job
 * waits for them. A job whose values are all written runs again and attaches them.
 */
export class Staging implements TransactionParticipant {
  readonly #writer: TreeWriter
  readonly #options: StagingOptions
  #waiting: PostponedJob[] = []
  /** The work for the first waiting job. */
  #preparation: Preparation | undefined
  /** The job that the open transaction works for. */
  #current: PostponedJob | undefined
  #isCurrentWritten = false
  #ready: QueuedJob[] = []
  #isStopped = false
  #hasFailed = false

  constructor(writer: TreeWriter, options: StagingOptions) {
    this.#writer = writer
    this.#options = options
  }

  /** Whether a job waits for its values. */
  get isDue(): boolean {
    return this.#waiting.length > 0
  }

  /** Adds a job, once the transaction that postponed it has committed. */
  add(postponed: PostponedJob): void {
    this.#waiting.push(postponed)
  }

  /** Does one step inside the open transaction. @returns whether there was something to do */
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
    this.#writer.rows.flushTexts()
    return true
  }

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

  /** The values of the open transaction are left to the removal of deleted subtrees, and their job writes them itself. */
  rollback(): void {
    const current = this.#current
    this.#current = undefined
    this.#isCurrentWritten = false
    if (current === undefined) return
    this.#hasFailed = true
    if (this.#waiting[0] !== current) return
    this.#waiting.shift()
    this.#ready.push(this.#unstaged(current))
  }

  /** Whether a transaction with a step was rolled back since the last call: then its own jobs may not be at fault. */
  takeFailure(): boolean {
    const hasFailed = this.#hasFailed
    this.#hasFailed = false
    return hasFailed
  }

  /** Takes the jobs that must run again now. */
  takeReady(): readonly QueuedJob[] {
    return this.#ready.splice(0)
  }

  /** Postpones no more jobs. @returns the postponed ones that have not run again */
  stop(): readonly QueuedJob[] {
    this.#isStopped = true
    const waiting = this.#waiting.splice(0).map((postponed) => this.#unstaged(postponed))
    return [...this.takeReady(), ...waiting]
  }

  /** Releases the staged values of a job that has run again, or never will. */
  release(queued: Queued): void {
    if ('job' in queued && queued.staged !== undefined) this.#writer.release(queued.staged)
  }

  #unstaged({ queued }: PostponedJob): QueuedJob {
    if (this.#preparation !== undefined) this.#writer.release(this.#preparation.staged)
    this.#preparation = undefined
    return { ...queued, staged: [], prepared: undefined, postponed: MAX_TIMES }
  }

  /** Postpones a job with this change; `undefined` if it must write the change now. */
  *postponed(queued: QueuedJob, change: Change | undefined): Generator<void, PostponedJob | undefined> {
    if (change?.canStoreAhead !== true || this.#isStopped || !this.#isWorthIt(queued, change)) return undefined
    const { writes } = change
    const { stagedLength } = this.#options
    const values = yield* largeValues(writes, stagedLength, Math.max(stagedLength, longestString(this.#options)))
    const isMany = writes.length >= this.#options.preparedWrites
    if (values.length === 0 && !isMany) return undefined
    const { job, resolve, reject, postponed } = queued
    return { queued: { job, resolve, reject, postponed: postponed ?? 0 }, writes, isMany, values }
  }

  /** Whether the job was not postponed before, or the work ahead has become useless. */
  #isWorthIt({ staged, prepared, postponed = 0 }: QueuedJob, { writes }: Change): boolean {
    if (staged === undefined) return true
    if (postponed >= MAX_TIMES) return false
    if (prepared !== undefined) return !prepared.isOf(writes) || prepared.isOutdated
    const written = new Set<unknown>(writes.map((write) => (write.kind === 'value' ? write.value : undefined)))
    return !staged.every(({ value }) => written.has(value))
  }
}
