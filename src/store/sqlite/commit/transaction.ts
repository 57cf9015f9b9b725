import { SQLiteError } from 'bun:sqlite'
import type { JsonText } from '../../../tree/json/print.ts'
import type { Write } from '../../../tree/write.ts'
import type { Commit, CommitContext, JobOutcome } from '../../store.ts'
import type { Connection } from '../file/connection.ts'
import { defineStatements } from '../file/statements.ts'
import type { SettingTexts } from '../log/settings.ts'
import { GroupedWrites } from '../staging/grouped-writes.ts'
import type { PreparedWrites } from '../staging/prepared-writes.ts'
import type { PostponedJob, Staging } from '../staging/staging.ts'
import { runReads } from '../tree/run-program.ts'
import { GeneratedKeys } from './generated-keys.ts'
import type { BackgroundWork, OpenTransaction, Settlement, TransactionParticipant } from './participant.ts'
import type { Queued, QueuedJob, QueuedWork } from './queued-job.ts'
import type { TransactionParts } from './transaction-parts.ts'

/** Result of a committed transaction, which may not be durable yet. */
export interface CommittedTransaction {
  readonly commits: readonly Commit[]
  readonly settlements: readonly Settlement[]
  /** Texts beside the tree as the transaction leaves them. */
  readonly settings: SettingTexts
  /** Whether the file changed, so that it needs a sync. */
  readonly changed: boolean
}

/** The transaction that runs. */
interface RunningTransaction extends OpenTransaction {
  readonly context: CommitContext
  readonly commits: Commit[]
  readonly postponed: PostponedJob[]
}

type With<Method extends keyof TransactionParticipant> = Required<Pick<TransactionParticipant, Method>>

const statements = defineStatements({
  begin: ({ client }) => client.prepare('BEGIN IMMEDIATE'),
  commit: ({ client }) => client.prepare('COMMIT'),
  rollback: ({ client }) => client.prepare('ROLLBACK'),
  savepoint: ({ client }) => client.prepare('SAVEPOINT work'),
  rollbackToSavepoint: ({ client }) => client.prepare('ROLLBACK TO work'),
  releaseSavepoint: ({ client }) => client.prepare('RELEASE work'),
  countChanges: ({ client }) => client.prepare<{ changes: number }, []>('SELECT total_changes() AS changes'),
})

/** Runs jobs and background work in transactions of the writer, one transaction at a time. */
export class TransactionRunner {
  readonly #statements
  readonly staging: Staging
  readonly #client
  readonly #orm
  readonly #parts: TransactionParts
  readonly #keys: GeneratedKeys
  readonly #participants: readonly TransactionParticipant[]
  // Each transaction calls these: to look for a method where there is none takes longer than most of the methods.
  readonly #flushing: readonly With<'flush'>[]
  readonly #committing: readonly With<'committed'>[]
  readonly #background: readonly BackgroundWork[]

  constructor(connection: Connection, parts: TransactionParts) {
    this.#statements = statements(connection)
    const { client, orm } = connection
    const { writer, log, records, settings, sessions, deletedSubtrees, indexes, staging } = parts
    this.#client = client
    this.#orm = orm
    this.staging = staging
    this.#parts = parts
    this.#keys = new GeneratedKeys(connection)
    this.#participants = [log, writer, staging, indexes, settings, sessions, records, this.#keys, deletedSubtrees]
    this.#flushing = this.#participants.filter((each): each is With<'flush'> => each.flush !== undefined)
    this.#committing = this.#participants.filter((each): each is With<'committed'> => each.committed !== undefined)
    this.#background = [deletedSubtrees, log, records, indexes]
  }

  /** Whether background work is due, besides staging. */
  get hasBackgroundWork(): boolean {
    return this.#background.some(({ isDue }) => isDue)
  }

  /** Whether background work will be due once work beside the transactions has gone on. */
  get awaitsBackgroundWork(): boolean {
    return this.#background.some(({ isWaiting }) => isWaiting)
  }

  /** Rejects those who wait for background work. */
  rejectBackgroundRequests(error: unknown): void {
    this.#parts.indexes.builder.rejectAll(error)
  }

