import { SQLiteError } from 'bun:sqlite'
import { sql } from 'drizzle-orm'
import { DholeError } from '../../../error.ts'
import { runBriefly, runInTurns } from '../../../scheduling/turns.ts'
import type { Commit, Committed, Job } from '../../store.ts'
import { meta } from '../file/schema.ts'
import type { SideWork } from '../file/side-tables.ts'
import type { SettingTexts } from '../log/settings.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { Queued } from './queued-job.ts'
import type { Snapshot, Snapshots } from './snapshots.ts'
import type { BatchOutcome, BatchRunner } from './transaction.ts'
import type { LogFile } from './wal-file.ts'

/** So many jobs are committed while an earlier sync is still running; fewer are collected until it returns. */
const WORTH_A_BATCH = 64

/** Name of what is written only to see whether it can be. */
const TRIAL = 'trial'

/** What the pipeline tells its owner. */
export interface DurabilityEvents {
  /** Commits and settings that are durable now and visible to every read that starts from here on. */
  onDurable(commits: readonly Commit[], settings: SettingTexts): void
  /** Nothing can be written any more. */
  onFailed(error: unknown): void
  /** A batch or a checkpoint failed; the pipeline goes on. */
  onTroubled(error: unknown): void
  /** A transaction of so many jobs was committed. */
  onCommitted(jobs: number, milliseconds: number): void
  /** The log was synced. */
  onSynced(milliseconds: number): void
}

/**
 * Group commit without stopping the event loop. All jobs of a turn become one transaction; after it has committed, an
 * asynchronous sync of the write-ahead log runs while the next batch is collected and committed. Only when the sync
 * returns does anybody hear of the commits it covers: the callers, the readers, the listeners.
 * @see docs/explanation/storage.md#durability
 */
export class DurabilityPipeline {
  readonly #runner: BatchRunner
  readonly #snapshots: Snapshots
  readonly #checkpoint: Checkpoint
  readonly #events: DurabilityEvents
  readonly #logFile: LogFile
  #queue: Queued[] = []
  /** So many jobs at the front of the queue get a batch of their own each. */
  #singly = 0
  #scheduled = false
  #batchOpen = false
  #syncing = false
  /** No new batch starts while the log waits to be shortened, or is. */
  #pausing = false
  #shortening = false
  /** Work of our own has failed, and is not tried again before somebody wants something. */
  #resting = false
  /** The last write has failed, and none has succeeded since. */
  #isTroubled = false
  #lastSeq: number
  /** The batch that is under way, when it takes several turns. */
  #openBatch: { readonly steps: Generator<void, BatchOutcome>; readonly jobs: readonly Queued[] } | undefined
  /** Batches that the running sync covers. */
  #inFlight: readonly BatchOutcome[] = []
  /** Batches that have committed and wait for a sync. */
  #unsynced: BatchOutcome[] = []
  #failure: DholeError | undefined
  #closing = false
  /** All was finished in one turn; whatever returns later comes to nothing. */
  #finished = false
  #idleListeners: (() => void)[] = []

  constructor(
    lastSeq: number,
    parts: { runner: BatchRunner; snapshots: Snapshots; checkpoint: Checkpoint; logFile: LogFile },
    events: DurabilityEvents,
  ) {
    this.#runner = parts.runner
    this.#snapshots = parts.snapshots
    this.#checkpoint = parts.checkpoint
    this.#events = events
    this.#lastSeq = lastSeq
    this.#logFile = parts.logFile
    this.#snapshots.promote(this.#snapshots.pin(lastSeq))
    this.#schedule()
  }

  /** Number of the last commit, durable or not. */
  get lastSeq(): number {
    return this.#lastSeq
  }

  /** Whether a sync has failed: what the file holds then is for the next process to find out. */
  get hasFailed(): boolean {
    return this.#failure !== undefined
  }

  commit<T>(job: Job<T>): Promise<Committed<T>> {
    return new Promise((resolve, reject) => {
      // The result is that of this very job.
      this.#enqueue({ job, resolve: (committed: Committed<unknown>) => resolve(committed as Committed<T>), reject })
    })
  }

