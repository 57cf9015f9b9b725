import { DholeError } from '../../../error.ts'
import type { Observer } from '../../../observer.ts'
import { runBriefly, runInTurns } from '../../../scheduling/turns.ts'
import type { Path } from '../../../tree/path.ts'
import { PushIds } from '../../../tree/push-id.ts'
import type { ReadAnswer } from '../../../tree/read-program.ts'
import type { Job } from '../../store.ts'
import type { AppliedTree, NextBatch } from '../applied-tree.ts'
import { type AppliedBatch, type BatchTransaction, type BatchWork, LogFlag } from '../batch.ts'
import type { Statements } from '../connection/lane.ts'
import type { Lanes } from '../connection/lanes.ts'
import type { StorageClock } from '../database-clock.ts'
import type { Follower } from '../follow/follower.ts'
import { settingsText } from '../follow/foreign-batches.ts'
import { BatchConflict } from './batch-conflict.ts'
import { completeLogRow, insertLogRow, type LogRow } from './commit-statement.ts'
import { commitSurely, Patience } from './committer.ts'
import { BaseTree } from './jobs/base-tree.ts'
import { Fetcher, type FetchIndexes } from './jobs/fetch.ts'
import { type JobResult, OpenBatch } from './jobs/open-batch.ts'
import type { RecordClock } from './record-clock.ts'
import { textParts } from './text-parts.ts'
import { treeParts } from './tree-parts.ts'
import type { WriteAccess } from './turns/write-access.ts'
import { WriterQueue } from './turns/writer-queue.ts'
import type { OpenIndexes } from './working-tree.ts'

/** Reads interior nodes for jobs, as of the last batch. @param statements default: those of a snapshot */
type ReadInterior = (kind: 'node' | 'size', path: Path, statements?: Statements) => Promise<ReadAnswer>

export interface BatchParts {
  readonly lanes: Lanes
  /** Id of this process. */
  readonly process: string
  readonly tree: AppliedTree
  readonly records: RecordClock
  readonly clock: Pick<StorageClock, 'now'>
  readonly follower: Follower
  readonly openIndexes: OpenIndexes
  readonly fetchIndexes: FetchIndexes
  readonly readInterior: ReadInterior
  /** Called after a batch with the numbers of detached subtrees, commits and records. */
  onWritten(written: { readonly detached: number; readonly commits: number; readonly records: number }): void
  readonly observer: Pick<Observer, 'batchConflicted' | 'batchDoubted'>
  readonly inlineLength: number
  readonly waitMs: number
}

/** A batch whose jobs have run. */
interface DoneBatch {
  readonly open: OpenBatch
  readonly base: BaseTree
  readonly before: AppliedBatch
  readonly next: AppliedBatch
}

/** Results of the first jobs. */
type Results = readonly JobResult[]

/** Runs jobs, or other work, as batches of one tree. Call it for one batch at a time. */
export class BatchRunner {
  readonly #parts: BatchParts
  readonly #writers: WriterQueue
  #base: BaseTree
  #fetcher: Fetcher
  #keys: PushIds

  constructor(parts: BatchParts) {
    const { lanes, tree, follower, fetchIndexes, process } = parts
    this.#parts = parts
    this.#writers = new WriterQueue(lanes, tree, follower)
    this.#base = new BaseTree()
    this.#fetcher = new Fetcher(tree.tree, this.#base, fetchIndexes, process)
    this.#keys = new PushIds(tree.batch.pushTime)
    tree.onApplied(({ isForeign }) => {
      if (isForeign === true) this.#forget()
    })
  }

  /**
   * Runs jobs as one batch. Resolves when it is durable and applied.
   * @param take called when the turn of the batch has come, perhaps more than once: each time with the same jobs first
   * @returns the results of the first of them; the others must run in a later batch
   * @throws `unavailable`, or what will fail again; nothing is written
   */
  runJobs(take: () => readonly Job[]): Promise<Results> {
    return this.#run((access, patience) => this.#attempt(take(), access, patience))
  }

