import { DholeError } from '../error.ts'
import type { HubEvents, HubSettings } from '../hub/hub.ts'
import type { Sink } from '../hub/subscriber.ts'
import {
  checkIndexed,
  type IndexDeclaration,
  type IndexPolicy,
  type IndexSpec,
  parseIndexes,
} from '../query/index-declarations.ts'
import { type Family, type Query, type QueryLike, toQuery } from '../query/query.ts'
import type { Reach } from '../rules/decision/may-write-some.ts'
import { parseRules } from '../rules/file/rule-set.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import { inTurns, runInTurns } from '../scheduling/turns.ts'
import type { IndexInfo, LoggedChange, Position, ReadLimit, TreeStore } from '../store/store.ts'
import { ChildrenText } from '../tree/json/children-text.ts'
import type { NodeText, ReadText } from '../tree/json/node-text.ts'
import type { JsonText } from '../tree/json/print.ts'
import { type AnyText, joined } from '../tree/json/text-pieces.ts'
import type { Limits } from '../tree/limits.ts'
import { endsInPriority, type Path, type PathLike, toPath } from '../tree/path.ts'
import { planPatchInSteps, planPut, planPutInSteps, planShortPut, type WritePlan } from '../tree/write.ts'
import type { Access } from './access/access.ts'
import { type Admission, RULES, RULES_SINCE } from './access/authorizer.ts'
import { ReadAccess } from './access/read-access.ts'
import { RuleCache, readInTurns } from './access/rule-cache.ts'
import { EventQueue } from './streams/event-queue.ts'
import { Streams } from './streams/streams.ts'
import { noteKey, repeatable, type WriteMethod } from './writes/idempotency-key.ts'
import { appendOnce, writeOnce } from './writes/idempotent-write.ts'
import { AuthorizedWrites } from './writes/judged-writes.ts'
import { PlanResolver } from './writes/plan-resolver.ts'
import {
  type Appended,
  appendJob,
  type JobParts,
  type NewChild,
  type RequestOptions,
  type WriteOptions,
  type WriteOutcome,
  writeJob,
} from './writes/write-job.ts'
import { WRITE_SIZE_LIMIT, writeSeconds } from './writes/write-size.ts'

/** What makes one tree different from another. */
export interface DatabaseSettings {
  readonly limits: Limits
  /** Whose answers a query gets where the families of clients differ. */
  readonly profile: Family
  /** Whether queries by a child or value need a declared index. */
  readonly indexPolicy: IndexPolicy
  readonly streams: HubSettings
  /** Source of the rules in force until others are stored. */
  readonly rules: string
  /** Whether those are stored as the tree's own when it has none. */
  readonly keepRules: boolean
  /** An index that rules declare could not be built, or stored rules cannot be read. */
  readonly onTroubled: (error: unknown) => void
  /** What is told of those who listen. */
  readonly onStreams?: HubEvents
}

/** How to read, and who does. */
export interface ReadOptions extends Access {
  /** Give up after so many milliseconds. */
  readonly timeoutMs?: number | undefined
}

/** What of a node is watched, and from when on. */
export interface WatchOptions extends Access {
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
interface QueriedChild {
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

/** Where the payload of a method may go. */
const REACH = { PUT: 'node', POST: 'new-child', PATCH: 'below' } as const satisfies Partial<Record<WriteMethod, Reach>>

/** A place-holder of the length of a generated key, for checks before there is one. */
const ANY_PUSH_ID = '-'.repeat(20)

/**
 * One application's tree: where requests, rules, storage and listeners meet. A path is text
 * (`/rooms/lobby`) or a list of keys; `.priority` may stand last.
 * @see docs/reference/protocol.md#methods
 */
export class Database {
  readonly #store: TreeStore
  readonly #settings: DatabaseSettings
  readonly #limits: Limits
  /** Bounds on a read that asks for no shorter timeout. */
  readonly #limit: ReadLimit
  readonly #ruleCache: RuleCache
  readonly #readAccess: ReadAccess
  readonly #writes: AuthorizedWrites
  readonly #onWrite: JobParts['onWrite'] = (writes) => this.#writes.note(writes)
  readonly #streams: Streams
  /** Indexes that are wanted beside those of the rules. */
  #declarations: readonly IndexDeclaration[] = []

