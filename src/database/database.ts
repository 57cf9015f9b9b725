import { DholeError } from '../error.ts'
import type { Sink } from '../hub/sink.ts'
import type { IndexSpec } from '../query/index-declarations.ts'
import type { Family, Query, QueryLike } from '../query/query.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import type { IndexInfo, LoggedChange, Position, TreeStore } from '../store/store.ts'
import type { NodeText, ReadText } from '../tree/json/node-text.ts'
import type { JsonText } from '../tree/json/print.ts'
import type { AnyText } from '../tree/json/text-pieces.ts'
import type { Limits } from '../tree/limits.ts'
import { type Path, type PathLike, toPath } from '../tree/path.ts'
import type { WritePlan } from '../tree/write.ts'
import type { Access } from './access/access.ts'
import { RULES } from './access/authorizer.ts'
import { RuleCache } from './access/rule-cache.ts'
import { RulesInForce } from './access/rules-in-force.ts'
import type { DatabaseSettings } from './database-settings.ts'
import { DeclaredIndexes } from './declared-indexes.ts'
import { OpenSessions } from './open-sessions.ts'
import type { QueryAnswer, ReadOptions, WatchedChange, WatchOptions } from './read-types.ts'
import { requestedStream, Streams } from './streams/streams.ts'
import type { Subscription } from './streams/subscription.ts'
import { watch } from './streams/watch.ts'
import { TreeAdministration } from './tree-administration.ts'
import { TreeReads } from './tree-reads.ts'
import { type PayloadMethod, TreeWrites } from './writes/tree-writes.ts'
import type { Appended, RequestOptions, WriteOptions, WriteOutcome } from './writes/write-request.ts'
import { WRITE_SIZE_LIMIT } from './writes/write-size.ts'

/**
 * One application's tree: where requests, rules, storage and listeners meet. A path is text
 * (`/rooms/lobby`) or a list of keys; `.priority` may stand last.
 * @see docs/reference/protocol.md#methods
 */
export class Database {
  /** Bounds on one request. */
  readonly limits: Limits
  /** The dialect of query answers. */
  readonly profile: Family
  /** As `TreeStore.mayLag`. */
  readonly mayLag: boolean
  /** Sessions of clients that use the tree for as long as they are connected. */
  readonly sessions: OpenSessions
  /** What only the operator and the administrators of the tree ask for. */
  readonly administration: TreeAdministration
  readonly #store: TreeStore
  readonly #settings: DatabaseSettings
  readonly #ruleCache: RuleCache
  readonly #rules: RulesInForce
  readonly #indexes: DeclaredIndexes
  readonly #reads: TreeReads
  readonly #writes: TreeWrites
  readonly #streams: Streams

