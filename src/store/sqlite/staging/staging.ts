import { exceeds } from '../../../tree/json/print.ts'
import type { Write } from '../../../tree/write.ts'
import type { QueuedJob } from '../commit/queued-job.ts'
import type { TreeWriter } from '../tree/tree-writer.ts'
import type { StagedValue } from './staged-values.ts'

/** Pauses of the writer within one transaction: about 2,000 rows, or a megabyte of text. */
const STEP_PAUSES = 16
/** Values looked at between two pauses. */
const VALUES_BEFORE_PAUSE = 64

/** A job that runs again once its large values are written. */
export interface Postponed {
  readonly queued: QueuedJob
  readonly values: readonly StagedValue[]
}

/** The values of a change that are worth being written ahead. @param length least text of one, in UTF-16 code units */
export function* largeValues(writes: readonly Write[], length: number): Generator<void, readonly StagedValue[]> {
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
  #waiting: Postponed[] = []
  /** The writing of the first that waits. */
  #steps: Generator<void> | undefined
  /** What the open transaction works on. */
  #current: Postponed | undefined
  #isCurrentWritten = false
  #ready: QueuedJob[] = []
  #isStopped = false
  #hasFailed = false

  constructor(writer: TreeWriter) {
    this.#writer = writer
  }

  /** Whether there is something to write. */
  get isDue(): boolean {
    return this.#waiting.length > 0
  }

  /** Whether jobs are no longer postponed. */
  get isStopped(): boolean {
    return this.#isStopped
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
    this.#steps ??= this.#write(first)
    const steps = this.#steps
    for (let pauses = 0; pauses < STEP_PAUSES; pauses++) {
      if (steps.next().done) {
        this.#isCurrentWritten = true
        break
      }
      yield
    }
    return true
  }

  *#write({ values }: Postponed): Generator<void> {
    for (const value of values) {
      yield* this.#writer.stage(value)
      yield
    }
  }

  /** The transaction of the last step has committed. */
  committed(): void {
    const current = this.#current
    if (current !== undefined && this.#isCurrentWritten && this.#waiting[0] === current) {
      this.#waiting.shift()
      this.#steps = undefined
      this.#ready.push({ ...current.queued, staged: current.values })
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
    this.#steps = undefined
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
    this.#steps = undefined
    const waiting = this.#waiting.splice(0).map((postponed) => this.#unstaged(postponed))
    return [...this.takeReady(), ...waiting]
  }

  /** A job has run again, or never will. */
  release({ staged }: QueuedJob): void {
    if (staged !== undefined) this.#writer.release(staged)
  }

  #unstaged({ queued, values }: Postponed): QueuedJob {
    this.#writer.release(values)
    return { ...queued, staged: [] }
  }
}