  constructor(store: TreeStore, settings: DatabaseSettings) {
    this.#store = store
    this.#settings = settings
    this.#limits = settings.limits
    this.#limit = { maxLength: settings.limits.maxReadBytes, timeoutMs: settings.limits.maxReadMs }
    this.#ruleCache = new RuleCache(settings.rules, settings.onTroubled)
    this.#readAccess = new ReadAccess(store, this.#ruleCache)
    this.#writes = new AuthorizedWrites(store, this.#readAccess)
    this.#streams = new Streams(store, this.#readAccess, settings.streams, this.#limit, settings.onStreams)
    if (settings.keepRules && !this.hasOwnRules) this.#inBackground(this.setRules(settings.rules))
    else if (this.#readAccess.rules.indexes.length > 0) this.#inBackground(this.#declare())
  }

  /** Bounds on one request. */
  get limits(): Limits {
    return this.#limits
  }

  /** Source of the rules in force. */
  get rules(): string {
    return this.#readAccess.rules.source
  }

  /** The rules in force as valid JSON, without comments. */
  get strictRules(): string {
    return this.#readAccess.rules.strict
  }

  /** Whether rules are stored, so that those of the settings do not matter. */
  get hasOwnRules(): boolean {
    return this.#store.setting(RULES) !== undefined
  }

  /** Whether anybody watches. */
  get isWatched(): boolean {
    return this.#streams.isWatched
  }

  /**
   * Replaces the rules. Every write is judged by those that stand before it in the order of writes; streams that may
   * not go on are ended.
   * @throws `bad-rules`, `rule-wildcards`: the old ones stay
   * @see docs/reference/protocol.md#rules
   */
  async setRules(source: string): Promise<void> {
    await this.#ruleCache.use(source, () => this.#storeRules(source))
    this.#inBackground(this.#declare())
    await this.#streams.recheck()
  }

  /** Throws what `setRules` would. */
  checkRules(source: string): void {
    parseRules(source)
  }

  /** As `checkRules`; a long file takes several turns of the event loop. */
  async checkRulesInTurns(source: string): Promise<void> {
    await readInTurns(source)
  }

  /** The size that writes may have unless they say otherwise: `tiny` to `unlimited`. */
  get writeSizeLimit(): string {
    return this.#store.setting(WRITE_SIZE_LIMIT) ?? 'large'
  }

  /** @throws `bad-parameter` unless it is one of the sizes */
  async setWriteSizeLimit(size: string): Promise<void> {
    if (writeSeconds(size) === undefined) throw new DholeError('bad-parameter')
    // biome-ignore lint/correctness/useYield: it has nothing to ask
    await this.#store.commit(function* () {
      return { kind: 'settings', texts: [[WRITE_SIZE_LIMIT, size]] }
    })
  }

  /** Whose answers a query gets where the families of clients differ. */
  get profile(): Family {
    return this.#settings.profile
  }

  /**
   * The node at a path, `undefined` if none is there.
   * @throws `read-too-big`, `permission-denied`
   */
  node(where: PathLike, options: ReadOptions = {}): Awaitable<NodeText | undefined> {
    const path = toPath(where)
    const authorize = this.#readAccess.authorize({ path, query: undefined, access: options })
    return this.#store.node(path, this.#readLimit(options), authorize)
  }

