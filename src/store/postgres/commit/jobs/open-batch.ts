import type { Steps } from '../../../../scheduling/steps.ts'
import { runBriefly, runInTurns } from '../../../../scheduling/turns.ts'
import type { JsonText } from '../../../../tree/json/print.ts'
import type { Path } from '../../../../tree/path.ts'
import type { ReadAnswer } from '../../../../tree/read-program.ts'
import type { Write } from '../../../../tree/write.ts'
import { parseStringInSteps } from '../../../rows/long-string.ts'
import type { Commit, CommitContext, Committed, Job, JobOutcome } from '../../../store.ts'
import { SessionChanges } from '../../sessions/session-changes.ts'
import { BatchLog } from '../log-rows.ts'
import { type BatchIndexes, Missing, type OpenIndexes, type Unknown } from '../working-tree.ts'
import type { BaseTree } from './base-tree.ts'
import { JobRun } from './job-run.ts'
import { TreeWriter } from './tree-writer.ts'
import { WorkingSet } from './working-set.ts'

/** Text of a batch that is long enough for its commit, in UTF-16 code units. */
const MAX_LENGTH = 1024 * 1024
/** Longest time between two turns of the event loop, in milliseconds. */
const HOLD_MS = 5

/** What a batch needs to run jobs. */
export interface BatchEnvironment {
  readonly base: BaseTree
  /** Id of this process. */
  readonly process: string
  readonly openIndexes: OpenIndexes
  readonly inlineLength: number
  readonly context: CommitContext
  /** Number of the last commit before the batch. */
  readonly seq: number
  readonly settings: ReadonlyMap<string, string>
  takeId(): number
  /** Reads what is unknown. @throws what the database throws */
  fetch(unknown: readonly Unknown[]): Promise<void>
  /** Reads an interior node as of the applied batch. @throws what the database throws */
  read(kind: 'node' | 'size', path: Path): Promise<ReadAnswer>
}

/** What a job of a batch has come to. */
export type JobResult = { readonly committed: Committed<unknown> } | { readonly error: unknown }

/** Runs jobs one after the other on a working set in memory. */
export class OpenBatch {
  readonly working: WorkingSet
  readonly indexes: BatchIndexes
  readonly log: BatchLog
  readonly sessions: SessionChanges
  readonly #environment: BatchEnvironment
  readonly #writer: TreeWriter
  #turnBegan = performance.now()
  /** The last key that a job of this batch has generated in its turn. */
  #lastKey: string | undefined

  constructor(environment: BatchEnvironment) {
    const { base, openIndexes, inlineLength, context, seq, takeId, process } = environment
    this.#environment = environment
    this.working = new WorkingSet(base)
    this.indexes = openIndexes(this.working, takeId, context.now)
    this.log = new BatchLog(seq, context.now)
    this.sessions = new SessionChanges(base, process)
    this.#writer = new TreeWriter(this.working, this.indexes, inlineLength, takeId)
  }

  /**
   * Runs jobs in order, until the batch is long enough or a job must read what the batch has changed.
   * @returns the results of the first jobs
   * @throws what the database throws
   */
  async run(jobs: readonly Job[]): Promise<readonly JobResult[]> {
    const texts = {
      setting: (name: string) => this.#setting(name),
      hasSession: (session: string, position: number | undefined) => this.sessions.has(session, position),
    }
    const runs: JobRun[] = []
    for (const job of jobs) {
      runs.push(new JobRun(job, this.#environment.context, this.working, texts))
      await this.#pause()
    }
    await this.#fetchFor(runs, [])
    const results: JobResult[] = []
    for (const [index, run] of runs.entries()) {
      const result = await this.#finish(run, runs.slice(index + 1, index + 1 + jobs.length))
      if (result === undefined) break
      results.push(result)
      if (this.working.length + this.sessions.length > MAX_LENGTH) break
      await this.#pause()
    }
    return results
  }

  /** @returns `undefined` when it must run in a later batch */
  async #finish(run: JobRun, later: readonly JobRun[]): Promise<JobResult | undefined> {
    const takeTurn = () => run.takeTurn(this.#lastKey)
    for (let unknown = takeTurn(); unknown !== undefined; unknown = takeTurn()) {
      await this.#fetchFor(later, [unknown])
    }
    for (;;) {
      const halt = run.advance()
      if (halt === undefined) break
      if (halt.kind === 'pause') {
        await this.#pause()
        run.answer(undefined)
      } else if (halt.kind === 'unknown') await this.#fetchFor(later, [halt.unknown])
      else if (halt.kind === 'string') run.answer(await this.#steps(parseStringInSteps(halt.text)))
      else if (this.log.commits.length > 0) return undefined
      else run.answer(await this.#environment.read(halt.kind, halt.path))
    }
    const { end } = run
    this.#lastKey = run.lastKey ?? this.#lastKey
    return 'error' in end ? end : this.#take(end.outcome, later)
  }

  /** Writes what a job has decided. */
  async #take(outcome: JobOutcome<unknown>, later: readonly JobRun[]): Promise<JobResult> {
    const [before, indexesBefore] = [this.working.savepoint(), this.indexes.savepoint()]
    try {
      const { result, change, settings, record, session } = outcome
      let commit: Commit | undefined
      if (change !== undefined) commit = this.log.append(change, await this.#write(change.writes, later))
      for (const [name, text] of settings ?? []) this.working.setSetting(name, text)
      if (record !== undefined) this.working.setRecord(record.key, record.text)
      if (session !== undefined) this.sessions.take(session)
      return { committed: { result, commit } }
    } catch (error) {
      if (error instanceof DatabaseFailure) throw error.cause
      this.working.rollBackTo(before)
      this.indexes.rollBackTo(indexesBefore)
      return { error }
    }
  }

  async #write(writes: readonly Write[], later: readonly JobRun[]): Promise<readonly (JsonText | undefined)[]> {
    let unknown = await this.#steps(this.#unknownOf(writes))
    for (;;) {
      if (unknown.length > 0) {
        const others = unknown.some(({ kind }) => kind !== 'slots') ? await this.#steps(this.#tryAll(later)) : []
        await this.#fetchFor(later, [...unknown, ...others]).catch((error: unknown) => {
          throw new DatabaseFailure(error)
        })
      }
      const applied = await this.#steps(this.#apply(writes))
      if (applied.texts !== undefined) return applied.texts
      unknown = applied.unknown
    }
  }

  /** @returns what is not known of the paths of writes */
  *#unknownOf(writes: readonly Write[]): Steps<Unknown[]> {
    const unknown: Unknown[] = []
    for (const [index, { path }] of writes.entries()) {
      if (index % 256 === 255) yield
      const each = this.working.unknownOn(path)
      if (each !== undefined) unknown.push(each)
    }
    return unknown
  }