  /** Runs work as one batch; see `runJobs`. */
  runWork<T>(work: BatchWork<T>): Promise<T> {
    return this.#run((access, patience) => this.#attemptWork(work, access, patience))
  }

  /** Repeats an attempt until no other batch comes before it. */
  async #run<T>(attempt: (access: WriteAccess, patience: Patience) => Promise<T>): Promise<T> {
    const patience = new Patience(this.#parts.waitMs)
    for (;;) {
      if (this.#parts.tree.isMoved) throw new DholeError('unavailable')
      const before = this.#parts.tree.batch
      try {
        return await this.#writers.run(patience, (access) => attempt(access, patience))
      } catch (error) {
        this.#forget()
        if (!(error instanceof BatchConflict)) await patience.after(error)
        else {
          this.#writers.metOther()
          if (!error.isBusy) await this.#catchUp(before, patience, error)
        }
      }
    }
  }

  /** Another batch came first, or the last one was replaced. @throws `unavailable` when neither is found */
  async #catchUp(before: AppliedBatch, patience: Patience, conflict: BatchConflict): Promise<void> {
    const { tree, follower, observer } = this.#parts
    observer.batchConflicted?.()
    await patience.run(() => follower.pull())
    if (tree.batch === before) await patience.run(() => follower.replaced())
    if (tree.batch === before) throw new DholeError('unavailable', undefined, { cause: conflict })
  }

