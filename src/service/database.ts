import { Hub, type HubSettings } from '../hub/hub.ts'
import type { Sink } from '../hub/subscriber.ts'
import {
  checkIndexed,
  type IndexDeclaration,
  type IndexPolicy,
  type IndexSpec,
  parseIndexes,
} from '../query/indexes.ts'
import { type Family, type Query, type QueryLike, toQuery } from '../query/query.ts'
import type { IndexInfo, LoggedChange, Position, ReadLimit, TreeStore } from '../store/store.ts'
import type { Awaitable } from '../tree/awaitable.ts'
import { ChildrenText } from '../tree/children-text.ts'
import { DholeError } from '../tree/error.ts'
import type { Limits } from '../tree/limits.ts'
import type { NodeText, ReadText } from '../tree/node-text.ts'
import { endsInPriority, type Path, type PathLike, toPath } from '../tree/path.ts'
import type { JsonText } from '../tree/print.ts'
import { planPatch, planPut, type WritePlan } from '../tree/write.ts'
import { EventQueue } from './event-queue.ts'
import { missedChanges } from './missed-changes.ts'
import { type Appended, appendJob, type WriteOptions, type WriteOutcome, writeJob } from './write-job.ts'

/** What makes one tree different from another. */
export interface DatabaseSettings {
  readonly limits: Limits
  /** Whose answers a query gets where the families of clients differ. */
  readonly profile: Family
  /** Whether queries by a child or value need a declared index. */
  readonly indexPolicy: IndexPolicy
  readonly streams: HubSettings
}

/** What of a node is watched, and from when on. */
export interface WatchOptions {
  /** Watches what this query chooses. */
  readonly query?: QueryLike | undefined
  /** With priorities, without arrays. Default `false`. */
  readonly export?: boolean | undefined
  /** Ends the watching. */
  readonly signal?: AbortSignal | undefined
  /** Begins with what has changed since then instead of everything, if that is still known. */
  readonly from?: Position | undefined
}

/** One thing that happened to a watched node. */
export interface WatchedChange {
  /** `put` replaces what is at `path`; `patch` replaces each member of `data`, whose keys are paths, below it. */
  readonly kind: 'put' | 'patch'
  /** Relative to the watched node; `/` is that node. */
  readonly path: string
  /** Parsed JSON; `null` where nothing is any more. */
  readonly data: unknown
  /** To go on from, should the watching break off. */
  readonly position: Position
}

/** One child of an answer. */
export interface QueriedChild {
  readonly key: string
  /** Parsed JSON. */
  readonly value: unknown
}

/** The answer to a query. */
export interface QueryAnswer {
  /** As GET answers it: an object in the order of the query, an array, a leaf or `null`. */
  readonly text: JsonText
  /** The chosen children in the order of the query; none where there is a leaf or no node. Parsed when asked for. */
  readonly children: readonly QueriedChild[]
}

/** A place-holder of the length of a generated key, for checks before there is one. */
const ANY_PUSH_ID = '-'.repeat(20)

/**
 * One application's tree: where requests, storage and (later) rules and listeners meet. A path is text
 * (`/rooms/lobby`) or a list of keys; `.priority` may stand last.
 * @see docs/protocol.md#methods
 */
export class Database {
  readonly #store: TreeStore
  readonly #settings: DatabaseSettings
  readonly #limits: Limits
  readonly #hub: Hub
  readonly #watchedBelow = (path: Path, inclusive: boolean): readonly Path[] => this.#hub.watchedBelow(path, inclusive)
  #declarations: readonly IndexDeclaration[] = []

