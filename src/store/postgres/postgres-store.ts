import { DholeError } from '../../error.ts'
import type { Observer } from '../../observer.ts'
import type { IndexDeclaration } from '../../query/index-declarations.ts'
import type { Query } from '../../query/query.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import type { NodeText, ReadText } from '../../tree/json/node-text.ts'
import type { JsonText } from '../../tree/json/print.ts'
import type { AnyText } from '../../tree/json/text-pieces.ts'
import type { Path } from '../../tree/path.ts'
import type { Authorization, Reads } from '../../tree/read-program.ts'
import { Followers } from '../followers.ts'
import type {
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
import { TreeAgreement } from './agreement/tree-agreement.ts'
import { AppliedTree } from './applied-tree.ts'
import { LogFlag, type RunBatch } from './batch.ts'
import { sharedCheck } from './check-writable.ts'
import { BatchQueue } from './commit/batch-queue.ts'
import { BatchRunner } from './commit/batch-runner.ts'
import { RecordClock } from './commit/record-clock.ts'
import { Tidying } from './commit/tidying/tidying.ts'
import { openTree } from './commit/tree-head.ts'
import { troubleReporter } from './connection/database-errors.ts'
import type { StorageClock } from './database-clock.ts'
import { Follower } from './follow/follower.ts'
import { followMove } from './follow/moved-tree.ts'
import { IndexManager } from './indexes/manager.ts'
import type { OpenedTree } from './opened-tree.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { type PostgresOptions, type PostgresStoreSettings, settingsOf } from './postgres-options.ts'
import { openReads as openPostgresReads } from './reads/open-reads.ts'
import { TreeSessions } from './sessions/tree-sessions.ts'
import { type SideTables, sideTables } from './side-tables.ts'
import type { OpenReads, StoreReads } from './store-reads.ts'

/**
 * The durable tree of one application on PostgreSQL.
 * @see docs/explanation/postgres.md
 */
export class PostgresStore implements TreeStore {
  readonly #tree: AppliedTree
  readonly #queue: BatchQueue
  readonly #tidying: Tidying
  readonly indexAdministration: IndexManager
  readonly #reads: StoreReads
  readonly #followers: Followers
  readonly #follower: Follower
  readonly #waitMs: number
  readonly #unfollow: () => void
  readonly mayLag: boolean
  readonly clock: StorageClock
  readonly #closing: (() => Promise<void>)[] = []
  readonly #check: () => Promise<void>
  #closed: Promise<void> | undefined

  private constructor(opened: OpenedTree, settings: PostgresStoreSettings, observer: Observer, openReads: OpenReads) {
    const { database, application, tree, lastRecord } = opened
    const { lanes, clock, row, confirmations } = database
    const troubled = troubleReporter((error) => observer.storeTroubled(application, error))
    this.#check = sharedCheck(lanes, tree.tree)
    this.clock = clock
    this.#waitMs = settings.waitMs
    this.#tree = tree
    this.#followers = new Followers(troubled)
    const records = new RecordClock(lastRecord, settings.noteAgeMs, clock.now)
    this.#tidying = new Tidying({ lanes, tree, records, clock }, settings, troubled)
    this.indexAdministration = new IndexManager({
      statements: lanes,
      tree: tree.tree,
      clock,
      run: (work) => this.run(work),
      events: {
        onBegun: () => observer.indexBegun?.(),
        onBuilt: (rows, milliseconds) => observer.indexBuilt?.(rows, milliseconds),
        onFailed: troubled,
      },
      ...settings,
    })
    const { cacheLength, shortList, waitMs } = settings
    this.#follower = new Follower(lanes, tree, database.freshness, database.history, observer)
    this.#reads = openReads({
      ...{ lanes, tree, indexes: this.indexAdministration, cacheLength, shortList, waitMs },
      fresh: () => this.fresh(),
      reach: (batch) => this.#follower.reach(batch),
    })
    const runner = new BatchRunner({
      ...{ lanes, process: row.id },
      tree,
      records,
      clock,
      follower: this.#follower,
      openIndexes: this.indexAdministration.openBatch,
      fetchIndexes: (statements, lists) => this.indexAdministration.learn(statements, lists),
      readInterior: (kind, path) => this.#reads.interior(kind, path),
      onWritten: (written) => this.#tidying.written(written),
      observer,
      inlineLength: settings.inlineLength,
      waitMs,
    })
    this.sideTables = sideTables(database, {
      tree: tree.tree,
      run: (work) => this.run(work),
      checkOpen: () => this.#checkOpen(),
      waitMs: settings.waitMs,
    })
    this.sessions = new TreeSessions(this.sideTables)
    const committed = (jobs: number, milliseconds: number) => observer.batchCommitted?.(jobs, milliseconds)
    this.#queue = new BatchQueue(runner, committed, troubled)
    this.agreement = new TreeAgreement({ tree, follower: this.#follower, row, confirmations })
    tree.onApplied(({ flags, commits, isForeign }) => {
      this.agreement.check()
      if (isForeign === true) this.sessions.applied(flags)
      this.indexAdministration.applied(flags)
      this.agreement.applied(flags, this.#followers.report(commits, (flags & LogFlag.settings) !== 0))
    })
    const { hints, history } = database
    const unfollow = [hints.follow({ tree, follower: this.#follower }), history.follow(() => this.#follower.rebase())]
    this.#unfollow = () => unfollow.map((end) => end())
    this.mayLag = database.reads === 'recent'
    this.#tidying.wake()
  }

  /**
   * Opens the tree of an application, or makes it, if `makes` says so.
   * @throws `app-unknown`, and what the database throws
   */
  static async open(
    database: PostgresDatabase,
    application: string,
    options: PostgresOptions,
    observer: Observer,
    openReads: OpenReads = openPostgresReads,
    makes = true,
  ): Promise<PostgresStore> {
    const { tree, epoch, batch, texts, lastRecord } = await openTree(database.lanes, application, makes)
    const troubled = troubleReporter((error) => observer.storeTroubled(application, error))
    const applied = new AppliedTree(tree, epoch, batch, texts, troubled)
    const parts = { database, application, tree: applied, lastRecord }
    const store = new PostgresStore(parts, settingsOf(options), observer, openReads)
    const ends = [() => store.indexAdministration.close(), () => store.#tidying.close()]
    followMove({ lanes: database.lanes, tree: applied, application, ends, onTroubled: troubled })
    return store
  }

  /** Number of the tree: first column of every table. */
  get tree(): number {
    return this.#tree.tree
  }

  /** Calls a listener when the tree was moved elsewhere: nothing is read or written here any more. */
  onMoved(listener: () => void): void {
    this.#tree.onMoved(listener)
  }

  /** Ends work beside the tree before it is closed. */
  onClosing(end: () => Promise<void>): void {
    this.#closing.push(end)
  }

  /** What processes exchange beside the tree. */
  readonly agreement: TreeAgreement

  /** Tables beside the tree. */
  readonly sideTables: SideTables

  readonly sessions: TreeSessions

  /** Runs work on the tables of this tree as a batch, in order with all other writes. */
  readonly run: RunBatch = (work) => this.#queue.run(work)

  node(path: Path, limit: ReadLimit, authorize: Authorization): Awaitable<NodeText | undefined> {
    return this.#reads.node(path, limit, authorize)
  }

  query(path: Path, query: Query, limit: ReadLimit, authorize: Authorization): Awaitable<ReadText | undefined> {
    return this.#reads.query(path, query, limit, authorize)
  }

  shallow(
    path: Path,
    limit: ReadLimit,
    query: Query | undefined,
    authorize: Authorization,
  ): Awaitable<AnyText | undefined> {
    return this.#reads.shallow(path, limit, query, authorize)
  }

  count(path: Path, query: Query | undefined, limit: ReadLimit, authorize: Authorization): Awaitable<number> {
    return this.#reads.count(path, query, limit, authorize)
  }

  readAt(path: Path, query: Query | undefined, limit: ReadLimit, authorize: Authorization): Awaitable<ReadAt> {
    return this.#reads.readAt(path, query, limit, authorize)
  }

  read<T>(logic: () => Reads<T>): Awaitable<T> {
    return this.#reads.read(logic)
  }

  export(path: Path): AsyncGenerator<JsonText, void> {
    return this.#reads.export(path)
  }

  changesAfter(position: Position, limit: number): Awaitable<readonly LoggedChange[] | undefined> {
    return this.#reads.changesAfter(position, limit)
  }

  changesNear(position: Position, paths: readonly Path[]): Awaitable<LogRange | undefined> {
    return this.#reads.changesNear(position, paths)
  }

  async declareIndexes(declarations: readonly IndexDeclaration[]): Promise<void> {
    this.#checkOpen()
    await this.indexAdministration.declare(declarations)
  }

  async indexes(): Promise<readonly IndexInfo[]> {
    this.#checkOpen()
    return this.indexAdministration.indexes()
  }

  fresh(always = !this.mayLag): Awaitable<void> {
    return always || !this.#follower.isRecent ? this.#follower.fresh(this.#waitMs) : undefined
  }

  everywhere(): Promise<void> {
    return this.agreement.everywhere()
  }

  get isSilent(): boolean {
    return this.agreement.isSilent
  }

  setting(name: string): string | undefined {
    return this.#tree.settings.get(name)
  }

  position(): Position {
    this.#checkOpen()
    return { epoch: this.#tree.epoch, seq: this.#tree.batch.seq }
  }

  async commit<T>(job: Job<T>): Promise<Committed<T>> {
    this.#checkOpen()
    return this.#queue.commit(job)
  }

  follow(follower: StoreFollower): () => void {
    return this.#followers.add(follower)
  }

  async check(): Promise<void> {
    this.#checkOpen()
    await this.#check()
  }

  async swept(): Promise<void> {
    await this.#queue.idle()
    await this.#tidying.done()
    await this.indexAdministration.removed()
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    await Promise.all(this.#closing.map((end) => end()))
    this.#unfollow()
    this.agreement.close()
    const indexesClosed = this.indexAdministration.close()
    await this.#queue.close()
    await indexesClosed
    await this.#tidying.close()
    await this.#reads.close()
  }

  #checkOpen(): void {
    if (this.#closed !== undefined || this.#tree.isMoved) throw new DholeError('unavailable')
  }
}
