import { DholeError } from '../../error.ts'
import type { Observer } from '../../observer.ts'
import type { IndexDeclaration } from '../../query/index-declarations.ts'
import { isUnbounded, type Query, queryName } from '../../query/query.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import type { NodeText, ReadText } from '../../tree/json/node-text.ts'
import type { JsonText } from '../../tree/json/print.ts'
import type { AnyText } from '../../tree/json/text-pieces.ts'
import { formatPath, type Path } from '../../tree/path.ts'
import type { AuthorizeRead, Reads as ReadingLogic } from '../../tree/read-program.ts'
import type {
  Commit,
  Committed,
  IndexInfo,
  Job,
  LoggedChange,
  LogRange,
  Position,
  ReadAt,
  ReadLimit,
  TreeStore,
} from '../store.ts'
import { Checkpoint } from './commit/checkpoint.ts'
import { GroupCommit } from './commit/group-commit.ts'
import { type Snapshot, Snapshots } from './commit/snapshots.ts'
import { TransactionRunner } from './commit/transaction.ts'
import { type SyncLog, WalFile } from './commit/wal-file.ts'
import { type Connection, setScanning } from './file/connection.ts'
import { type OpenFile, openFile } from './file/open.ts'
import type { SideTables } from './file/side-tables.ts'
import { IndexMaintenance } from './indexes/maintenance.ts'
import { IndexManager } from './indexes/manager.ts'
import { ChangeLog, defaultRetention, type LogRetention } from './log/change-log.ts'
import { defaultRecordRetention, IdempotencyRecords, type RecordRetention } from './log/idempotency-records.ts'
import { Settings, type SettingTexts } from './log/settings.ts'
import { ReadScheduler, UNLIMITED } from './query/read-scheduler.ts'
import { type AccessPathReader, Selector } from './query/select.ts'
import { Staging } from './staging/staging.ts'
import { DeletedSubtrees } from './tree/deleted-subtrees.ts'
import { runReads } from './tree/run-program.ts'
import { TextCache } from './tree/text-cache.ts'
import { TreeReader } from './tree/tree-reader.ts'
import { TreeWriter } from './tree/tree-writer.ts'

/** Settings of the SQLite engine; all have defaults. */
export interface SqliteOptions extends Partial<LogRetention>, Partial<RecordRetention> {
  /** Longest text of a subtree kept as one row, in UTF-16 code units. Default 4096; 0 makes every object interior. */
  readonly inlineLength?: number
  /** Text from which on a value is written before its commit, in UTF-16 code units. Default 16 Ki. */
  readonly stagedLength?: number
  /** Writes from which on those of one change are prepared before its commit. Default 512. */
  readonly preparedWrites?: number
  /** Length of the write-ahead log at which writes pause until it has been folded in, in bytes. Default 64 MiB. */
  readonly walLimitBytes?: number
  /** Finished text kept for reading again, in UTF-16 code units. Default 32 Mi. */
  readonly cacheLength?: number
  /** Children up to which a list is sorted in memory; a longer one gets an index when it is first sorted. Default 64. */
  readonly shortList?: number
  /** Time after which an index that no query has used is dropped, in milliseconds. Default 7 days. */
  readonly indexIdleMs?: number
  /** Entries that all indexes together may have that queries have made and nobody has declared. Default 2,000,000. */
  readonly maxIndexEntries?: number
  /** Replaces `fdatasync`, for tests of what is visible before a sync has returned. */
  readonly syncLog?: SyncLog
}

const MEBI = 1024 * 1024
export const defaultStorage = {
  inlineLength: 4096,
  stagedLength: 16 * 1024,
  preparedWrites: 512,
  walLimitBytes: 64 * MEBI,
  cacheLength: 32 * MEBI,
  shortList: 64,
  indexIdleMs: 7 * 24 * 60 * 60 * 1000,
  maxIndexEntries: 2_000_000,
  ...defaultRetention,
  ...defaultRecordRetention,
}

/** Connections to files whose log could not be synced. */
const leftOpen = new Set<Connection>()

/**
 * The durable tree in one SQLite file.
 * @see docs/explanation/storage.md
 */
