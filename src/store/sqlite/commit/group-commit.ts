import { SQLiteError } from 'bun:sqlite'
import { DholeError } from '../../../error.ts'
import { drain } from '../../../scheduling/steps.ts'
import { runBriefly, runInTurns } from '../../../scheduling/turns.ts'
import type { Committed, Job } from '../../store.ts'
import type { SideWork } from '../file/side-tables.ts'
import type { Checkpoint } from './checkpoint.ts'
import { LogSync, type LogSyncEvents } from './log-sync.ts'
import type { Queued } from './queued-job.ts'
import type { Snapshots } from './snapshots.ts'
import type { CommittedTransaction, TransactionRunner } from './transaction.ts'
import { trialWrite, writeNothing } from './trial-write.ts'
import type { WalFile } from './wal-file.ts'

/** Jobs from which on a transaction starts while a sync runs. Fewer jobs wait for it. */
const MIN_JOBS_DURING_SYNC = 64

export interface GroupCommitEvents extends LogSyncEvents {
  /** A transaction or a checkpoint failed; later ones may succeed. */
  onTroubled(error: unknown): void
  /** A transaction with a number of jobs has committed. */
  onCommitted(jobs: number, milliseconds: number): void
}

/**
 * What the writer does. A sync of the log may run in every phase but `checkpoint`.
 *
 *     idle ──work──▶ scheduled ──next turn──▶ transaction ──commit or rollback──▶ idle
 *     idle ──log too long, all durable──▶ checkpoint ──log moved──▶ idle
 *     idle, scheduled ──sync failed──▶ failed            transaction ──rollback or commit after that──▶ failed
 *     every phase ──finishNow──▶ finished
 */
type Phase = 'idle' | 'scheduled' | 'transaction' | 'checkpoint' | 'failed' | 'finished'

/**
 * Group commit without stopping the event loop. All jobs of a turn become one transaction. After its commit an
 * asynchronous sync of the write-ahead log runs while the next jobs are collected and committed. Callers, readers and
 * listeners get a commit only once a sync that covers it has returned.
 * @see docs/explanation/storage.md#durability
 */
export class GroupCommit {
  readonly #transactions: TransactionRunner
  readonly #snapshots: Snapshots
  readonly #checkpoint: Checkpoint
  readonly #walFile: WalFile
  readonly #sync: LogSync
  readonly #events: GroupCommitEvents
  #phase: Phase = 'idle'
  #queue: Queued[] = []
  /** Number of jobs at the front of the queue that get a transaction each, because one with several of them failed. */
  #retries = 0
  /** The open transaction, if it takes several turns. */
  #open: { readonly steps: Generator<void, CommittedTransaction>; readonly jobs: readonly Queued[] } | undefined
  #isClosing = false
  /** Background work failed. It is tried again when the next job or request comes. */
  #backgroundFailed = false
  #lastWriteFailed = false
  #idleListeners: (() => void)[] = []

  constructor(
    lastSeq: number,
    parts: { transactions: TransactionRunner; snapshots: Snapshots; checkpoint: Checkpoint; walFile: WalFile },
    events: GroupCommitEvents,
  ) {
    this.#transactions = parts.transactions
    this.#snapshots = parts.snapshots
    this.#checkpoint = parts.checkpoint
    this.#walFile = parts.walFile
    this.#events = events
    this.#sync = new LogSync(lastSeq, parts, events, () => this.#syncEnded())
    this.#snapshots.publish(this.#snapshots.open(lastSeq))
    this.#advance()
  }

  /** Number of the last commit, durable or not. */
  get lastSeq(): number {
    return this.#sync.lastSeq
  }