  /** Applies all writes, or nothing and returns what is missing. */
  *#apply(
    writes: readonly Write[],
  ): Steps<{ readonly texts?: readonly (JsonText | undefined)[]; readonly unknown: Unknown[] }> {
    const [before, indexesBefore] = [this.working.savepoint(), this.indexes.savepoint()]
    const texts: (JsonText | undefined)[] = []
    const unknown: Unknown[] = []
    for (const [index, write] of writes.entries()) {
      if (index % 64 === 63) yield
      const [savepoint, indexSavepoint] = [this.working.savepoint(), this.indexes.savepoint()]
      try {
        texts.push(yield* this.#writer.apply(write))
      } catch (error) {
        if (!(error instanceof Missing)) throw error
        unknown.push(error.unknown)
        // The other writes are tried, so that what they miss is read at the same time.
        this.working.rollBackTo(savepoint)
        this.indexes.rollBackTo(indexSavepoint)
      }
    }
    if (unknown.length === 0) return { texts, unknown }
    this.working.rollBackTo(before)
    this.indexes.rollBackTo(indexesBefore)
    return { unknown }
  }

  /** What writes of later jobs miss, as far as it can be known now. */
  *#tryAll(later: readonly JobRun[]): Steps<Unknown[]> {
    const all: Unknown[] = []
    for (const run of later) {
      const { end, hasEnded } = run
      if (!hasEnded || !('outcome' in end) || end.outcome.change === undefined) continue
      yield
      const [before, indexesBefore] = [this.working.savepoint(), this.indexes.savepoint()]
      try {
        all.push(...(yield* this.#apply(end.outcome.change.writes)).unknown)
      } catch {
        // It fails again in its turn.
      }
      this.working.rollBackTo(before)
      this.indexes.rollBackTo(indexesBefore)
    }
    return all
  }

  /** Reads what is unknown, and at the same time what the first steps of other jobs miss. */
  async #fetchFor(others: readonly JobRun[], unknown: readonly Unknown[]): Promise<void> {
    const all = [...unknown]
    for (const run of others) {
      const halt = run.advance()
      if (halt?.kind === 'unknown') all.push(halt.unknown)
      if (halt === undefined && 'outcome' in run.end) {
        for (const { path } of run.end.outcome.change?.writes ?? []) {
          const each = this.working.unknownOn(path)
          if (each !== undefined) all.push(each)
        }
      }
      await this.#pause()
    }
    if (all.length > 0) await this.#environment.fetch(all)
  }

  #setting(name: string): string | undefined {
    return this.working.setting(name) ?? this.#environment.settings.get(name)
  }

  async #steps<T>(steps: Steps<T>): Promise<T> {
    const done = runBriefly(steps)
    return done === undefined ? await runInTurns(steps) : done.value
  }

  async #pause(): Promise<void> {
    if (performance.now() - this.#turnBegan < HOLD_MS) return
    await new Promise(setImmediate)
    this.#turnBegan = performance.now()
  }
}

/** Keeps an error of the database apart from one of a job. */
class DatabaseFailure extends Error {
  constructor(cause: unknown) {
    super('the database failed', { cause })
  }
}
