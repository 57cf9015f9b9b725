import { DholeError } from '../../error.ts'
import type { Observer } from '../../observer.ts'
import type { IndexDeclaration } from '../../query/index-declarations.ts'
import type { Query } from '../../query/query.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { loopTurn } from '../../scheduling/loop-turn.ts'
import { atOnce } from '../../scheduling/steps.ts'
import type { NodeText, ReadText } from '../../tree/json/node-text.ts'
import type { JsonText } from '../../tree/json/print.ts'
import type { AnyText } from '../../tree/json/text-pieces.ts'
import type { Path } from '../../tree/path.ts'
import { type Authorization, type Reads as ReadingLogic, TRUSTED } from '../../tree/read-program.ts'
import { Followers } from '../followers.ts'
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
  StoreFollower,
  TreeStore,
} from '../store.ts'
import type { StoredSessions } from '../stored-sessions.ts'
import { TextCache } from '../text-cache.ts'
import { Checkpoint } from './commit/checkpoint.ts'
import { GroupCommit } from './commit/group-commit.ts'
import { HeldSnapshots } from './commit/held-snapshots.ts'
import { type Snapshot, Snapshots } from './commit/snapshots.ts'
import { TransactionRunner } from './commit/transaction.ts'
import { transactionParts } from './commit/transaction-parts.ts'
import { WalFile } from './commit/wal-file.ts'
import { closeWriter, leaveOpen } from './file/close-writer.ts'
import { type OpenFile, openFile } from './file/open.ts'
import type { SideTables } from './file/side-tables.ts'
import { IndexManager } from './indexes/manager.ts'
import type { SettingTexts } from './log/settings.ts'
import { CachedReads } from './query/cached-reads.ts'
import { ReadScheduler, UNLIMITED } from './query/read-scheduler.ts'
import { defaultStorage, type SqliteOptions } from './sqlite-options.ts'
import { runReads } from './tree/run-program.ts'

/**
 * The durable tree in one SQLite file.
 * @see docs/explanation/storage.md
 */
export class SqliteStore implements TreeStore {
  readonly sessions: StoredSessions
  readonly #file: OpenFile
  readonly #epoch: string
  readonly #snapshots: Snapshots
  readonly #checkpoint: Checkpoint
  readonly #groupCommit: GroupCommit
  readonly #cache: TextCache
  readonly #reads: ReadScheduler
  readonly indexAdministration: IndexManager
  readonly #cachedReads: CachedReads
  readonly #troubled: (error: unknown) => void
  readonly #followers: Followers
  /** As of the last durable commit. */
  #settings: SettingTexts
  #checked: Promise<void> | undefined
  #closed: Promise<void> | undefined
  /** Whether another evaluation of this program has taken over the file. */
  #isReplaced = false
  readonly #replacedListeners: (() => void)[] = []
  readonly #exports: HeldSnapshots