  /**
   * Runs the jobs and one step of the background work that is due, and commits. Pauses wherever they do.
   * @throws what kept the transaction from committing; then it was rolled back, and all participants with it
   */
  *run(jobs: readonly Queued[]): Generator<void, CommittedTransaction> {
    const { settings, writer, staging, log } = this.#parts
    const now = Math.max(Date.now(), log.lastAt)
    const context: CommitContext = { now, nextPushId: (earlier) => earlier ?? this.#keys.next(now) }
    const transaction: RunningTransaction = {
      now,
      context,
      commits: [],
      postponed: [],
      settlements: [],
    }
    this.#statements.begin.run()
    try {
      let changed = false
      for (const queued of jobs) {
        if ('job' in queued) yield* this.#runJob(queued, transaction)
        else if (yield* this.#runWork(queued, transaction)) changed = true
      }
      for (const participant of this.#flushing) if (participant.flush()) changed = true
      for (const work of this.#background) if (work.isDue && (yield* stepOf(work, transaction))) changed = true
      if (staging.isDue && (yield* staging.step())) changed = true
      // The commit of a large transaction takes long by itself.
      if (writer.rows.isSpilling) yield
      this.#statements.commit.run()
      for (const participant of this.#committing) participant.committed()
      for (const postponed of transaction.postponed) staging.add(postponed)
      for (const queued of jobs) staging.release(queued)
      return { commits: transaction.commits, settlements: transaction.settlements, settings: settings.current, changed }
    } catch (error) {
      for (const participant of this.#participants) participant.rollback?.()
      if (this.#client.inTransaction) this.#statements.rollback.run()
      throw error
    }
  }

  /**
   * A job that fails does so before anything of it is written, so it needs no savepoint. An error while its change is
   * applied fails the transaction.
   */
  *#runJob(queued: QueuedJob, transaction: RunningTransaction): Generator<void> {
    const { reader, writer, settings, sessions, records, staging, log } = this.#parts
    let outcome: JobOutcome<unknown>
    try {
      outcome = yield* runReads(queued.job(transaction.context), reader, settings.current, writer, {
        records,
        sessions,
      })
    } catch (error) {
      // If SQLite has rolled back by itself, the whole transaction is lost.
      if (!this.#client.inTransaction) throw error
      transaction.settlements.push({ resolve: () => queued.reject(error), reject: queued.reject })
      return
    }
    const { result, change } = outcome
    const postponed = yield* staging.postponed(queued, change)
    if (postponed !== undefined) {
      transaction.postponed.push(postponed)
      return
    }
    if (outcome.settings !== undefined) settings.set(outcome.settings)
    if (outcome.record !== undefined) records.save(outcome.record)
    if (outcome.session !== undefined) sessions.change(outcome.session)
    let commit: Commit | undefined
    if (change !== undefined) {
      const texts = yield* this.#apply(change.writes, queued.prepared)
      writer.rows.flushParentUpdate()
      if (writer.rows.isSpilling) yield
      commit = log.append(change, transaction.now, texts)
      transaction.commits.push(commit)
    }
    transaction.settlements.push({ resolve: () => queued.resolve({ result, commit }), reject: queued.reject })
  }

  *#apply(
    writes: readonly Write[],
    prepared: PreparedWrites | undefined,
  ): Generator<void, readonly (JsonText | undefined)[]> {
    const { writer } = this.#parts
    if (prepared?.isOf(writes)) return yield* prepared.apply()
    const [first] = writes
    if (first === undefined || writes.length > 1) return yield* new GroupedWrites(writer, writes).apply()
    return [yield* writer.apply(first)]
  }

  /** Work that fails is rolled back alone: it may have written before. @returns whether it changed the file */
  *#runWork({ work, resolve, reject }: QueuedWork, { settlements }: OpenTransaction): Generator<void, boolean> {
    const before = this.#changes
    this.#statements.savepoint.run()
    try {
      const result = yield* work(this.#orm)
      this.#statements.releaseSavepoint.run()
      settlements.push({ resolve: () => resolve(result), reject })
    } catch (error) {
      // An error of SQLite, such as a full disk, fails the whole transaction.
      if (error instanceof SQLiteError || !this.#client.inTransaction) throw error
      this.#statements.rollbackToSavepoint.run()
      this.#statements.releaseSavepoint.run()
      settlements.push({ resolve: () => reject(error), reject })
    }
    return this.#changes !== before
  }

  /** Rows changed on this connection so far. */
  get #changes(): number {
    return this.#statements.countChanges.get()?.changes ?? 0
  }
}

function* stepOf(work: BackgroundWork, transaction: OpenTransaction): Generator<void, boolean> {
  const changed = work.step(transaction)
  return typeof changed === 'boolean' ? changed : yield* changed
}