  constructor(store: TreeStore, settings: DatabaseSettings) {
    this.#store = store
    this.#settings = settings
    this.#limits = settings.limits
    const source = {
      read: (path: Path, query: Query | undefined) => store.readAt(path, query, this.#readLimit(undefined)),
    }
    this.#hub = new Hub(source, settings.streams)
    store.onCommit((commits) => this.#hub.publish(commits))
  }

  /** Whose answers a query gets where the families of clients differ. */
  get profile(): Family {
    return this.#settings.profile
  }

  /**
   * The node at a path, `undefined` if none is there.
   * @param timeoutMs give up after so many milliseconds
   * @throws `read-too-big`
   */
  node(path: PathLike, timeoutMs?: number): Awaitable<NodeText | undefined> {
    return this.#store.node(toPath(path), this.#readLimit(timeoutMs))
  }

  /** The value at a path as parsed JSON, `null` if no node is there. @throws `read-too-big` */
  async get(path: PathLike): Promise<unknown> {
    const node = await this.node(path)
    return node === undefined ? null : JSON.parse(node.plain)
  }

  /**
   * The children of a node in the order asked for, cut by ranges and limits.
   * @example await db.query('/dinosaurs', { orderBy: 'height', startAt: 3, limitToFirst: 10 })
   * @throws `read-too-big`, `index-missing`, and as `makeQuery` for a wrong query
   * @see docs/protocol.md#queries
   */
  async query(path: PathLike, query: QueryLike): Promise<QueryAnswer> {
    const answer = await this.select(path, query)
    const chosen = answer instanceof ChildrenText ? answer : undefined
    return {
      get text() {
        return answer?.plain ?? 'null'
      },
      get children() {
        return chosen?.parse() ?? []
      },
    }
  }

  /**
   * What a query answers as finished text; `undefined` where no node is and for a leaf that the query leaves out.
   * @throws as `query`
   */
  select(path: PathLike, query: QueryLike, timeoutMs?: number): Awaitable<ReadText | undefined> {
    const list = toPath(path)
    return this.#store.query(list, this.#check(list, query), this.#readLimit(timeoutMs))
  }

  /**
   * The keys of the children as `{"key":true,…}`, or the leaf itself.
   * @param query by key, integers first; chooses some of them
   * @throws `read-too-big`
   */
  shallow(path: PathLike, timeoutMs?: number, query?: Query): Awaitable<JsonText | undefined> {
    return this.#store.shallow(toPath(path), this.#readLimit(timeoutMs), query)
  }

  /**
   * Number of children, or of those that a query chooses.
   * @param timeoutMs give up after so many milliseconds
   * @throws as `query`
   */
  count(path: PathLike, query?: QueryLike, timeoutMs?: number): Awaitable<number> {
    const list = toPath(path)
    return this.#store.count(list, query && this.#check(list, query), this.#readLimit(timeoutMs))
  }

  /**
   * Replaces the indexes that are kept whether they are used or not, and that `indexPolicy: 'require'` asks for.
   * Resolves when the lists there are have them.
   * @example await db.declareIndexes({ '/dinosaurs': ['height'], '/users/$user/scores': ['.value'] })
   * @throws `bad-path`, `bad-order` for a wrong one, `unavailable` when they cannot be built
   */
  async declareIndexes(spec: IndexSpec): Promise<void> {
    this.#declarations = parseIndexes(spec)
    await this.#store.declareIndexes(this.#declarations)
  }

  /** Every index there is, declared or made for a query. */
  indexes(): readonly IndexInfo[] {
    return this.#store.indexes()
  }

  /** Replaces the node at a path; `null` deletes it. Durable when it resolves. */
  async put(path: PathLike, json: unknown, options: WriteOptions = {}): Promise<WriteOutcome> {
    return this.#write(planPut(toPath(path), json, this.#limits), options)
  }

  /** Deletes the node at a path. */
  delete(path: PathLike, options: WriteOptions = {}): Promise<WriteOutcome> {
    return this.put(path, null, options)
  }

  /** Writes several places below a path as one commit: each member's key is a path, `null` deletes. */
  async patch(where: PathLike, json: unknown, options: WriteOptions = {}): Promise<WriteOutcome> {
    const path = toPath(where)
    if (endsInPriority(path)) throw new DholeError('priority-method')
    // What `firebase database:remove` sends.
    if (json === null) return this.delete(path, options)
    const plan = planPatch(path, json, this.#limits)
    return plan.writes.length === 0 ? { kind: 'written', json, etag: undefined } : this.#write(plan, options)
  }

  /** Appends a child under a generated key. `null` only makes a key. */
  async post(where: PathLike, json: unknown, options: WriteOptions = {}): Promise<Appended> {
    const path = toPath(where)
    if (endsInPriority(path)) throw new DholeError('priority-method')
    const checked = planPut([...path, ANY_PUSH_ID], json, this.#limits)
    let appended: Appended | undefined
    const decide = (decided: Appended) => {
      appended = decided
    }
    await this.#store.commit((context) => appendJob(path, checked, options, this.#limits, context, decide))
    if (appended === undefined) throw new DholeError('internal')
    return appended
  }

  /**
   * Everything at and below a node now, and then every change, each once and in order, for as long as the loop runs.
   * Who reads too slowly is told everything anew instead of what it has missed.
   * @example for await (const { path, data } of db.watch('/rooms')) console.log(path, data)
   * @throws `read-too-big`, `index-missing`, and as `makeQuery` for a wrong query
   * @see docs/protocol.md#streams
   */
  async *watch(path: PathLike, options: WatchOptions = {}): AsyncGenerator<WatchedChange, void> {
    const queue = new EventQueue()
    const unsubscribe = await this.subscribe(path, options, queue)
    const { epoch } = this.position()
    const stop = () => queue.end()
    options.signal?.addEventListener('abort', stop)
    if (options.signal?.aborted) stop()
    try {
      for (let event = await queue.next(); event !== undefined; event = await queue.next()) {
        if (options.signal?.aborted) return
        const { kind, path: place, data, seq } = event
        yield { kind, path: place, data: JSON.parse(data) as unknown, position: { epoch, seq } }
      }
    } finally {
      options.signal?.removeEventListener('abort', stop)
      unsubscribe()
    }
  }

  /**
   * Has a sink told what `watch` tells.
   * @returns to be called when nobody listens any more
   * @throws as `watch`; `bad-parameter` for the path of a priority
   */
  subscribe(where: PathLike, options: WatchOptions, sink: Sink): Promise<() => void> {
    const path = toPath(where)
    if (endsInPriority(path)) throw new DholeError('bad-parameter', 'Streams of a priority are not supported')
    const query = options.query && this.#check(path, options.query)
    const form = options.export === true ? 'export' : 'plain'
    const { from } = options
    const missed = from && from.epoch === this.position().epoch ? () => missedChanges(this.#store, from) : undefined
    return this.#hub.subscribe({ path, query, form }, sink, missed)
  }

  /** Durable commits after a position, oldest first; `undefined` when the change log does not reach back that far. */
  changesAfter(position: Position, limit: number): Awaitable<readonly LoggedChange[] | undefined> {
    return this.#store.changesAfter(position, limit)
  }

  /** Position of the last durable commit. */
  position(): Position {
    return this.#store.position()
  }

  /** Ends every stream; those who listened come again when they can. */
  endStreams(): void {
    this.#hub.close()
  }

  /** Finishes what is under way and closes the store. */
  close(): Promise<void> {
    this.endStreams()
    return this.#store.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #write(plan: WritePlan, options: WriteOptions): Promise<WriteOutcome> {
    let outcome: WriteOutcome | undefined
    const decide = (decided: WriteOutcome) => {
      outcome = decided
    }
    await this.#store.commit((context) => writeJob(plan, options, this.#limits, this.#watchedBelow, context, decide))
    if (outcome === undefined) throw new DholeError('internal')
    return outcome
  }

  #check(list: Path, like: QueryLike): Query {
    const query = toQuery(like, this.#settings.profile)
    if (this.#settings.indexPolicy === 'require') checkIndexed(this.#declarations, list, query.orderBy)
    return query
  }

  #readLimit(timeoutMs: number | undefined): ReadLimit {
    const { maxReadBytes, maxReadMs } = this.#limits
    return { maxLength: maxReadBytes, timeoutMs: Math.min(timeoutMs ?? maxReadMs, maxReadMs) }
  }
}