export class SqliteStore implements TreeStore {
  readonly #file: OpenFile
  readonly #epoch: string
  readonly #snapshots: Snapshots
  readonly #checkpoint: Checkpoint
  readonly #groupCommit: GroupCommit
  readonly #cache: TextCache
  readonly #reads: ReadScheduler
  readonly #indexes: IndexManager
  readonly #selector: Selector
  readonly #troubled: (error: unknown) => void
  readonly #listeners = new Set<(commits: readonly Commit[]) => void>()
  /** As of the last durable commit. */
  #settings: SettingTexts
  #checked: Promise<void> | undefined
  #closed: Promise<void> | undefined
  /** Whether another evaluation of this program has the file now. */
  #isReplaced = false
  readonly #replacedListeners: (() => void)[] = []
  /** Ends of the exports under way. */
  readonly #held = new Set<() => void>()

  /**
   * Opens or creates a file.
   * @throws when it is in use or is no database of this kind
   */
  constructor(file: string, options: SqliteOptions, observer: Observer) {
    const settings = { ...defaultStorage, ...options }
    this.#troubled = (error) => observer.storeTroubled(file, error)
    this.#file = openFile(file, () => this.#handOver())
    this.#epoch = this.#file.epoch
    const { writer } = this.#file
    const reader = new TreeReader(writer)
    const log = new ChangeLog(writer, settings)
    const maintenance = new IndexMaintenance(writer, reader, {
      onBegun: () => observer.indexBegun?.(),
      onBuilt: (rows, milliseconds) => observer.indexBuilt?.(rows, milliseconds),
    })
    const deletedSubtrees = new DeletedSubtrees(writer, maintenance.definitions, maintenance.entries)
    const treeWriter = new TreeWriter(writer, reader, deletedSubtrees, maintenance, settings.inlineLength)
    const texts = new Settings(writer)
    this.#settings = texts.current
    const transactions = new TransactionRunner(writer, {
      reader,
      writer: treeWriter,
      log,
      records: new IdempotencyRecords(writer, settings),
      settings: texts,
      deletedSubtrees,
      indexes: maintenance,
      staging: new Staging(treeWriter, settings),
    })
    this.#cache = new TextCache(settings.cacheLength)
    this.#snapshots = new Snapshots(file, settings.shortList)
    this.#checkpoint = new Checkpoint(file, writer, settings.walLimitBytes, (bytes, milliseconds) =>
      observer.checkpointed?.(bytes, milliseconds),
    )
    this.#groupCommit = new GroupCommit(
      log.lastSeq,
      {
        transactions,
        snapshots: this.#snapshots,
        checkpoint: this.#checkpoint,
        walFile: new WalFile(file, settings.walLimitBytes, options.syncLog),
      },
      {
        onDurable: (commits, settled) => {
          this.#settings = settled
          this.#publish(commits)
        },
        onFailed: (error) => observer.storeFailed(file, error),
        onTroubled: this.#troubled,
        onCommitted: (jobs, milliseconds) => observer.batchCommitted?.(jobs, milliseconds),
        onSynced: (milliseconds) => observer.logSynced?.(milliseconds),
      },
    )
    this.#reads = new ReadScheduler(
      this.#snapshots,
      () => this.#settings,
      () => this.#current(),
      () => this.#checkOpen(),
    )
    const wake = () => this.#groupCommit.wake()
    this.#indexes = new IndexManager({ ...settings, maintenance, reader, reads: this.#reads, wake })
    this.#selector = new Selector(this.#reads, this.#indexes)
  }

  node(path: Path, limit: ReadLimit, authorize?: AuthorizeRead): Awaitable<NodeText | undefined> {
    const cached = this.#cached(path, limit, authorize)
    if (cached !== undefined) return cached
    return this.#reads.run(limit, authorize, (snapshot) => this.#readNode(snapshot, path, limit))
  }

  query(path: Path, query: Query, limit: ReadLimit, authorize?: AuthorizeRead): Awaitable<ReadText | undefined> {
    const name = queryName(query)
    const cached = this.#cachedAnswer(path, name, limit, authorize)
    return cached ?? this.#selector.select({ path, query, limit, authorize }, this.#answering(path, query, name, limit))
  }

  shallow(path: Path, limit: ReadLimit, query?: Query, authorize?: AuthorizeRead): Awaitable<AnyText | undefined> {
    if (query === undefined)
      return this.#reads.run(limit, authorize, (snapshot) => snapshot.tree.shallow(path, limit.maxLength))
    return this.#selector.select({ path, query, limit, authorize }, (reader, accessPath) =>
      reader.keys(accessPath, query, limit.maxLength),
    )
  }

  count(path: Path, query?: Query, limit: ReadLimit = UNLIMITED, authorize?: AuthorizeRead): Awaitable<number> {
    // Without bounds the order does not matter, nor whether there is an index for it.
    if (query === undefined || isUnbounded(query)) {
      // biome-ignore lint/correctness/useYield: one look tells
      return this.#reads.run(limit, authorize, function* ({ tree }) {
        return tree.count(path)
      })
    }
    return this.#selector.select({ path, query, limit, authorize }, (reader, accessPath) =>
      reader.count(accessPath, query),
    )
  }

  async declareIndexes(declarations: readonly IndexDeclaration[]): Promise<void> {
    await this.#indexes.declare(declarations)
  }

  indexes(): readonly IndexInfo[] {
    return this.#current().queries.indexes()
  }

  readAt(path: Path, query: Query | undefined, limit: ReadLimit, authorize?: AuthorizeRead): Awaitable<ReadAt> {
    const name = query && queryName(query)
    const value =
      name === undefined ? this.#cached(path, limit, authorize) : this.#cachedAnswer(path, name, limit, authorize)
    if (value !== undefined) return { seq: this.#current().seq, value }
    if (query === undefined || name === undefined) {
      const read = this.#readNode.bind(this)
      return this.#reads.run(limit, authorize, function* (snapshot): Generator<void, ReadAt> {
        return { seq: snapshot.seq, value: yield* read(snapshot, path, limit) }
      })
    }
    const answer = this.#answering(path, query, name, limit)
    return this.#selector.select({ path, query, limit, authorize }, function* (reader, accessPath, snapshot): Generator<
      void,
      ReadAt
    > {
      return { seq: snapshot.seq, value: yield* answer(reader, accessPath, snapshot) }
    })
  }

  onCommit(listener: (commits: readonly Commit[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async *export(path: Path): AsyncGenerator<JsonText, void> {
    const snapshot = this.#current()
    const end = this.#hold(snapshot)
    try {
      for (const piece of snapshot.exports.pieces(path)) {
        yield piece
        // Others get their turn, whoever takes the pieces.
        await new Promise(setImmediate)
        this.#checkOpen()
      }
    } finally {
      end()
    }
  }

  read<T>(logic: () => ReadingLogic<T>): Awaitable<T> {
    return this.#reads.run(UNLIMITED, undefined, ({ tree }) => runReads(logic(), tree, this.#settings))
  }

  /** This process is the only writer: it knows every commit. */
  fresh(): void {}

  setting(name: string): string | undefined {
    return this.#settings.get(name)
  }

  commit<T>(job: Job<T>): Promise<Committed<T>> {
    return this.#groupCommit.commit(job)
  }

  /** Those who ask while it is being found out hear the same. */
  check(): Promise<void> {
    this.#checked ??= this.#check().finally(() => {
      this.#checked = undefined
    })
    return this.#checked
  }

  /** The tables of others in this file. */
  get sideTables(): SideTables {
    return {
      read: (work) => this.#reads.run(UNLIMITED, undefined, ({ connection }) => work(connection.orm)),
      write: (work) => this.#groupCommit.write(work),
    }
  }

  changesAfter({ epoch, seq }: Position, limit: number): readonly LoggedChange[] | undefined {
    const { log, seq: lastSeq } = this.#current()
    if (epoch !== this.#epoch || seq > lastSeq) return undefined
    return log.after(seq, limit, lastSeq)
  }

  changesNear({ epoch, seq }: Position, paths: readonly Path[]): LogRange | undefined {
    const { log, seq: lastSeq } = this.#current()
    if (epoch !== this.#epoch || seq > lastSeq) return undefined
    return log.near(seq, paths, lastSeq)
  }

  position(): Position {
    return { epoch: this.#epoch, seq: this.#current().seq }
  }

  swept(): Promise<void> {
    return this.#groupCommit.idle()
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  /** Calls back when a hot reload of the host has ended this store: another one has its file. */
  onReplaced(listener: () => void): void {
    this.#replacedListeners.push(listener)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #check(): Promise<void> {
    // biome-ignore lint/correctness/useYield: one look tells
    await this.#reads.run(UNLIMITED, undefined, function* ({ tree }) {
      tree.count([])
    })
    await this.#groupCommit.check()
  }

  async #close(): Promise<void> {
    this.#indexes.stop()
    // What is kept would be told for ever, whatever another process or evaluation writes.
    this.#cache.invalidate([])
    await this.#groupCommit.close()
    // Long reads see `#closed` at their next step and let go of their snapshots.
    await this.#reads.ended()
    // Whoever takes pieces of an export hears of it when the next one is wanted, which may be never.
    for (const end of this.#held) end()
    await this.#checkpoint.close()
    if (this.#isReplaced) return
    this.#snapshots.close()
    this.#closeWriter()
    this.#file.unlock()
  }

  /**
   * Ends as `close` does, but lets go of the file before it returns: whoever evaluates the program anew cannot wait. All
   * that was written before is answered; a read that takes several turns fails. The next to open the file moves the log.
   */
  #handOver(): void {
    this.#isReplaced = true
    this.#closed ??= this.#close()
    this.#groupCommit.finishNow()
    for (const listener of this.#replacedListeners) listener()
    for (const end of this.#held) end()
    this.#snapshots.closeAll()
    this.#checkpoint.release()
    const { writer } = this.#file
    if (this.#groupCommit.hasFailed) leftOpen.add(writer)
    else writer.client.close()
    this.#file.unlock()
    this.#closed.catch(this.#troubled)
  }

  /** Moves the log into the file. Where that cannot be, the log stays, and whoever opens the file next does it. */
  #closeWriter(): void {
    const { writer } = this.#file
    if (this.#groupCommit.hasFailed) {
      // Closing would move a log of which nobody knows what the disk has: it stays open until the process ends.
      leftOpen.add(writer)
      return
    }
    try {
      // Another process may be reading, a backup or a doctor: then the log stays, and nobody waits for it.
      writer.client.run('PRAGMA busy_timeout = 0')
      writer.client.run('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch (error) {
      this.#troubled(error)
    }
    writer.client.close()
  }

  /** Keeps a snapshot for as long as somebody takes his time with it, but no longer than the store is open. */
  #hold(snapshot: Snapshot): () => void {
    this.#snapshots.retain(snapshot)
    setScanning(snapshot.connection, true)
    const end = () => {
      if (!this.#held.delete(end)) return
      setScanning(snapshot.connection, false)
      this.#snapshots.release(snapshot)
    }
    this.#held.add(end)
    return end
  }

  #answering(path: Path, query: Query, name: string, { maxLength }: ReadLimit): AccessPathReader<ReadText | undefined> {
    const cache = this.#cache
    const isCurrent = (snapshot: Snapshot) => snapshot.seq === this.#snapshots.current?.seq
    return function* (reader, accessPath, snapshot): Generator<void, ReadText | undefined> {
      const text = yield* reader.answer(accessPath, query, maxLength)
      const index = accessPath.kind === 'index' || accessPath.kind === 'merge' ? accessPath.index?.id : undefined
      if (text !== undefined && isCurrent(snapshot)) cache.setAnswer(path, name, { text, index })
      return text
    }
  }

  #cachedAnswer(path: Path, name: string, { maxLength }: ReadLimit, authorize?: AuthorizeRead): ReadText | undefined {
    const cached = this.#cache.getAnswer(formatPath(path), name)
    if (cached === undefined || !this.#reads.isAllowedNow(authorize)) return undefined
    if (cached.text.length > maxLength) throw new DholeError('read-too-big')
    if (cached.index !== undefined) this.#indexes.recordUse(cached.index)
    return cached.text
  }

  #cached(path: Path, { maxLength }: ReadLimit, authorize?: AuthorizeRead): NodeText | undefined {
    const cached = this.#cache.get(formatPath(path))
    if (cached === undefined || !this.#reads.isAllowedNow(authorize)) return undefined
    if (cached.stored.length > maxLength) throw new DholeError('read-too-big')
    return cached
  }

  *#readNode(snapshot: Snapshot, path: Path, limit: ReadLimit): Generator<void, NodeText | undefined> {
    const text = yield* snapshot.tree.node(path, limit.maxLength)
    // A long read may end on a commit that is no longer the latest: its text is right, but not worth keeping.
    if (text !== undefined && snapshot.seq === this.#snapshots.current?.seq) this.#cache.set(path, text)
    return text
  }

  /** The latest durable commit. @throws `unavailable` once closed */
  #current(): Snapshot {
    this.#checkOpen()
    const current = this.#snapshots.current
    if (current !== undefined) return current
    // Readers have let go for a checkpoint: all commits are durable and no new one comes meanwhile.
    const pinned = this.#snapshots.open(this.#groupCommit.lastSeq)
    this.#snapshots.publish(pinned)
    return pinned
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw new DholeError('unavailable')
  }

  #publish(commits: readonly Commit[]): void {
    for (const { writes } of commits) for (const { path } of writes) this.#cache.invalidate(path)
    if (commits.length === 0) return
    for (const listener of this.#listeners) {
      try {
        listener(commits)
      } catch (error) {
        // Whoever waits for these commits must hear of them whatever listeners do.
        this.#troubled(error)
      }
    }
  }
}
