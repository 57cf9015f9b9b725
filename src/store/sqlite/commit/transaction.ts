import { SQLiteError } from 'bun:sqlite'
import { sql } from 'drizzle-orm'
import type { JsonText } from '../../../tree/json/print.ts'
import { PushIds } from '../../../tree/push-id.ts'
import type { Write } from '../../../tree/write.ts'
import type { Commit, CommitContext, JobOutcome } from '../../store.ts'
import type { Connection } from '../file/connection.ts'
import { meta } from '../file/schema.ts'
import type { IndexMaintenance } from '../indexes/maintenance.ts'
import type { ChangeLog } from '../log/change-log.ts'
import type { Notes } from '../log/job-notes.ts'
import { readMeta } from '../log/meta.ts'
import type { Settings, SettingTexts } from '../log/settings.ts'
import { GroupedWrites } from '../staging/grouped-writes.ts'
import type { PreparedWrites } from '../staging/prepared-writes.ts'
import type { Postponed, Staging } from '../staging/staging.ts'
import type { DeletedSubtrees } from '../tree/deleted-subtrees.ts'
import { runReads } from '../tree/run-program.ts'
import type { TreeReader } from '../tree/tree-reader.ts'
import type { TreeWriter } from '../tree/tree-writer.ts'
import type { Queued, QueuedJob, QueuedWork } from './queued-job.ts'

/** How one job of a committed batch ended, to be told once that is durable. */
export interface Settlement {
  tell(): void
  /** The batch will never be known to be durable. */
  abandon(error: unknown): void
}

/** What a batch came to. */
export interface BatchOutcome {
  readonly commits: readonly Commit[]
  readonly settlements: readonly Settlement[]
  /** Texts beside the tree as the batch leaves them. */
  readonly settings: SettingTexts
  /** Whether the file changed, so that a sync is owed. */
  readonly changed: boolean
}

/** What the jobs of a batch have come to. */
interface Results {
  readonly commits: Commit[]
  readonly postponed: Postponed[]
}

const PUSH_TIME = 'push_time'
/** Of a job that runs again: that run has a settlement of its own. */
const NOTHING_TO_TELL: Settlement = { tell: () => {}, abandon: () => {} }

/** Runs jobs inside one transaction of the writer. */
export class BatchRunner {
  readonly #client
  readonly #orm
  readonly #begin
  readonly #commit
  readonly #rollback
  readonly #setMark
  readonly #backToMark
  readonly #forgetMark
  readonly #countChanges
  readonly #savePushTime
  readonly #reader: TreeReader
  readonly #writer: TreeWriter
  readonly #log: ChangeLog
  readonly #sweep: DeletedSubtrees
  readonly #indexes: IndexMaintenance
  readonly #settings: Settings
  readonly #notes: Notes
  readonly #pushIds: PushIds
  readonly #staging: Staging
  /** The greatest time of generated keys that a committed transaction has kept. */
  #savedPushTime: number

  constructor(
    connection: Connection,
    reader: TreeReader,
    writer: TreeWriter,
    log: ChangeLog,
    sweep: DeletedSubtrees,
    indexes: IndexMaintenance,
    settings: Settings,
    notes: Notes,
    staging: Staging,
  ) {
    const { client, orm } = connection
    this.#client = client
    this.#orm = orm
    this.#begin = client.prepare('BEGIN IMMEDIATE')
    this.#commit = client.prepare('COMMIT')
    this.#rollback = client.prepare('ROLLBACK')
    this.#setMark = client.prepare('SAVEPOINT work')
    this.#backToMark = client.prepare('ROLLBACK TO work')
    this.#forgetMark = client.prepare('RELEASE work')
    this.#countChanges = client.prepare<{ changes: number }, []>('SELECT total_changes() AS changes')
    this.#savePushTime = orm
      .insert(meta)
      .values({ name: PUSH_TIME, value: sql.placeholder('time') })
      .onConflictDoUpdate({ target: meta.name, set: { value: sql`excluded.value` } })
      .prepare()
    this.#reader = reader
    this.#writer = writer
    this.#log = log
    this.#sweep = sweep
    this.#indexes = indexes
    this.#settings = settings
    this.#notes = notes
    this.#staging = staging
    this.#savedPushTime = Number(readMeta(connection, PUSH_TIME) ?? 0)
    this.#pushIds = new PushIds(this.#savedPushTime)
  }

  /** Whether there is work that is no job: rows to remove, indexes to build. */
  get hasWork(): boolean {
    return this.#sweep.isDue || this.#log.moreToTrim || this.#notes.moreToTrim || this.#indexes.isDue
  }

  /** Whether large values are written ahead of their jobs. */
  get isStaging(): boolean {
    return this.#staging.isDue
  }

  /** Jobs whose large values are written ahead now, to be run again. */
  takeReady(): readonly QueuedJob[] {
    return this.#staging.takeReady()
  }

  /** From now on jobs write their large values themselves. @returns those that have not run again yet */
  stopStaging(): readonly QueuedJob[] {
    return this.#staging.stop()
  }

  /** Whether the last batch that failed had written ahead for another job, so that its own jobs may be fine. */
  takeStagingFailure(): boolean {
    return this.#staging.takeFailure()
  }

  /** A job will not run again. */
  drop(queued: Queued): void {
    if ('job' in queued) this.#staging.release(queued)
  }