  /** Forgets what is known of the tree. An attempt under way goes on with it, and fails. */
  #forget(): void {
    const { tree, fetchIndexes, process } = this.#parts
    this.#base = new BaseTree()
    this.#fetcher = new Fetcher(tree.tree, this.#base, fetchIndexes, process)
    this.#keys = new PushIds(Math.max(this.#keys.lastTime, tree.batch.pushTime))
  }

  async #attempt(jobs: readonly Job[], access: WriteAccess, patience: Patience): Promise<Results> {
    const { process, tree, records, clock, openIndexes, inlineLength, readInterior } = this.#parts
    const before = tree.batch
    const [base, fetcher, keys] = [this.#base, this.#fetcher, this.#keys]
    let nextId = before.nextId
    const now = Math.max(clock.now, before.at)
    const open = new OpenBatch({
      base,
      process,
      openIndexes,
      inlineLength,
      context: { now, nextPushId: () => keys.next(now) },
      seq: before.seq,
      settings: tree.settings,
      takeId: () => nextId++,
      fetch: (unknown) => access.read((statements) => fetcher.fetch(statements, unknown, records.outdated)),
      read: (kind, path) => {
        const read = () => readInterior(kind, path, access.turn).catch(rethrowCause)
        return access.turn === undefined ? patience.run(read) : read()
      },
    })
    const results = await open.run(jobs)
    const next: AppliedBatch = {
      batch: before.batch + 1,
      stamp: newStamp(),
      seq: open.log.lastSeq,
      at: now,
      pushTime: keys.lastTime,
      nextId,
    }
    await this.#commit({ open, base, before, next }, access, patience)
    return results
  }

  /** Writes what a batch has changed, if anything, and applies it. */
  async #commit({ open, base, before, next }: DoneBatch, access: WriteAccess, patience: Patience): Promise<void> {
    const { tree, records, follower } = this.#parts
    const { working, indexes, log, sessions } = open
    const steps = treeParts(working)
    const tableParts = runBriefly(steps)?.value ?? (await runInTurns(steps))
    const texts = textParts(working.settings, working.records, records.now)
    const parts = [...tableParts, ...texts, ...sessions.parts(), ...indexes.parts()]
    if (parts.length === 0 && log.commits.length === 0 && next.pushTime === before.pushTime) {
      access.end()
      // What the jobs have read is of the last batch only if no other was committed meanwhile.
      await patience.run(() => follower.pull())
      if (tree.batch !== before) throw new BatchConflict()
      base.advance(working.slots, working.interiors)
      return
    }
    const flags =
      (working.settings.size > 0 ? LogFlag.settings : 0) | (indexes.hasChangedDefinitions ? LogFlag.indexes : 0)
    const { firstSeq, heads, data } = log.columns()
    const written = settingsText(working.settings)
    const length = working.length + sessions.length + indexes.length + heads.length + (data?.length ?? 0)
    const ready = {
      tree: tree.tree,
      before,
      row: { next, firstSeq, flags, heads, data, settings: written },
      parts,
      length,
    }
    const settings = working.settings.size === 0 ? tree.settings : new Map([...tree.settings, ...working.settings])
    await this.#guarded(
      next,
      (isRepeated) => access.commit(ready, isRepeated),
      access,
      patience,
      () => {
        base.advance(working.slots, working.interiors)
        return { batch: next, flags, settings, commits: log.commits }
      },
    )
    this.#parts.onWritten({
      detached: working.detached.size,
      commits: log.commits.length,
      records: working.records.size,
    })
  }

  async #attemptWork<T>(work: BatchWork<T>, access: WriteAccess, patience: Patience): Promise<T> {
    const { tree, clock } = this.#parts
    const before = tree.batch
    const now = Math.max(clock.now, before.at)
    const done = { flags: 0, nextId: before.nextId, result: undefined as T | undefined }
    const stamp = newStamp()
    const nextBatch = (): AppliedBatch => ({ ...before, batch: before.batch + 1, stamp, at: now, nextId: done.nextId })
    const row: LogRow = {
      next: nextBatch(),
      firstSeq: before.seq + 1,
      flags: 0,
      heads: '[]',
      data: null,
      settings: null,
    }
    const commit = (isRepeated: boolean) =>
      access.transaction(async (statements, isPolite) => {
        // The row comes first: when an attempt whose answer was lost has taken effect, its results count, and work does
        // not run again on what it has written.
        await insertLogRow(statements, tree.tree, before, row, isPolite)
        Object.assign(done, { flags: 0, nextId: before.nextId })
        const transaction: BatchTransaction = {
          statements,
          tree: tree.tree,
          now,
          takeIds: (count) => {
            done.nextId += count
            return done.nextId - count
          },
          mark: (flag) => {
            done.flags |= flag
          },
        }
        done.result = await work(transaction)
        if (done.flags !== 0 || done.nextId !== before.nextId)
          await completeLogRow(statements, tree.tree, nextBatch(), done.flags)
      }, isRepeated)
    await this.#guarded({ batch: before.batch + 1, stamp }, commit, access, patience, () => ({
      batch: nextBatch(),
      flags: done.flags,
      settings: tree.settings,
      commits: [],
    }))
    return done.result as T
  }

  /** Commits a batch and applies it. One that does not queue is held back by reads. */
  async #guarded(
    { batch, stamp }: Pick<AppliedBatch, 'batch' | 'stamp'>,
    commit: (isRepeated: boolean) => Promise<void>,
    { turn }: WriteAccess,
    patience: Patience,
    next: () => NextBatch,
  ): Promise<void> {
    const { lanes, tree, observer } = this.#parts
    const ended = turn === undefined ? await tree.beginCommit(stamp) : tree.beginCommitNow(stamp)
    try {
      await commitSurely(lanes, { tree: tree.tree, number: batch, stamp }, commit, patience, () =>
        observer.batchDoubted?.(),
      )
      // If another history has begun meanwhile, this process goes on from a batch that has it.
      if (tree.batch.batch === batch - 1) tree.apply(next())
    } finally {
      ended()
    }
  }
}

/** @throws what the database has thrown */
function rethrowCause(error: unknown): never {
  throw error instanceof DholeError && error.code === 'unavailable' ? (error.cause ?? error) : error
}

/** Distinguishes a batch from another one of the same number. */
function newStamp(): string {
  return crypto.randomUUID()
}