  /**
   * The text of a node of any size with priorities and without arrays, `null` where none is: pieces that make one JSON
   * text, all of one commit. No permission is asked.
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
  async query(path: PathLike, query: QueryLike, options: ReadOptions = {}): Promise<QueryAnswer> {
    const answer = await this.select(path, query, options)
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
  select(path: PathLike, like: QueryLike, options: ReadOptions = {}): Awaitable<ReadText | undefined> {
    const list = toPath(path)
    const query = toQuery(like, this.#settings.profile)
    const authorize = this.#readAccess.authorize({
      path: list,
      query,
      access: options,
      check: () => this.#checkIndexed(list, query),
    })
    return this.#store.query(list, query, this.#readLimit(options), authorize)
  }

  /**
   * The keys of the children as `{"key":true,…}`, or the leaf itself.
   * @param query by key, integers first; chooses some of them
   * @throws `read-too-big`, `permission-denied`
   */
  shallow(where: PathLike, query?: Query, options: ReadOptions = {}): Awaitable<AnyText | undefined> {
    const path = toPath(where)
    const authorize = this.#readAccess.authorize({ path, query, access: options })
    return this.#store.shallow(path, this.#readLimit(options), query, authorize)
  }

  /**
   * Number of children, or of those that a query chooses.
   * @throws as `query`
   */
  count(path: PathLike, like?: QueryLike, options: ReadOptions = {}): Awaitable<number> {
    const list = toPath(path)
    const query = like && toQuery(like, this.#settings.profile)
    const authorize = this.#readAccess.authorize({
      path: list,
      query,
      access: options,
      check: () => query && this.#checkIndexed(list, query),
    })
    return this.#store.count(list, query, this.#readLimit(options), authorize)
  }

  /**
   * Replaces the indexes that are kept whether they are used or not, and that `indexPolicy: 'require'` asks for.
   * Resolves when the lists there are have them.
   * @example await db.declareIndexes({ '/dinosaurs': ['height'], '/users/$user/scores': ['.value'] })
   * @throws `bad-path`, `bad-order` for a wrong one, `unavailable` when they cannot be built
   */
  async declareIndexes(spec: IndexSpec): Promise<void> {
    this.#declarations = parseIndexes(spec)
    await this.#declare()
  }

  /** Every index there is, declared or made for a query. */
  indexes(): readonly IndexInfo[] {
    return this.#store.indexes()
  }

  /**
   * Refuses a write before its payload is read, where no payload could be allowed now. One that may have been done
   * before passes: it is answered as it was then. The write itself is judged all the same.
   * @returns whether what is wrong with the payload must not be told, because that would tell something of the tree
   * @throws `permission-denied`
   * @see docs/reference/protocol.md#rules
   */
  admitWrite(
    method: 'PUT' | 'POST' | 'PATCH',
    path: Path,
    access: Access,
    idempotencyKey: string | undefined,
  ): Awaitable<boolean> {
    const admission = this.#readAccess.admission(path, REACH[method], access)
    if (admission === 'open') return false
    return this.#admit(admission, { as: access.as, idempotencyKey })
  }

  /** Replaces the node at a path; `null` deletes it. Durable when it resolves. */
  async put(path: PathLike, json: unknown, options: RequestOptions = {}): Promise<WriteOutcome> {
    return this.#write('PUT', await this.#planPut(toPath(path), json), options)
  }

  /** Deletes the node at a path. */
  async delete(path: PathLike, options: WriteOptions = {}): Promise<WriteOutcome> {
    return this.#write('DELETE', planPut(toPath(path), null, this.#limits), options)
  }

