import { SQLiteError } from 'bun:sqlite'
import { sql } from 'drizzle-orm'
import type { JsonText } from '../../tree/print.ts'
import { PushIds } from '../../tree/push-id.ts'
import type { Commit, CommitContext, Job, JobOutcome } from '../store.ts'
import { runReads } from './answer.ts'
import type { ChangeLog } from './change-log.ts'
import type { Connection } from './connection.ts'
import type { IndexMaintenance } from './index-maintenance.ts'
import { readMeta } from './meta.ts'
import type { Notes } from './notes.ts'
import type { TreeReader } from './read.ts'
import { meta } from './schema.ts'
import type { Settings, SettingTexts } from './settings.ts'
import type { SideWork } from './side-tables.ts'
import type { Sweep } from './sweep.ts'
import type { TreeWriter } from './write.ts'

/** A job and where its outcome goes. */
export interface QueuedJob {
  readonly job: Job
  readonly resolve: (commit: Commit | undefined) => void
  readonly reject: (error: unknown) => void
}

/** Work on tables beside the tree and where its outcome goes. */
export interface QueuedWork {
  readonly work: SideWork<unknown>
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

export type Queued = QueuedJob | QueuedWork

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

/** Small writes of one change that are made at a stretch. */
const WRITES_BEFORE_PAUSE = 128

const PUSH_TIME = 'push_time'

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
  readonly #sweep: Sweep
  readonly #indexes: IndexMaintenance
  readonly #settings: Settings
  readonly #notes: Notes
  readonly #pushIds: PushIds
  /** The greatest time of generated keys that a committed transaction has kept. */
  #savedPushTime: number

  constructor(
    connection: Connection,
    reader: TreeReader,
    writer: TreeWriter,
    log: ChangeLog,
    sweep: Sweep,
    indexes: IndexMaintenance,
    settings: Settings,
    notes: Notes,
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
    this.#savedPushTime = Number(readMeta(connection, PUSH_TIME) ?? 0)
    this.#pushIds = new PushIds(this.#savedPushTime)
  }

  /** Whether there is work that is no job: rows to remove, indexes to build. */
  get hasWork(): boolean {
    return this.#sweep.isDue || this.#log.moreToTrim || this.#notes.moreToTrim || this.#indexes.isDue
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
    const sweepIsDue = this.#sweep.isDue
    const settingsBefore = this.#settings.current
    const lastNote = this.#notes.lastSeq
    let worked = false
    this.#begin.run()
    try {
      const commits: Commit[] = []
      const settlements: Settlement[] = []
      const context: CommitContext = {
        now: Math.max(Date.now(), this.#log.lastAt),
        nextPushId: () => this.#pushIds.next(context.now),
      }
      for (const queued of jobs) {
        if ('job' in queued) {
          settlements.push(yield* this.#runJob(queued, context, commits))
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
      const swept = sweepIsDue && this.#sweep.step()
      const trimmed = this.#log.trim(context.now)
      const noted = this.#notes.trim() || this.#notes.lastSeq !== lastNote
      const indexed = yield* this.#indexes.step(context.now)
      // To commit much takes a while by itself.
      if (this.#writer.isSpilling) yield
      this.#commit.run()
      this.#writer.ended()
      this.#savedPushTime = pushTime
      this.#settings.keep()
      const settings = this.#settings.current
      const isSet = settings !== settingsBefore
      return {
        commits,
        settlements: [...settlements, ...indexed.news],
        settings,
        changed: commits.length > 0 || issued || swept || trimmed || noted || indexed.changed || isSet || worked,
      }
    } catch (error) {
      this.#log.rewind(firstSeq)
      this.#writer.reset()
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
  *#runJob(queued: QueuedJob, context: CommitContext, commits: Commit[]): Generator<void, Settlement> {
    let outcome: JobOutcome
    try {
      outcome = yield* runReads(queued.job(context), this.#reader, this.#settings.current, this.#writer, this.#notes)
    } catch (error) {
      // When SQLite has ended the transaction by itself, the batch is lost, not the job alone.
      if (!this.#client.inTransaction) throw error
      return { tell: () => queued.reject(error), abandon: queued.reject }
    }
    const done: Settlement = { tell: () => queued.resolve(undefined), abandon: queued.reject }
    if (outcome === undefined) return done
    if (outcome.kind === 'settings') {
      this.#settings.set(outcome)
      return done
    }
    if (outcome.kind === 'noted') this.#notes.keep(outcome.note)
    const change = outcome.kind === 'noted' ? outcome.change : outcome
    if (change === undefined) return done
    const texts: (JsonText | undefined)[] = []
    for (const write of change.writes) {
      texts.push(yield* this.#writer.apply(write))
      if (texts.length % WRITES_BEFORE_PAUSE === 0) yield
    }
    this.#writer.settle()
    if (this.#writer.isSpilling) yield
    const commit = this.#log.append(change, context.now, texts)
    commits.push(commit)
    return { tell: () => queued.resolve(commit), abandon: queued.reject }
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