  constructor(store: TreeStore, settings: DatabaseSettings) {
    const { limits, profile, rules } = settings
    const limit = { maxLength: limits.maxReadBytes, timeoutMs: limits.maxReadMs }
    this.#store = store
    this.mayLag = store.mayLag
    this.limits = limits
    this.profile = profile
    this.#settings = settings
    this.#ruleCache = new RuleCache(settings.rules, settings.onTroubled, settings.storedRules)
    this.#rules = new RulesInForce(store, this.#ruleCache)
    this.administration = new TreeAdministration(store, this.#rules, settings)
    this.#indexes = new DeclaredIndexes(store, settings.indexPolicy, () => this.#rules.current)
    this.#reads = new TreeReads(store, this.#ruleCache, this.#indexes, profile, limit)
    this.#streams = new Streams(store, this.#rules, settings.streams, limit, settings.onStreams)
    const [streams, indexes] = [this.#streams, this.#indexes]
    const { onSessions: events = {}, onTroubled } = settings
    this.sessions = new OpenSessions({ store, streams, indexes, profile, events, onTroubled })
    this.#writes = new TreeWrites(store, this.#rules, this.#streams.watchers, limits)
    store.follow({ settings: () => this.#inBackground(this.#indexes.build()) })
    if (settings.keepRules && !this.hasOwnRules)
      this.#inBackground(
        this.#ruleCache.use(rules, () => this.#writes.storeRules(rules, { by: 'settings', isFirst: true })),
      )
    else if (this.#rules.current.indexes.length > 0) this.#inBackground(this.#indexes.build())
  }

  /** Makes rules, settings and position include every commit durable before the call. Reads, writes and streams do so. */
  fresh(always?: boolean): Awaitable<void> {
    return this.#store.fresh(always)
  }

  /** Source of the rules in force; see `fresh`. */
  get rules(): string {
    return this.#rules.current.source
  }

  /** Whether rules are stored, which take precedence over those of the settings. */
  get hasOwnRules(): boolean {
    return this.#store.setting(RULES) !== undefined
  }

  /** Whether a stream or a session is open. */
  get isWatched(): boolean {
    return this.#streams.isWatched || this.sessions.areOpen
  }

  /**
   * Replaces the rules. Each write is authorised by the rules before it in the order of writes. Streams that the new
   * rules do not allow are ended, on every process that has the tree open. The history names `by`.
   * @throws `bad-rules`, `rule-wildcards`: the old ones stay; `admin-state` when `expected` is not the source in force
   * @see docs/reference/protocol.md#rules
   */
  async setRules(source: string, by = 'host', expected?: string, access: Access = {}): Promise<void> {
    await this.#ruleCache.use(source, () => this.#writes.storeRules(source, { by, expected, access }))
    await this.#streams.rechecked
    await this.#store.everywhere?.()
  }

  /** Default size limit of writes: `tiny` to `unlimited`. */
  get writeSizeLimit(): string {
    return this.#store.setting(WRITE_SIZE_LIMIT) ?? 'large'
  }

  /** @throws `bad-parameter` for an unknown size */
  setWriteSizeLimit(size: string): Promise<void> {
    return this.#writes.storeSizeLimit(size)
  }

  /** The node at a path, `undefined` if none is there. @throws `read-too-big`, `permission-denied` */
  node(path: PathLike, options: ReadOptions = {}): Awaitable<NodeText | undefined> {
    return this.#reads.node(path, options)
  }

  /**
   * The text of a node of any size with priorities and without arrays, `null` where none is: pieces that make one JSON
   * text, all of one commit. Rules are not evaluated.
   */
  export(path: PathLike): AsyncGenerator<JsonText, void> {
    return this.#store.export(toPath(path))
  }

  /** The value at a path as parsed JSON, `null` if no node is there. @throws `read-too-big`, `permission-denied` */
  async get(path: PathLike, options: ReadOptions = {}): Promise<unknown> {
    const node = await this.node(path, options)
    return node === undefined ? null : JSON.parse(node.plain)
  }

  /**
   * The children of a node in the order asked for, cut by ranges and limits.
   * @example await db.query('/dinosaurs', { orderBy: 'height', startAt: 3, limitToFirst: 10 })
   * @throws `read-too-big`, `index-missing`, `permission-denied`, and as `makeQuery` for a wrong query
   * @see docs/reference/protocol.md#queries
   */
  query(path: PathLike, query: QueryLike, options: ReadOptions = {}): Promise<QueryAnswer> {
    return this.#reads.query(path, query, options)
  }

  /** The answer to a query as finished text; `undefined` for no node and for an omitted leaf. @throws as `query` */
  select(path: PathLike, query: QueryLike, options: ReadOptions = {}): Awaitable<ReadText | undefined> {
    return this.#reads.select(path, query, options)
  }

  /**
   * The keys of the children as `{"key":true,…}`, or the leaf itself.
   * @param query by key, integers first; chooses some of them
   * @throws `read-too-big`, `permission-denied`
   */
  shallow(path: PathLike, query?: Query, options: ReadOptions = {}): Awaitable<AnyText | undefined> {
    return this.#reads.shallow(path, query, options)
  }

  /** Number of children, or of those that a query chooses. @throws as `query` */
  count(path: PathLike, query?: QueryLike, options: ReadOptions = {}): Awaitable<number> {
    return this.#reads.count(path, query, options)
  }

  /**
   * Replaces the indexes that are kept whether they are used or not, and that `indexPolicy: 'require'` asks for.
   * Resolves when they are built.
   * @example await db.declareIndexes({ '/dinosaurs': ['height'], '/users/$user/scores': ['.value'] })
   * @throws `bad-path`, `bad-order` for a wrong one, `unavailable` when they cannot be built
   */
  declareIndexes(spec: IndexSpec): Promise<void> {
    return this.#indexes.replace(spec)
  }

  /** Every index, declared or made for a query. */
  indexes(): Awaitable<readonly IndexInfo[]> {
    return this.#store.indexes()
  }

  /** Whether every write of a caller is allowed without a look at the tree: `admitWrite` would find nothing to refuse. */
  isOpenToWrites(access: Access): boolean {
    return this.#rules.isOpenToWrites(access)
  }

  /**
   * Refuses a write before its payload is read, when the rules allow no payload now. A request that an idempotency key
   * names as done passes, and gets its first answer. The write itself is authorised in any case.
   * @returns whether errors in the payload must not be reported, because they would reveal data of the tree
   * @throws `permission-denied`
   * @see docs/reference/protocol.md#rules
   */
  admitWrite(method: PayloadMethod, path: Path, access: Access, idempotencyKey?: string): Awaitable<boolean> {
    return this.#writes.admit(method, path, access, idempotencyKey)
  }

  /** Replaces the node at a path; `null` deletes it. Durable when it resolves. */
  put(path: PathLike, json: unknown, options: RequestOptions = {}): Promise<WriteOutcome> {
    return this.#writes.put(path, json, options)
  }

  /** Deletes the node at a path. */
  delete(path: PathLike, options: WriteOptions = {}): Promise<WriteOutcome> {
    return this.#writes.delete(path, options)
  }

  /** Writes several places below a path as one commit: each member's key is a path, `null` deletes. */
  patch(path: PathLike, json: unknown, options: RequestOptions = {}): Promise<WriteOutcome> {
    return this.#writes.patch(path, json, options)
  }

  /** Appends a child under a generated key. `null` only makes a key. */
  post(path: PathLike, json: unknown, options: RequestOptions = {}): Promise<Appended> {
    return this.#writes.post(path, json, options)
  }

  /** Commits writes that are checked already, without a size limit. Durable when it resolves. */
  writePlan(plan: WritePlan): Promise<void> {
    return this.#writes.writePlan(plan)
  }

  /**
   * Everything at and below a node now, and then every change, each once and in order, for as long as the loop runs.
   * A loop that reads too slowly gets everything anew instead of what it has missed.
   * @example for await (const { path, data } of db.watch('/rooms')) console.log(path, data)
   * @throws `read-too-big`, `index-missing`, `permission-denied`, `token-expired`, and as `makeQuery` for a wrong query
   * @see docs/reference/protocol.md#streams
   */
  watch(path: PathLike, options: WatchOptions = {}): AsyncGenerator<WatchedChange, void> {
    const epoch = () => this.position().epoch
    return watch((sink) => this.subscribe(path, options, sink), epoch, options.signal)
  }

  /**
   * Delivers to a sink what `watch` yields. When reading is denied later, the sink ends with that reason.
   * @throws as `watch`; `bad-parameter` for the path of a priority
   */
  async subscribe(path: PathLike, options: WatchOptions, sink: Sink): Promise<Subscription> {
    const fresh = this.fresh()
    if (fresh !== undefined) await fresh
    return this.#streams.open(requestedStream(path, options, this.profile, this.#indexes), sink)
  }

  /** Durable commits after a position, oldest first; `undefined` when the change log does not reach back that far. */
  changesAfter(position: Position, limit: number): Awaitable<readonly LoggedChange[] | undefined> {
    return this.#store.changesAfter(position, limit)
  }

  /** Position of the last durable commit. */
  position(): Position {
    return this.#store.position()
  }

  /** Resolves when all earlier commits are durable. @throws `unavailable` when the store cannot write any more */
  settled(): Promise<void> {
    return this.#writes.settled()
  }

  /** Resolves when the tree can be read and written; nothing in it changes. @throws `unavailable` */
  check(): Promise<void> {
    return this.#store.check()
  }

  /** Ends the streams of all callers with a credential: the secret was replaced. */
  revoke(): void {
    this.#streams.revoke()
    this.sessions.revoke()
  }

  /** Ends every stream and every session; clients reconnect when they can. */
  endStreams(): void {
    this.#streams.close()
    void this.sessions.end()
  }

  /** Finishes what is under way and closes the store. */
  async close(): Promise<void> {
    await this.#streams.end()
    await this.sessions.close()
    await this.#store.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Reports a failure of background work, but not that the store is being closed. */
  #inBackground(work: Promise<void>): void {
    work.catch((error) => {
      if (!(error instanceof DholeError && error.code === 'unavailable')) this.#settings.onTroubled(error)
    })
  }
}