  /** Writes several places below a path as one commit: each member's key is a path, `null` deletes. */
  async patch(where: PathLike, json: unknown, options: RequestOptions = {}): Promise<WriteOutcome> {
    const path = toPath(where)
    if (endsInPriority(path)) throw new DholeError('priority-method')
    // What `firebase database:remove` sends.
    if (json === null) return this.#write('PATCH', planPut(path, null, this.#limits), options)
    const plan = await inTurns(planPatchInSteps(path, json, this.#limits))
    // Nobody is asked whether it may be done, so it leaves nothing behind, no key either.
    if (plan.writes.length === 0) return { kind: 'written', json, etag: undefined }
    return this.#write('PATCH', plan, options)
  }

  /** Appends a child under a generated key. `null` only makes a key. */
  async post(where: PathLike, json: unknown, options: RequestOptions = {}): Promise<Appended> {
    const path = toPath(where)
    if (endsInPriority(path)) throw new DholeError('priority-method')
    const checked = await this.#planPut([...path, ANY_PUSH_ID], json)
    options.onPlanned?.()
    let appended: Appended | undefined
    const decide = (decided: Appended) => {
      appended = decided
    }
    const parts = this.#jobParts(checked, options)
    const { resolver } = parts
    const asked = repeatable({ method: 'POST', path, json }, options)
    const child = newChild(path)
    await this.#writes.commit({
      access: options,
      isRepeatable: asked !== undefined,
      attempt: (given, authorizer) => {
        const context = resolver?.contextOf(given) ?? given
        return asked === undefined
          ? appendJob(child, checked, { ...parts, authorizer, onWrite: this.#onWrite }, context, decide)
          : appendOnce(asked, child, checked, { ...parts, authorizer, onWrite: this.#onWrite }, context, decide)
      },
      rehearse: (given, authorizer, onDecided) => {
        const context = resolver?.contextOf(given) ?? given
        return appendJob(child, checked, { ...parts, authorizer }, context, onDecided)
      },
    })
    if (appended === undefined) throw new DholeError('internal')
    return appended
  }

  /**
   * Everything at and below a node now, and then every change, each once and in order, for as long as the loop runs.
   * Who reads too slowly is told everything anew instead of what it has missed.
   * @example for await (const { path, data } of db.watch('/rooms')) console.log(path, data)
   * @throws `read-too-big`, `index-missing`, `permission-denied`, `token-expired`, and as `makeQuery` for a wrong query
   * @see docs/reference/protocol.md#streams
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
        yield { kind, path: place, data: JSON.parse(joined(data)) as unknown, position: { epoch, seq } }
      }
      queue.check()
    } finally {
      options.signal?.removeEventListener('abort', stop)
      unsubscribe()
    }
  }

  /**
   * Has a sink told what `watch` tells. Whoever may not read any more is told so and nothing else.
   * @returns to be called when nobody listens any more
   * @throws as `watch`; `bad-parameter` for the path of a priority
   */
  async subscribe(where: PathLike, options: WatchOptions, sink: Sink): Promise<() => void> {
    const path = toPath(where)
    if (endsInPriority(path)) throw new DholeError('bad-parameter', 'Streams of a priority are not supported')
    const query = options.query && toQuery(options.query, this.#settings.profile)
    const check = () => query && this.#checkIndexed(path, query)
    const form = options.export === true ? 'export' : 'plain'
    return this.#streams.open({ path, query, form, access: options, check, from: options.from }, sink)
  }

  /** Durable commits after a position, oldest first; `undefined` when the change log does not reach back that far. */
  changesAfter(position: Position, limit: number): Awaitable<readonly LoggedChange[] | undefined> {
    return this.#store.changesAfter(position, limit)
  }

  /** Position of the last durable commit. */
  position(): Position {
    return this.#store.position()
  }

  /** Resolves when all that is committed is durable. @throws `unavailable` when it will never be known to be */
  async settled(): Promise<void> {
    // biome-ignore lint/correctness/useYield: it has nothing to ask, and its answer waits for what was before it
    await this.#store.commit(function* () {
      return undefined
    })
  }

  /**
   * Resolves when the tree could be read and written just now; nothing in it changes.
   * @throws `unavailable`
   */
  check(): Promise<void> {
    return this.#store.check()
  }

  /** Ends the streams of everybody who has shown a credential: it is worth nothing any more. */
  revoke(): void {
    this.#streams.revoke()
  }

  /** Ends every stream; those who listened come again when they can. */
  endStreams(): void {
    this.#streams.close()
  }

  /** Finishes what is under way and closes the store. */
  close(): Promise<void> {
    this.endStreams()
    return this.#store.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Makes writes that are checked already into one commit, whatever they cost. Durable when it resolves. */
  async writePlan(plan: WritePlan): Promise<void> {
    if (plan.writes.length > 0) await this.#write('PATCH', plan, { maxSeconds: Number.POSITIVE_INFINITY })
  }

  async #admit(asking: Awaitable<Admission>, options: WriteOptions): Promise<boolean> {
    const admission = await asking
    if (admission === 'refused' && !(await this.#isNoted(options))) throw new DholeError('permission-denied')
    return admission !== 'open'
  }

  async #isNoted(options: WriteOptions): Promise<boolean> {
    const key = noteKey(options)
    if (key === undefined) return false
    let isNoted = false
    await this.#store.commit(function* () {
      isNoted = (yield { kind: 'note', key }) !== undefined
      return undefined
    })
    return isNoted
  }

  async #storeRules(source: string): Promise<void> {
    const writes = this.#writes
    // biome-ignore lint/correctness/useYield: it has nothing to ask
    await this.#store.commit(function* ({ now }) {
      writes.noteRules()
      const texts = [
        [RULES, source],
        [RULES_SINCE, String(now)],
      ] as const
      return { kind: 'settings', texts }
    })
  }

  #planPut(path: Path, json: unknown): Awaitable<WritePlan> {
    return planShortPut(path, json, this.#limits) ?? runInTurns(planPutInSteps(path, json, this.#limits))
  }

  async #write(method: WriteMethod, plan: WritePlan, options: RequestOptions): Promise<WriteOutcome> {
    options.onPlanned?.()
    let outcome: WriteOutcome | undefined
    const decide = (decided: WriteOutcome) => {
      outcome = decided
    }
    const parts = this.#jobParts(plan, options)
    const { resolver } = parts
    const asked = repeatable({ method, path: plan.path, json: plan.json }, options)
    await this.#writes.commit({
      access: options,
      isRepeatable: asked !== undefined,
      attempt: (given, authorizer) => {
        const context = resolver?.contextOf(given) ?? given
        return asked === undefined
          ? writeJob(plan, { ...parts, authorizer, onWrite: this.#onWrite }, context, decide)
          : writeOnce(asked, plan, { ...parts, authorizer, onWrite: this.#onWrite }, context, decide)
      },
      rehearse: (given, authorizer, onDecided) => {
        const context = resolver?.contextOf(given) ?? given
        return writeJob(plan, { ...parts, authorizer }, context, onDecided)
      },
    })
    if (outcome === undefined) throw new DholeError('internal')
    return outcome
  }

  #jobParts(plan: WritePlan, options: WriteOptions): Omit<JobParts, 'authorizer'> {
    return {
      resolver: PlanResolver.for(plan),
      options,
      limits: this.#limits,
      watchedBelow: (path, inclusive) => this.#streams.watchedBelow(path, inclusive),
      formsAt: (path) => this.#streams.formsAt(path),
    }
  }

  /** Nobody waits for it. That it is not done because the store is being closed is no trouble. */
  #inBackground(work: Promise<void>): void {
    work.catch((error) => {
      if (!(error instanceof DholeError && error.code === 'unavailable')) this.#settings.onTroubled(error)
    })
  }

  #declare(): Promise<void> {
    return this.#store.declareIndexes([...this.#declarations, ...this.#readAccess.rules.indexes])
  }

  #checkIndexed(list: Path, { orderBy }: Query): void {
    if (this.#settings.indexPolicy === 'allow') return
    const ofRules = this.#readAccess.rules.indexesAt(list).map((path) => ({ list, path }))
    checkIndexed([...this.#declarations, ...ofRules], list, orderBy)
  }

  #readLimit({ timeoutMs }: ReadOptions): ReadLimit {
    if (timeoutMs === undefined || timeoutMs >= this.#limit.timeoutMs) return this.#limit
    return { maxLength: this.#limit.maxLength, timeoutMs }
  }
}

/** A child whose key is generated once, however often its job runs. */
function newChild(path: Path): NewChild {
  let name: string | undefined
  return {
    path,
    name: (context) => {
      name ??= context.nextPushId()
      return name
    },
  }
}
