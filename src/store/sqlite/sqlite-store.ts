import pLimit from 'p-limit'
import type { Observer } from '../../observer.ts'
import type { IndexDeclaration } from '../../query/indexes.ts'
import type { Query } from '../../query/query.ts'
import type { Awaitable } from '../../tree/awaitable.ts'
import { DholeError } from '../../tree/error.ts'
import type { NodeText, ReadText } from '../../tree/node-text.ts'
import { formatPath, type Path } from '../../tree/path.ts'
import type { JsonText } from '../../tree/print.ts'
import type { Commit, IndexInfo, Job, LoggedChange, Position, ReadLimit, TreeStore } from '../store.ts'
import { BatchRunner } from './batch.ts'
import { ChangeLog, defaultRetention, type LogRetention } from './change-log.ts'
import { Checkpoint } from './checkpoint.ts'
import { DurabilityPipeline } from './durability.ts'
import { IndexKeeper } from './index-keeper.ts'
import { IndexMaintenance } from './index-maintenance.ts'
import { LogFile, type SyncLog } from './log-file.ts'
import { type OpenFile, openFile } from './open.ts'
import type { OpenAccess, QueryReader } from './query.ts'
import { TreeReader } from './read.ts'
import { type Snapshot, Snapshots } from './snapshots.ts'
import { runBriefly, runInTurns } from './steps.ts'
import { Sweep } from './sweep.ts'
import { TextCache } from './text-cache.ts'
import { TreeWriter } from './write.ts'

/** Settings of the SQLite engine; all have defaults. */
export interface SqliteOptions extends Partial<LogRetention> {
  /** Longest text of a subtree kept as one row, in UTF-16 code units. Default 4096; 0 makes every object interior. */
  readonly inlineLength?: number
  /** Length of the write-ahead log at which writes pause until it has been folded in, in bytes. Default 64 MiB. */
  readonly walLimitBytes?: number
  /** Finished text kept for reading again, in UTF-16 code units. Default 32 Mi. */
  readonly cacheLength?: number
  /** Children up to which a list is sorted in memory; a longer one gets an index when it is first sorted. Default 64. */
  readonly shortList?: number
  /** Time after which an index that no query has used is dropped, in milliseconds. Default 7 days. */
  readonly indexIdleMs?: number
  /** Replaces `fdatasync`, for tests of what is visible before a sync has returned. */
  readonly syncLog?: SyncLog
}

const MEBI = 1024 * 1024
export const defaultStorage = {
  inlineLength: 4096,
  walLimitBytes: 64 * MEBI,
  cacheLength: 32 * MEBI,
  shortList: 64,
  indexIdleMs: 7 * 24 * 60 * 60 * 1000,
  ...defaultRetention,
}

/** Reading that nobody has asked for in a request. */
const UNLIMITED: ReadLimit = { maxLength: Number.POSITIVE_INFINITY, timeoutMs: Number.POSITIVE_INFINITY }
/** A list may be replaced by another one, without its index, each time one has been built. */
const INDEX_ATTEMPTS = 3

/** Reads that take several turns, at once: each holds a snapshot and a growing text. */
const LONG_READS = 4

/** What is read along a way that has been found. */
type SelectionReading<T> = (reader: QueryReader, access: OpenAccess) => Generator<void, T>

/** Instead of an answer: what must be built first. */
class MissingIndex {
  readonly listId: number
  readonly name: string

  constructor(listId: number, name: string) {
    this.listId = listId
    this.name = name
  }
}

/**
 * The durable tree in one SQLite file.
 * @see docs/architecture.md#storage
 */
export class SqliteStore implements TreeStore {
  readonly #file: OpenFile
  readonly #epoch: string
  readonly #snapshots: Snapshots
  readonly #checkpoint: Checkpoint
  readonly #pipeline: DurabilityPipeline
  readonly #cache: TextCache
  readonly #indexes: IndexKeeper
  readonly #longReads = pLimit(LONG_READS)
  #closed: Promise<void> | undefined