  /** Whether a sync has failed: then only the next process can find out what the file holds. */
  get hasFailed(): boolean {
    return this.#sync.failure !== undefined
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
      // The result is that of this very work.
      this.#enqueue({ work, resolve: (result: unknown) => resolve(result as T), reject })
    })
  }

  /**
   * Takes the way of every write. It writes a row only after a failed write: checks of a healthy store cost no sync.
   * @throws `unavailable` if nothing can be written
   */
  check(): Promise<void> {
    return this.write(this.#lastWriteFailed ? trialWrite : writeNothing)
  }

  /** Starts background work that has become due. @throws `unavailable` when nothing can be written any more */
  wake(): void {
    this.#checkWritable()
    this.#advance()
  }

  #enqueue(queued: Queued): void {
    this.#checkWritable()
    this.#queue.push(queued)
    this.#advance()
  }

  #checkWritable(): void {
    if (this.#sync.failure !== undefined) throw this.#sync.failure
    if (this.#isClosing) throw new DholeError('unavailable')
    this.#backgroundFailed = false
  }

  /** Resolves when nothing is queued, waits for a sync or is left to do. Never rejects. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idleListeners.push(resolve)
      this.#advance()
    })
  }

  /** Accepts no more jobs, finishes the queued ones and ends. Background work is left to the next process. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#transactions.rejectBackgroundRequests(new DholeError('unavailable'))
    await this.idle()
    await this.#walFile.close()
  }

  /**
   * Commits, syncs and answers everything queued before it returns. Listeners get nothing of it. Call it after `close`:
   * it holds the event loop all the time.
   */
  finishNow(): void {
    this.#phase = 'finished'
    const transactions: CommittedTransaction[] = []
    if (this.#open !== undefined) transactions.push(...this.#runNow(this.#open.steps, this.#open.jobs))
    this.#open = undefined
    this.#queue.push(...this.#transactions.staging.stop())
    while (this.#queue.length > 0) {
      const jobs = this.#takeJobs()
      transactions.push(...this.#runNow(this.#transactions.run(jobs), jobs))
    }
    this.#sync.finishNow(transactions)
    this.#advance()
  }

  #runNow(steps: Generator<void, CommittedTransaction>, jobs: readonly Queued[]): readonly CommittedTransaction[] {
    try {
      return [drain(steps)]
    } catch (error) {
      this.#rolledBack(jobs, error)
      return []
    }
  }

  /** Starts what the phase allows next. Called after every event. */
  #advance(): void {
    if (this.#phase === 'idle') {
      if (this.#checkpoint.overdue) {
        if (this.#sync.isDone) this.#startCheckpoint()
        return
      }
      if (this.#hasWork) {
        // Few jobs would wait for the running sync anyway. Values that are staged wait for no sync.
        const isWorth = this.#queue.length >= MIN_JOBS_DURING_SYNC || this.#transactions.staging.isDue
        if (this.#sync.isRunning && !isWorth) return
        this.#phase = 'scheduled'
        setImmediate(() => this.#startTransaction())
        return
      }
      if (!this.#backgroundFailed && !this.#isClosing && this.#transactions.awaitsBackgroundWork) return
    } else if (this.#phase !== 'failed' && this.#phase !== 'finished') return
    if (this.#sync.isDone) for (const listener of this.#idleListeners.splice(0)) listener()
  }

  get #hasWork(): boolean {
    if (this.#queue.length > 0 || this.#transactions.staging.isDue) return true
    return !this.#backgroundFailed && !this.#isClosing && this.#transactions.hasBackgroundWork
  }

  #takeJobs(): Queued[] {
    if (this.#retries === 0) return this.#queue.splice(0)
    this.#retries--
    return this.#queue.splice(0, 1)
  }

  #startTransaction(): void {
    if (this.#phase !== 'scheduled') return
    this.#phase = 'transaction'
    const jobs = this.#takeJobs()
    const steps = this.#transactions.run(jobs)
    const startedAt = performance.now()
    try {
      const done = runBriefly(steps)
      if (done !== undefined) this.#committed(done.value, jobs.length, startedAt)
      else {
        this.#open = { steps, jobs }
        runInTurns(steps).then(
          (transaction) => this.#open && this.#committed(transaction, jobs.length, startedAt),
          (error) => this.#open && this.#rolledBack(jobs, error),
        )
      }
    } catch (error) {
      this.#rolledBack(jobs, error)
    }
  }

  #endTransaction(): void {
    this.#open = undefined
    if (this.#phase === 'transaction') this.#phase = this.#sync.failure === undefined ? 'idle' : 'failed'
    this.#queue.push(...this.#transactions.staging.takeReady())
  }

  #committed(transaction: CommittedTransaction, jobs: number, startedAt: number): void {
    this.#endTransaction()
    if (transaction.changed) this.#lastWriteFailed = false
    this.#events.onCommitted(jobs, performance.now() - startedAt)
    this.#sync.add(transaction)
    this.#makeRoom()
    this.#advance()
  }

  #makeRoom(): void {
    // Room only makes syncs faster. A full disk fails the next write.
    const making = this.#walFile.makeRoom(this.#checkpoint.measure())
    making?.catch(this.#events.onTroubled)
  }

  /** Tries the jobs again one by one, so that only the one at fault fails. */
  #rolledBack(jobs: readonly Queued[], error: unknown): void {
    this.#endTransaction()
    this.#backgroundFailed = jobs.length === 0
    const mayBeStaging = this.#transactions.staging.takeFailure()
    if (jobs.length > 1 || (jobs.length === 1 && mayBeStaging)) {
      this.#queue.unshift(...jobs)
      this.#retries += jobs.length
    } else if (jobs.length === 0) {
      this.#events.onTroubled(error)
      this.#transactions.rejectBackgroundRequests(error)
    } else if (error instanceof SQLiteError) {
      this.#lastWriteFailed = true
      this.#events.onTroubled(error)
      this.#reject(jobs, new DholeError('unavailable', undefined, { cause: error }))
    } else this.#reject(jobs, error)
    if (this.#sync.failure !== undefined) this.#rejectQueue(this.#sync.failure)
    this.#advance()
  }

  #reject(jobs: readonly Queued[], error: unknown): void {
    for (const queued of jobs) {
      this.#transactions.staging.release(queued)
      queued.reject(error)
    }
  }

  #syncEnded(): void {
    const { failure } = this.#sync
    if (failure !== undefined) {
      if (this.#phase === 'idle' || this.#phase === 'scheduled') this.#phase = 'failed'
      this.#rejectQueue(failure)
    } else if (this.#phase !== 'finished' && !this.#checkpoint.overdue) {
      this.#checkpoint.advance().catch(this.#events.onTroubled)
    }
    this.#advance()
  }

  #rejectQueue(failure: DholeError): void {
    for (const { reject } of [...this.#queue.splice(0), ...this.#transactions.staging.stop()]) reject(failure)
    this.#transactions.rejectBackgroundRequests(failure)
  }

  /** Releases the current snapshot and moves the whole log, so that the next commit starts it over. */
  #startCheckpoint(): void {
    this.#phase = 'checkpoint'
    this.#snapshots.releaseCurrent()
    const moved = this.#checkpoint.finish().catch(this.#events.onTroubled)
    moved.finally(() => {
      if (this.#phase !== 'checkpoint') return
      this.#snapshots.publish(this.#snapshots.open(this.lastSeq))
      this.#phase = 'idle'
      this.#advance()
    })
  }
}