  /** As `commit`, for work on tables beside the tree. */
  write<T>(work: SideWork<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      // What comes out is what this very work returns.
      this.#enqueue({ work, resolve: (result: unknown) => resolve(result as T), reject })
    })
  }

  /**
   * Goes the way of every write. After one has failed it writes a number that means nothing: who only wants to know
   * makes the disk work no harder as long as all is well.
   * @throws `unavailable` when nothing can be written
   */
  check(): Promise<void> {
    return this.write(this.#isTroubled ? tryToWrite : writeNothing)
  }

  #enqueue(queued: Queued): void {
    this.#checkWritable()
    this.#resting = false
    this.#queue.push(queued)
    this.#schedule()
  }

  /** There is work that is no job. @throws `unavailable` when nothing can be written any more */
  wake(): void {
    this.#checkWritable()
    this.#resting = false
    this.#schedule()
  }

  #checkWritable(): void {
    if (this.#failure !== undefined) throw this.#failure
    if (this.#closing) throw new DholeError('unavailable')
  }

  /** Resolves when nothing is queued, waits for a sync or is left to do. Rejects never. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idleListeners.push(resolve)
      this.#atRest()
    })
  }

  /** Takes no more jobs, finishes those it has and ends. Cleaning and building are left to the next process. */
  async close(): Promise<void> {
    this.#closing = true
    this.#runner.abandon(new DholeError('unavailable'))
    await this.idle()
    await this.#logFile.close()
  }

  /**
   * Commits all that is queued, syncs it and answers it, before it returns. Listeners hear nothing of it. To be called
   * once `close` was: it holds the event loop for as long as that takes.
   */
  finishNow(): void {
    this.#finished = true
    const outcomes = [...this.#inFlight, ...this.#unsynced.splice(0)]
    const open = this.#openBatch
    if (open !== undefined) outcomes.push(...this.#runNow(open.steps, open.jobs))
    this.#batchOpen = false
    this.#queue.push(...this.#runner.stopStaging())
    while (this.#queue.length > 0) {
      const jobs = this.#queue.splice(0, this.#singly > 0 ? 1 : this.#queue.length)
      if (this.#singly > 0) this.#singly--
      outcomes.push(...this.#runNow(this.#runner.run(jobs), jobs))
    }
    // After a failure all have been refused.
    if (this.#failure !== undefined) return
    try {
      this.#logFile.syncNow()
    } catch (error) {
      this.#unsynced.push(...outcomes)
      this.#fail(error instanceof Error ? error : new Error(String(error)))
      return
    }
    this.#settle(outcomes)
  }

  #runNow(steps: Generator<void, BatchOutcome>, jobs: readonly Queued[]): readonly BatchOutcome[] {
    try {
      let step = steps.next()
      while (!step.done) step = steps.next()
      return [step.value]
    } catch (error) {
      this.#abandonBatch(jobs, error)
      return []
    }
  }

  /** Whether there is work nobody waits for in the queue, and time for it. */
  get #hasOwnWork(): boolean {
    return !this.#resting && !this.#closing && this.#failure === undefined && this.#runner.hasWork
  }

  #schedule(): void {
    if (this.#scheduled || this.#batchOpen || this.#pausing || this.#finished || this.#failure !== undefined) return
    const { isStaging } = this.#runner
    if (this.#queue.length === 0 && !isStaging && !this.#hasOwnWork) return
    // A few jobs would have to wait for the running sync anyway, so they wait for company too. What is written ahead
    // of its job waits for no sync.
    if (this.#syncing && !isStaging && this.#queue.length < WORTH_A_BATCH) return
    this.#scheduled = true
    setImmediate(() => this.#runBatch())
  }

  #runBatch(): void {
    this.#scheduled = false
    // The sync that ended meanwhile found the log too long, or failed: this batch was asked for before that.
    if (this.#pausing || this.#finished || this.#failure !== undefined) {
      this.#atRest()
      return
    }
    const jobs = this.#singly > 0 ? this.#queue.splice(0, 1) : this.#queue.splice(0)
    if (this.#singly > 0) this.#singly--
    this.#batchOpen = true
    const steps = this.#runner.run(jobs)
    const startedAt = performance.now()
    try {
      const finished = runBriefly(steps)
      if (finished !== undefined) this.#endBatch(finished.value, jobs.length, startedAt)
      else this.#runOn(steps, jobs, startedAt)
    } catch (error) {
      this.#abandonBatch(jobs, error)
    }
  }

  #runOn(steps: Generator<void, BatchOutcome>, jobs: readonly Queued[], startedAt: number): void {
    this.#openBatch = { steps, jobs }
    runInTurns(steps).then(
      (outcome) => {
        if (this.#finished) return
        this.#openBatch = undefined
        this.#endBatch(outcome, jobs.length, startedAt)
      },
      (error) => {
        if (this.#finished) return
        this.#openBatch = undefined
        this.#abandonBatch(jobs, error)
      },
    )
  }

  #endBatch(outcome: BatchOutcome, jobs: number, startedAt: number): void {
    this.#batchOpen = false
    if (outcome.changed) this.#isTroubled = false
    this.#events.onCommitted(jobs, performance.now() - startedAt)
    this.#lastSeq = outcome.commits.at(-1)?.seq ?? this.#lastSeq
    // What a job saw may not be durable yet even when it wrote nothing, so its answer waits as well.
    this.#unsynced.push(outcome)
    this.#queue.push(...this.#runner.takeReady())
    this.#sync()
    this.#makeRoom()
    this.#schedule()
  }

  #makeRoom(): void {
    try {
      this.#logFile.makeRoom(this.#checkpoint.measure())
    } catch (error) {
      // Room is a matter of speed: a full disk will show when something is to be written.
      this.#events.onTroubled(error)
    }
  }

  /** Nothing of the batch is written. Its jobs are tried again one by one, so that only the one at fault fails. */
  #abandonBatch(jobs: readonly Queued[], error: unknown): void {
    this.#batchOpen = false
    this.#resting = jobs.length === 0
    this.#queue.push(...this.#runner.takeReady())
    const mayBeFine = this.#runner.takeStagingFailure()
    if (jobs.length > 1 || (jobs.length === 1 && mayBeFine)) {
      this.#queue.unshift(...jobs)
      this.#singly += jobs.length
    } else if (jobs.length === 0) {
      this.#events.onTroubled(error)
      this.#runner.abandon(error)
    } else if (error instanceof SQLiteError) {
      this.#isTroubled = true
      this.#events.onTroubled(error)
      this.#reject(jobs, new DholeError('unavailable', undefined, { cause: error }))
    } else this.#reject(jobs, error)
    this.#schedule()
    this.#atRest()
  }

  #reject(jobs: readonly Queued[], error: unknown): void {
    for (const queued of jobs) {
      this.#runner.drop(queued)
      queued.reject(error)
    }
  }

  #sync(): void {
    if (this.#syncing || this.#unsynced.length === 0) return
    if (this.#failure !== undefined) {
      this.#abandon(this.#failure)
      return
    }
    const outcomes = this.#unsynced
    this.#unsynced = []
    const last = outcomes.at(-1)
    if (last === undefined) return
    if (!outcomes.some((outcome) => outcome.changed)) {
      this.#settle(outcomes)
      return
    }
    this.#syncing = true
    this.#inFlight = outcomes
    let snapshot: Snapshot
    const startedAt = performance.now()
    this.#logFile.sync((error) => {
      this.#syncing = false
      if (this.#finished) {
        this.#atRest()
        return
      }
      this.#inFlight = []
      if (error !== null) {
        this.#snapshots.release(snapshot)
        this.#unsynced.unshift(...outcomes)
        this.#fail(error)
        return
      }
      this.#events.onSynced(performance.now() - startedAt)
      this.#snapshots.promote(snapshot)
      const commits = outcomes.flatMap((outcome) => outcome.commits)
      this.#events.onDurable(commits, last.settings)
      if (this.#checkpoint.overdue) this.#pausing = true
      else this.#checkpoint.advance().catch(this.#events.onTroubled)
      this.#settle(outcomes)
      this.#sync()
      this.#schedule()
    })
    // Pinned while the disk is at work; nothing has been committed since the sync was asked for.
    snapshot = this.#snapshots.pin(this.#lastSeq)
  }

  #settle(outcomes: readonly BatchOutcome[]): void {
    for (const outcome of outcomes) for (const settlement of outcome.settlements) settlement.tell()
    this.#atRest()
  }

  /** After a failed sync nobody knows what is on the disk: nothing may be acknowledged any more. */
  #fail(error: Error): void {
    this.#failure = new DholeError('unavailable', undefined, { cause: error })
    this.#events.onFailed(error)
    this.#abandon(this.#failure)
  }

  #abandon(failure: DholeError): void {
    for (const outcome of this.#unsynced.splice(0)) {
      for (const settlement of outcome.settlements) settlement.abandon(failure)
    }
    for (const { reject } of [...this.#queue.splice(0), ...this.#runner.stopStaging()]) reject(failure)
    this.#runner.abandon(failure)
    this.#atRest()
  }

  /** Starts what waits for the moment when no transaction is open and nothing waits for a sync. */
  #atRest(): void {
    if (this.#batchOpen || this.#syncing || this.#unsynced.length > 0) return
    if (this.#pausing) {
      this.#shortenLog()
      return
    }
    if (this.#queue.length > 0 || this.#scheduled || this.#runner.isStaging || this.#hasOwnWork) return
    for (const listener of this.#idleListeners.splice(0)) listener()
  }

  /** Everything is durable and nobody writes: readers let go, the worker moves the log, the next commit starts it over. */
  #shortenLog(): void {
    if (this.#shortening) return
    this.#shortening = true
    this.#snapshots.drop()
    this.#checkpoint
      .finish()
      .catch(this.#events.onTroubled)
      .finally(() => {
        if (!this.#finished) this.#snapshots.promote(this.#snapshots.pin(this.#lastSeq))
        this.#shortening = false
        this.#pausing = false
        this.#schedule()
        this.#atRest()
      })
  }
}

const writeNothing: SideWork<void> = function* () {}

// biome-ignore lint/correctness/useYield: one row is written
const tryToWrite: SideWork<void> = function* (orm) {
  // The same value once more would not be written.
  const value = sql`${Date.now()} || '-' || hex(randomblob(4))`
  orm.insert(meta).values({ name: TRIAL, value }).onConflictDoUpdate({ target: meta.name, set: { value } }).run()
}
