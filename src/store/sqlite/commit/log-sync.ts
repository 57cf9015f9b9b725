import { DholeError } from '../../../error.ts'
import type { Commit } from '../../store.ts'
import type { SettingTexts } from '../log/settings.ts'
import type { Snapshots } from './snapshots.ts'
import type { CommittedTransaction } from './transaction.ts'
import type { WalFile } from './wal-file.ts'

export interface LogSyncEvents {
  /** Commits and settings are durable, and visible to every read from here on. */
  onDurable(commits: readonly Commit[], settings: SettingTexts): void
  /** The log was synced. */
  onSynced(milliseconds: number): void
  /** A sync failed: nothing can be written any more. */
  onFailed(error: unknown): void
}

/**
 * Makes committed transactions durable, and answers their jobs after that. One sync runs at a time and covers all
 * transactions committed when it starts.
 */
export class LogSync {
  readonly #walFile: WalFile
  readonly #snapshots: Snapshots
  readonly #events: LogSyncEvents
  readonly #onEnd: () => void
  #lastSeq: number
  /** Transactions that wait for the next sync. */
  #waiting: CommittedTransaction[] = []
  /** Transactions that the running sync covers. */
  #running: readonly CommittedTransaction[] | undefined
  #failure: DholeError | undefined
  /** Set by `finishNow`: the running sync then covers nothing. */
  #isFinished = false

  /** @param onEnd called after each sync, successful or not */
  constructor(
    lastSeq: number,
    parts: { walFile: WalFile; snapshots: Snapshots },
    events: LogSyncEvents,
    onEnd: () => void,
  ) {
    this.#lastSeq = lastSeq
    this.#walFile = parts.walFile
    this.#snapshots = parts.snapshots
    this.#events = events
    this.#onEnd = onEnd
  }

  /** Number of the last commit, durable or not. */
  get lastSeq(): number {
    return this.#lastSeq
  }

  /** Set once a sync has failed. The content of the disk is unknown then, and nothing may be acknowledged any more. */
  get failure(): DholeError | undefined {
    return this.#failure
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** Whether every transaction is durable, or has failed to become so. */
  get isDone(): boolean {
    return this.#running === undefined && this.#waiting.length === 0
  }

  /** Adds a committed transaction. One without changes waits as well: what its jobs saw may not be durable yet. */
  add(transaction: CommittedTransaction): void {
    this.#lastSeq = transaction.commits.at(-1)?.seq ?? this.#lastSeq
    this.#waiting.push(transaction)
    this.#start()
  }

  /** Syncs all transactions and answers their jobs before it returns. */
  finishNow(transactions: readonly CommittedTransaction[]): void {
    this.#isFinished = true
    try {
      if (this.#failure === undefined) this.#walFile.syncNow()
    } catch (error) {
      this.#fail(error)
    }
    this.#settle([...(this.#running ?? []), ...this.#waiting.splice(0), ...transactions])
  }

  #start(): void {
    const last = this.#waiting.at(-1)
    if (this.#running !== undefined || last === undefined) return
    const transactions = this.#waiting
    this.#waiting = []
    if (this.#failure !== undefined || !transactions.some(({ changed }) => changed)) {
      this.#settle(transactions)
      return
    }
    this.#running = transactions
    const startedAt = performance.now()
    this.#walFile.sync((error) => {
      this.#running = undefined
      if (!this.#isFinished) {
        if (error === null) {
          this.#events.onSynced(performance.now() - startedAt)
          this.#snapshots.publish(snapshot)
          this.#events.onDurable(
            transactions.flatMap(({ commits }) => commits),
            last.settings,
          )
        } else {
          this.#snapshots.release(snapshot)
          this.#fail(error)
        }
        this.#settle(transactions)
        this.#start()
      }
      this.#onEnd()
    })
    // Opened while the disk works. Nothing was committed since the sync began.
    const snapshot = this.#snapshots.open(this.#lastSeq)
  }

  #fail(error: unknown): void {
    this.#failure = new DholeError('unavailable', undefined, { cause: error })
    this.#events.onFailed(error)
  }

  #settle(transactions: readonly CommittedTransaction[]): void {
    for (const { settlements } of transactions) {
      for (const settlement of settlements) {
        if (this.#failure === undefined) settlement.resolve()
        else settlement.reject(this.#failure)
      }
    }
  }
}