  /**
   * Opens or creates a file.
   * @throws when it is in use or is no database of this kind
   */
  constructor(file: string, options: SqliteOptions, observer: Observer) {
    const settings = { ...defaultStorage, ...options }
    this.#troubled = (error) => observer.storeTroubled(file, error)
    this.#followers = new Followers(this.#troubled)
    this.#file = openFile(file, () => this.#handOver())
    this.#epoch = this.#file.epoch
    const { writer } = this.#file
    const parts = transactionParts(writer, settings, observer)
    this.#settings = parts.settings.current
    this.sessions = parts.sessions
    this.#cache = new TextCache(settings.cacheLength)
    this.#snapshots = new Snapshots(file, settings.shortList)
    this.#exports = new HeldSnapshots(this.#snapshots)
    const moved = (bytes: number, milliseconds: number) => observer.checkpointed?.(bytes, milliseconds)
    this.#checkpoint = new Checkpoint(file, writer, settings.walLimitBytes, moved)
    this.#groupCommit = new GroupCommit(
      parts.log.lastSeq,
      {
        transactions: new TransactionRunner(writer, parts),
        snapshots: this.#snapshots,
        checkpoint: this.#checkpoint,
        walFile: new WalFile(file, settings.walLimitBytes, options.syncLog),
      },
      {
        onDurable: (commits, settings) => this.#publish(commits, settings),
        onFailed: (error) => observer.storeFailed(file, error),
        onTroubled: this.#troubled,
        onCommitted: (jobs, milliseconds) => observer.batchCommitted?.(jobs, milliseconds),
        onSynced: (milliseconds) => observer.logSynced?.(milliseconds),
      },
    )
    const current = () => this.#current()
    const checkOpen = () => this.#checkOpen()
    this.#reads = new ReadScheduler(this.#snapshots, () => this.#settings, current, checkOpen)
    const { reader, indexes: maintenance } = parts
    const commits = this.#groupCommit
    this.indexAdministration = new IndexManager({ ...settings, maintenance, reader, reads: this.#reads, commits })
    this.#cachedReads = new CachedReads(this.#cache, this.#snapshots, this.#reads, this.indexAdministration, current)
  }

  node(path: Path, limit: ReadLimit, authorize: Authorization): Awaitable<NodeText | undefined> {
    return this.#cachedReads.node(path, limit, authorize)
  }

  query(path: Path, query: Query, limit: ReadLimit, authorize: Authorization): Awaitable<ReadText | undefined> {
    return this.#cachedReads.query(path, query, limit, authorize)
  }

  shallow(
    path: Path,
    limit: ReadLimit,
    query: Query | undefined,
    authorize: Authorization,
  ): Awaitable<AnyText | undefined> {
    return this.#cachedReads.shallow(path, limit, query, authorize)
  }

  count(path: Path, query: Query | undefined, limit: ReadLimit, authorize: Authorization): Awaitable<number> {
    return this.#cachedReads.count(path, query, limit, authorize)
  }

  readAt(path: Path, query: Query | undefined, limit: ReadLimit, authorize: Authorization): Awaitable<ReadAt> {
    return this.#cachedReads.readAt(path, query, limit, authorize)
  }

  async declareIndexes(declarations: readonly IndexDeclaration[]): Promise<void> {
    await this.indexAdministration.declare(declarations)
  }

  indexes(): readonly IndexInfo[] {
    return this.#current().queries.indexes()
  }

  follow(follower: StoreFollower): () => void {
    return this.#followers.add(follower)
  }

  async *export(path: Path): AsyncGenerator<JsonText, void> {
    const snapshot = this.#current()
    const release = this.#exports.hold(snapshot)
    try {
      for (const piece of snapshot.exports.pieces(path)) {
        yield piece
        // Other work gets its turn, however fast the caller takes the pieces.
        await loopTurn.pause()
        this.#checkOpen()
      }
    } finally {
      release()
    }
  }

  read<T>(logic: () => ReadingLogic<T>): Awaitable<T> {
    return this.#reads.run(UNLIMITED, TRUSTED, ({ tree }) => runReads(logic(), tree, this.#settings))
  }

  /** This process is the only writer: it knows every commit. */
  fresh(): void {}

  readonly mayLag = false

  setting(name: string): string | undefined {
    return this.#settings.get(name)
  }

  commit<T>(job: Job<T>): Promise<Committed<T>> {
    return this.#groupCommit.commit(job)
  }

  /** Concurrent calls share one check. */
  check(): Promise<void> {
    this.#checked ??= this.#check().finally(() => {
      this.#checked = undefined
    })
    return this.#checked
  }

  /** Tables beside the tree in this file. */
  get sideTables(): SideTables {
    return {
      read: (work) => this.#reads.run(UNLIMITED, TRUSTED, ({ connection }) => work(connection.orm)),
      write: (work) => this.#groupCommit.write(work),
    }
  }

  changesAfter({ epoch, seq }: Position, limit: number): readonly LoggedChange[] | undefined {
    const { log, seq: lastSeq } = this.#current()
    return epoch === this.#epoch && seq <= lastSeq ? log.after(seq, limit, lastSeq) : undefined
  }

  changesNear({ epoch, seq }: Position, paths: readonly Path[]): LogRange | undefined {
    const { log, seq: lastSeq } = this.#current()
    return epoch === this.#epoch && seq <= lastSeq ? log.near(seq, paths, lastSeq) : undefined
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

  /** Calls back when a hot reload of the host has ended this store: another store has its file. */
  onReplaced(listener: () => void): void {
    this.#replacedListeners.push(listener)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #check(): Promise<void> {
    await this.#reads.run(UNLIMITED, TRUSTED, ({ tree }) => atOnce(() => tree.count([])))
    await this.#groupCommit.check()
  }

  async #close(): Promise<void> {
    const built = this.indexAdministration.close()
    // Cached texts would be answered for ever, whatever another process or evaluation writes.
    this.#cache.invalidate([])
    await this.#groupCommit.close()
    // Long reads see `#closed` at their next step and release their snapshots.
    await this.#reads.ended()
    // An export ends when its caller takes the next piece, which may be never.
    this.#exports.releaseAll()
    await built
    await this.#checkpoint.close()
    if (this.#isReplaced) return
    this.#snapshots.close()
    const { writer } = this.#file
    if (this.#groupCommit.hasFailed) leaveOpen(writer)
    else closeWriter(writer, this.#troubled)
    this.#file.unlock()
  }

  /**
   * Ends as `close` does, but releases the file before it returns: the new evaluation of the program cannot wait. Earlier
   * writes are answered; a read that takes several turns fails. The next store of the file moves the log.
   */
  #handOver(): void {
    this.#isReplaced = true
    this.#closed ??= this.#close()
    this.#groupCommit.finishNow()
    for (const listener of this.#replacedListeners) listener()
    this.#exports.releaseAll()
    this.#snapshots.closeAll()
    this.#checkpoint.release()
    const { writer } = this.#file
    if (this.#groupCommit.hasFailed) leaveOpen(writer)
    else writer.client.close()
    this.#file.unlock()
    this.#closed.catch(this.#troubled)
  }

  /** The latest durable commit. @throws `unavailable` once closed */
  #current(): Snapshot {
    this.#checkOpen()
    const current = this.#snapshots.current
    if (current !== undefined) return current
    // A checkpoint runs: all commits are durable, and no transaction starts meanwhile.
    const opened = this.#snapshots.open(this.#groupCommit.lastSeq)
    this.#snapshots.publish(opened)
    return opened
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw new DholeError('unavailable')
  }

  #publish(commits: readonly Commit[], settings: SettingTexts): void {
    for (const { path, writes } of commits) this.#cache.invalidateAll(path, writes)
    const hasSettings = settings !== this.#settings
    this.#settings = settings
    this.#followers.report(commits, hasSettings)
  }
}
