import type { Access } from '../database/access/access.ts'
import type { QueryAnswer, ReadOptions, WatchedChange, WatchOptions } from '../database/read-types.ts'
import type { Appended } from '../database/writes/write-request.ts'
import type { IndexSpec } from '../query/index-declarations.ts'
import type { QueryLike } from '../query/query.ts'
import type { IndexInfo, LoggedChange, Position } from '../store/store.ts'
import type { PathLike } from '../tree/path.ts'

/** Options of a write. */
export interface WriteOptions extends Access {
  /** Required tag of the node: `null_etag` for no node, `*` for any. Else the write fails with `ConditionFailedError`. */
  readonly ifMatch?: string | undefined
  /** Maximum estimated time of the write, in seconds. Default: the setting of the tree. */
  readonly maxSeconds?: number | undefined
  /**
   * Key of this request: 1 to 255 printable ASCII characters. A repetition within a day gets the first result and writes
   * nothing. Another request of the same caller must not have the same key.
   */
  readonly idempotencyKey?: string | undefined
}

/** A node as text. */
export interface NodeText {
  /** Text as in the response to GET. */
  readonly plain: string
  /** With priorities, without arrays. */
  readonly export: string
  /** Equal for equal content. */
  readonly etag: string
}

/** Result of a write. */
export interface Written {
  /** The payload as sent, with server values filled in. */
  readonly json: unknown
  /** Tag of the node now; `undefined` after a patch. */
  readonly etag: string | undefined
  /** Set when an earlier request with the same idempotency key has done the write. */
  readonly replayed?: true
}

/** Options of `onValue`. */
export interface ValueOptions extends Access {
  /** Listens to the children that this query selects. */
  readonly query?: QueryLike | undefined
  /** With priorities, without arrays. Default `false`. */
  readonly export?: boolean | undefined
  /**
   * Called once when listening fails: `read-too-big`, `permission-denied`, `token-expired`,
   * `index-missing`, a wrong path or query, or an error of the callback. No value follows.
   */
  readonly onError: (error: unknown) => void
}

/** Options of a transaction. */
export interface TransactionOptions extends Access {
  /** Maximum calls of `update`. Default 25. */
  readonly maxTries?: number | undefined
  /** Calls `update` with priorities and without arrays. Default `false`: the written value has no priorities. */
  readonly export?: boolean | undefined
}

/** Result of a transaction. */
export interface TransactionResult<T = unknown> {
  /** `false` when `update` returned `undefined`: nothing was written. */
  readonly committed: boolean
  /** The written value with server values filled in, or else the current one; `null` for no node. */
  readonly value: T | null
}

/**
 * One application's tree without HTTP. A path is text (`/rooms/lobby`) or a list of keys; `.priority` may stand last.
 * Values are JSON. Errors are `DholeError`s whose message begins with the path.
 *
 * Type parameters are expectations of the caller: they are not checked at run time.
 * @see docs/reference/protocol.md#methods
 */
export interface Database extends AsyncDisposable {
  /** The value at a path; `null` without a node. @throws `read-too-big`, `permission-denied` */
  get<T = unknown>(path: PathLike, options?: ReadOptions): Promise<T | null>

  /** The node at a path as text with its tag; `undefined` without a node. @throws as `get` */
  node(path: PathLike, options?: ReadOptions): Promise<NodeText | undefined>

  /**
   * The children of a node in the order of a query, within its range and limit.
   * @example await db.query('/dinosaurs', { orderBy: 'height', startAt: 3, limitToFirst: 10 })
   * @throws `read-too-big`, `index-missing`, `permission-denied`, and the rows of queries for a wrong query
   * @see docs/reference/protocol.md#queries
   */
  query<T = unknown>(path: PathLike, query: QueryLike, options?: ReadOptions): Promise<QueryAnswer<T>>

  /**
   * The keys of the children as `{"key":true,…}`, or the leaf itself; `undefined` for no node.
   * @param query query by key that selects children
   * @throws as `query`
   */
  shallow(path: PathLike, query?: QueryLike, options?: ReadOptions): Promise<string | undefined>

  /** Number of children, or of those that a query selects. @throws as `query` */
  count(path: PathLike, query?: QueryLike, options?: ReadOptions): Promise<number>