  /** Whoever waits for such work need not any longer. */
  abandon(error: unknown): void {
    this.#indexes.abandon(error)
  }

  /**
   * Runs the jobs, cleans up a little and commits. Pauses wherever a job's own work does.
   * @throws whatever kept the transaction from committing; then nothing of the batch is written
   */
  *run(jobs: readonly Queued[]): Generator<void, BatchOutcome> {
    const firstSeq = this.#log.lastSeq
    const removalIsDue = this.#sweep.isDue
    const settingsBefore = this.#settings.current
    const lastNote = this.#notes.lastSeq
    let worked = false
    this.#begin.run()
    try {
      const commits: Commit[] = []
      const postponed: Postponed[] = []
      const settlements: Settlement[] = []
      const context: CommitContext = {
        now: Math.max(Date.now(), this.#log.lastAt),
        nextPushId: () => this.#pushIds.next(context.now),
      }
      for (const queued of jobs) {
        if ('job' in queued) {
          settlements.push(yield* this.#runJob(queued, context, { commits, postponed }))
          continue
        }
        const before = this.#changes
        settlements.push(yield* this.#runWork(queued))
        worked ||= this.#changes !== before
      }
      this.#log.flush()
      const pushTime = this.#pushIds.lastTime
      const issued = pushTime !== this.#savedPushTime
      if (issued) this.#savePushTime.run({ time: String(pushTime) })
      // What this very batch has cut off can wait for the next one: its callers need not wait for the cleaning.
      const swept = removalIsDue && this.#sweep.step()
      const trimmed = this.#log.trim(context.now)
      const noted = this.#notes.trim() || this.#notes.lastSeq !== lastNote
      const indexed = yield* this.#indexes.step(context.now)
      const staged = yield* this.#staging.step()
      // To commit much takes a while by itself.
      if (this.#writer.isSpilling) yield
      this.#commit.run()
      this.#writer.ended()
      this.#staging.committed()
      for (const each of postponed) this.#staging.add(each)
      for (const queued of jobs) this.drop(queued)
      this.#savedPushTime = pushTime
      this.#settings.keep()
      const settings = this.#settings.current
      const isSet = settings !== settingsBefore
      return {
        commits,
        settlements: [...settlements, ...indexed.news],
        settings,
        changed:
          commits.length > 0 || issued || swept || trimmed || noted || indexed.changed || isSet || worked || staged,
      }
    } catch (error) {
      this.#log.rewind(firstSeq)
      this.#writer.reset()
      this.#staging.rolledBack()
      this.#indexes.forget()
      this.#settings.forget()
      if (this.#client.inTransaction) this.#rollback.run()
      throw error
    }
  }

  /**
   * A job that refuses does so before anything of it is written, so it needs no savepoint. What fails while it is being
   * applied ends the batch.
   */
  *#runJob(queued: QueuedJob, context: CommitContext, { commits, postponed }: Results): Generator<void, Settlement> {
    let outcome: JobOutcome<unknown>
    try {
      outcome = yield* runReads(queued.job(context), this.#reader, this.#settings.current, this.#writer, this.#notes)
    } catch (error) {
      // When SQLite has ended the transaction by itself, the batch is lost, not the job alone.
      if (!this.#client.inTransaction) throw error
      return { tell: () => queued.reject(error), abandon: queued.reject }
    }
    const { result, change, settings, record } = outcome
    const later = yield* this.#staging.postponed(queued, change)
    if (later !== undefined) {
      postponed.push(later)
      return NOTHING_TO_TELL
    }
    if (settings !== undefined) this.#settings.set(settings)
    if (record !== undefined) this.#notes.keep(record)
    if (change === undefined) return jobDone(queued, result, undefined)
    const texts = yield* this.#apply(change.writes, queued.prepared)
    this.#writer.flushParentUpdate()
    if (this.#writer.isSpilling) yield
    const commit = this.#log.append(change, context.now, texts)
    commits.push(commit)
    return jobDone(queued, result, commit)
  }

  *#apply(
    writes: readonly Write[],
    prepared: PreparedWrites | undefined,
  ): Generator<void, readonly (JsonText | undefined)[]> {
    if (prepared?.isOf(writes)) return yield* prepared.apply()
    const [first] = writes
    if (first === undefined || writes.length > 1) return yield* new GroupedWrites(this.#writer, writes).apply()
    return [yield* this.#writer.apply(first)]
  }

  /** What it writes and what it judges are one, so what it has written before it fails is taken back. */
  *#runWork({ work, resolve, reject }: QueuedWork): Generator<void, Settlement> {
    this.#setMark.run()
    try {
      const result = yield* work(this.#orm)
      this.#forgetMark.run()
      return { tell: () => resolve(result), abandon: reject }
    } catch (error) {
      // A full disk is the trouble of the whole batch.
      if (error instanceof SQLiteError || !this.#client.inTransaction) throw error
      this.#backToMark.run()
      this.#forgetMark.run()
      return { tell: () => reject(error), abandon: reject }
    }
  }

  /** Rows changed on this connection so far. */
  get #changes(): number {
    return this.#countChanges.get()?.changes ?? 0
  }
}

function jobDone({ resolve, reject }: QueuedJob, result: unknown, commit: Commit | undefined): Settlement {
  return { tell: () => resolve({ result, commit }), abandon: reject }
}