  /**
   * Opens or creates a file.
   * @throws when it is in use or is no database of this kind
   */
  constructor(file: string, options: SqliteOptions, observer: Observer) {
    const settings = { ...defaultStorage, ...options }
    this.#file = openFile(file)
    this.#epoch = this.#file.epoch
    const { writer } = this.#file
    const reader = new TreeReader(writer)
    const log = new ChangeLog(writer, settings)
    const maintenance = new IndexMaintenance(writer, reader)
    const sweep = new Sweep(writer, maintenance.definitions, maintenance.entries)
    const treeWriter = new TreeWriter(writer, reader, sweep, maintenance, settings.inlineLength)
    const runner = new BatchRunner(writer, reader, treeWriter, log, sweep, maintenance)
    this.#cache = new TextCache(settings.cacheLength)
    this.#snapshots = new Snapshots(file, settings.shortList)
    this.#checkpoint = new Checkpoint(file, writer, settings.walLimitBytes)
    this.#pipeline = new DurabilityPipeline(
      log.lastSeq,
      {
        runner,
        snapshots: this.#snapshots,
        checkpoint: this.#checkpoint,
        logFile: new LogFile(file, settings.walLimitBytes, options.syncLog),
      },
      {
        onDurable: (commits) => this.#forgetChanged(commits),
        onFailed: (error) => observer.storeFailed(file, error),
        onTroubled: (error) => observer.storeTroubled(file, error),
      },
    )
    this.#indexes = new IndexKeeper({
      maintenance,
      reader,
      wake: () => this.#pipeline.wake(),
      read: async (start) => this.#read(UNLIMITED, start),
      idleMs: settings.indexIdleMs,
      shortList: settings.shortList,
    })
  }

  node(path: Path, limit: ReadLimit): Awaitable<NodeText | undefined> {
    const cached = this.#cache.get(formatPath(path))
    if (cached !== undefined) {
      if (cached.stored.length > limit.maxLength) throw new DholeError('read-too-big')
      return cached
    }
    return this.#read(limit, (snapshot) => this.#readNode(snapshot, path, limit))
  }

  query(path: Path, query: Query, limit: ReadLimit): Awaitable<ReadText | undefined> {
    return this.#select(path, query, limit, (reader, access) => reader.answer(access, query, limit.maxLength))
  }

  shallow(path: Path, limit: ReadLimit, query?: Query): Awaitable<JsonText | undefined> {
    if (query === undefined) return this.#read(limit, (snapshot) => snapshot.tree.shallow(path, limit.maxLength))
    return this.#select(path, query, limit, (reader, access) => reader.keys(access, query, limit.maxLength))
  }

  count(path: Path, query?: Query): Awaitable<number> {
    if (query === undefined) return this.#current().tree.count(path)
    return this.#select(path, query, UNLIMITED, (reader, access) => reader.count(access, query))
  }

  async declareIndexes(declarations: readonly IndexDeclaration[]): Promise<void> {
    await this.#indexes.declare(declarations)
  }

  indexes(): readonly IndexInfo[] {
    return this.#current().queries.indexes()
  }

  commit(job: Job): Promise<Commit | undefined> {
    return this.#pipeline.commit(job)
  }

  changesAfter({ epoch, seq }: Position, limit: number): readonly LoggedChange[] | undefined {
    const { log, seq: lastSeq } = this.#current()
    if (epoch !== this.#epoch || seq > lastSeq) return undefined
    return log.after(seq, limit, lastSeq)
  }

  position(): Position {
    return { epoch: this.#epoch, seq: this.#current().seq }
  }

  swept(): Promise<void> {
    return this.#pipeline.idle()
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.#indexes.stop()
    await this.#pipeline.close()
    // Long reads see `#closed` at their next step and let go of their snapshots.
    while (this.#longReads.activeCount > 0) await new Promise(setImmediate)
    await this.#checkpoint.close()
    this.#snapshots.close()
    this.#file.writer.client.run('PRAGMA wal_checkpoint(TRUNCATE)')
    this.#file.writer.client.close()
    this.#file.unlock()
  }

  /** Reads what a query chooses; when an index is missing, as soon as it is there. */
  #select<T>(path: Path, query: Query, limit: ReadLimit, read: SelectionReading<T>): Awaitable<T> {
    const selected = this.#read(limit, (snapshot) => this.#selection(snapshot, path, query, read, false))
    if (!(selected instanceof Promise)) {
      return selected instanceof MissingIndex ? this.#selectLater(selected, path, query, limit, read) : selected
    }
    return selected.then((later) =>
      later instanceof MissingIndex ? this.#selectLater(later, path, query, limit, read) : later,
    )
  }

  async #selectLater<T>(
    missing: MissingIndex,
    path: Path,
    query: Query,
    limit: ReadLimit,
    read: SelectionReading<T>,
  ): Promise<T> {
    let wanted = missing
    for (let attempt = 1; attempt <= INDEX_ATTEMPTS; attempt++) {
      try {
        await this.#indexes.want(wanted.listId, wanted.name)
      } catch {
        // Whoever cannot write can still sort.
        break
      }
      const selected = await this.#read(limit, (snapshot) => this.#selection(snapshot, path, query, read, false))
      if (!(selected instanceof MissingIndex)) return selected
      wanted = selected
    }
    const selected = await this.#read(limit, (snapshot) => this.#selection(snapshot, path, query, read, true))
    if (selected instanceof MissingIndex) throw new DholeError('internal')
    return selected
  }

  /** @param anyway whether to go without an index that is missing */
  *#selection<T>(
    { queries }: Snapshot,
    path: Path,
    query: Query,
    read: SelectionReading<T>,
    anyway: boolean,
  ): Generator<void, T | MissingIndex> {
    const found = queries.finder.find(path, query)
    if (found.kind === 'missing' && !anyway) return new MissingIndex(found.list.id, found.name)
    const access = found.kind === 'missing' ? queries.finder.withoutIndex(found) : found
    if ((access.kind === 'index' || access.kind === 'merge') && access.index !== undefined) {
      this.#indexes.noteUse(access.index.id)
    }
    return yield* read(queries, access)
  }

  *#readNode(snapshot: Snapshot, path: Path, limit: ReadLimit): Generator<void, NodeText | undefined> {
    const text = yield* snapshot.tree.node(path, limit.maxLength)
    // A long read may end on a commit that is no longer the latest: its text is right, but not worth keeping.
    if (text !== undefined && snapshot.seq === this.#snapshots.current?.seq) this.#cache.set(path, text)
    return text
  }

  #current(): Snapshot {
    if (this.#closed !== undefined) throw new DholeError('unavailable')
    const current = this.#snapshots.current
    if (current !== undefined) return current
    // Readers have let go for a checkpoint: all commits are durable and no new one comes meanwhile.
    const pinned = this.#snapshots.pin(this.#pipeline.lastSeq)
    this.#snapshots.promote(pinned)
    return pinned
  }

  /** Most reads end at once. One that does not gives way to others between its steps, on the snapshot it began with. */
  #read<T>(limit: ReadLimit, start: (snapshot: Snapshot) => Generator<void, T>): Awaitable<T> {
    const snapshot = this.#current()
    const steps = start(snapshot)
    const finished = runBriefly(steps)
    if (finished !== undefined) return finished.value
    if (this.#longReads.activeCount >= LONG_READS) {
      // A queue of half-done reads would hold a snapshot each: this one starts over when its turn comes.
      return this.#longReads(() => this.#readInTurns(limit, this.#current(), start))
    }
    return this.#longReads(() => this.#readInTurns(limit, snapshot, () => steps))
  }

  async #readInTurns<T>(
    limit: ReadLimit,
    snapshot: Snapshot,
    start: (snapshot: Snapshot) => Generator<void, T>,
  ): Promise<T> {
    const deadline = performance.now() + limit.timeoutMs
    this.#snapshots.retain(snapshot)
    try {
      return await runInTurns(start(snapshot), () => {
        if (performance.now() > deadline) throw new DholeError('read-too-big')
        if (this.#closed !== undefined) throw new DholeError('unavailable')
      })
    } finally {
      this.#snapshots.release(snapshot)
    }
  }

  #forgetChanged(commits: readonly Commit[]): void {
    for (const { writes } of commits) for (const { path } of writes) this.#cache.invalidate(path)
  }
}