  /**
   * The text of a node of any size with priorities and without arrays; `null` without a node. The chunks make one JSON
   * text of one commit. No rule applies.
   */
  export(path: PathLike): AsyncGenerator<string, void>

  /**
   * Replaces the node at a path; `null` deletes it. Durable when it resolves.
   * @throws ConditionFailedError when `ifMatch` does not hold; the rows of bodies and limits, `permission-denied`
   */
  put(path: PathLike, json: unknown, options?: WriteOptions): Promise<Written>

  /** Deletes the node at a path. @throws as `put` */
  delete(path: PathLike, options?: WriteOptions): Promise<Written>

  /** Writes several nodes below a path as one commit: each key is a path, `null` deletes. @throws as `put` */
  patch(path: PathLike, json: object | null, options?: WriteOptions): Promise<Written>

  /** Appends a child under a generated key. `null` only generates a key. @throws as `put` */
  post(path: PathLike, json: unknown, options?: Omit<WriteOptions, 'ifMatch'>): Promise<Appended>

  /**
   * Reads a node, calls `update` with its value, and writes the result if the node has not changed; otherwise tries again
   * with the new value. `update` may be called several times and may change its argument. It returns `null` to delete
   * the node, `undefined` to write nothing.
   * @example await db.transaction<number>('/visits', (visits) => (visits ?? 0) + 1)
   * @throws ConditionFailedError after `maxTries` conflicts; what `update` throws; as `get` and `put`
   */
  transaction<T = unknown>(
    path: PathLike,
    update: (current: T | null) => T | null | undefined | Promise<T | null | undefined>,
    options?: TransactionOptions,
  ): Promise<TransactionResult<T>>

  /**
   * Calls the callback with the current value, and with the new value after each change. Quick changes may be combined in
   * one call. No call follows the returned function or `onError`.
   * @returns stops listening
   * @example const stop = db.onValue<number>('/visits', { onError: console.error }, (visits) => show(visits))
   */
  onValue<T = unknown>(path: PathLike, options: ValueOptions, callback: (value: T | null) => void): () => void

  /**
   * The current value of a node, and then every change at and below it, once and in order, while the loop runs. A loop
   * that reads too slowly gets the whole value again instead of the missed changes.
   * @example for await (const { path, data } of db.watch('/rooms')) console.log(path, data)
   * @throws `read-too-big`, `index-missing`, `permission-denied`, `token-expired`, and the rows of queries
   * @see docs/reference/protocol.md#streams
   */
  watch(path: PathLike, options?: WatchOptions): AsyncGenerator<WatchedChange, void>

  /**
   * Replaces the declared indexes: they are kept without use, and `indexPolicy: 'require'` requires them. Resolves when
   * they are built.
   * @example await db.declareIndexes({ '/dinosaurs': ['height'], '/users/$user/scores': ['.value'] })
   * @throws `bad-path`, `bad-order` for a wrong one, `unavailable` when they cannot be built
   */
  declareIndexes(spec: IndexSpec): Promise<void>

  /** Every index, declared or created for a query. */
  indexes(): Promise<readonly IndexInfo[]>

  /** Source of the current rules. */
  readonly rules: string

  /**
   * Replaces the rules. They apply to all later writes; listeners without permission end.
   * @throws `bad-rules`, `rule-wildcards`: the old ones stay
   * @see docs/reference/protocol.md#rules
   */
  setRules(source: string): Promise<void>

  /** @throws what `setRules` would */
  checkRules(source: string): void

  /** Default size limit of writes: `tiny` to `unlimited`. */
  readonly writeSizeLimit: string

  /** @throws `bad-parameter` unless it is one of the sizes */
  setWriteSizeLimit(size: string): Promise<void>

  /** Position of the last durable commit. */
  position(): Position

  /** Durable commits after a position, oldest first; `undefined` when the change log does not reach back that far. */
  changesAfter(position: Position, limit: number): Promise<readonly LoggedChange[] | undefined>

  /** Resolves when the tree could be read and written just now; nothing in it changes. @throws `unavailable` */
  check(): Promise<void>

  /** Finishes what is under way, ends every listener and closes the file. */
  close(): Promise<void>
}
