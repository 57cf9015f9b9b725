import type { Access } from '../database/access/access.ts'
import type { QueryAnswer, ReadOptions, WatchedChange, WatchOptions } from '../database/read-types.ts'
import type { IndexSpec } from '../query/index-declarations.ts'
import type { QueryLike } from '../query/query.ts'
import type { IndexInfo, LoggedChange, Position } from '../store/store.ts'
import type { PathLike } from '../tree/path.ts'

/** Conditions on a write, and for whom it is made. */
export interface WriteOptions extends Access {
  /** Write only if the node has this tag: `null_etag` for no node, `*` for any. Otherwise `ConditionFailedError`. */
  readonly ifMatch?: string | undefined
  /** Refuse a write that is estimated to take longer, in seconds. Default: what the tree is set to. */
  readonly maxSeconds?: number | undefined
  /**
   * Names this request, with 1 to 255 printable ASCII characters. A repetition within a day gets the first result and
   * writes nothing. Another request of the same caller must not have the same key.
   */
  readonly idempotencyKey?: string | undefined
}

/** A node as finished text. */
export interface NodeText {
  /** What GET answers. */
  readonly plain: string
  /** With priorities, without arrays. */
  readonly export: string
  /** Equal for equal content. */
  readonly etag: string
}

/** A write that was done. */
export interface Written {
  /** The payload as sent, with server values filled in. */
  readonly json: unknown
  /** Tag of what is there now; `undefined` after a patch. */
  readonly etag: string | undefined
  /** Set when an earlier request with the same idempotency key has written it, and this one nothing. */
  readonly replayed?: true
}

/** A child appended under a generated key. */
export interface Appended {
  readonly name: string
  readonly etag: string
  /** Set when an earlier request with the same idempotency key has appended it, and this one nothing. */
  readonly replayed?: true
}

/** What `onValue` listens to. */
export interface ValueOptions extends Access {
  /** Listens to the children that this query chooses. */
  readonly query?: QueryLike | undefined
  /** With priorities, without arrays. Default `false`. */
  readonly export?: boolean | undefined
  /**
   * Called once when listening ends with a failure: `read-too-big`, `permission-denied`, `token-expired`,
   * `index-missing`, a wrong path or query, or what the callback threw. No value is delivered after it.
   */
  readonly onError: (error: unknown) => void
}

/** How a transaction reads and writes. */
export interface TransactionOptions extends Access {
  /** How often `update` is called at most. Default 25. */
  readonly maxTries?: number | undefined
  /** Hands `update` the value with priorities and without arrays. Default `false`: what is written has no priorities. */
  readonly export?: boolean | undefined
}

/** What became of a transaction. */
export interface TransactionResult<T = unknown> {
  /** `false` when `update` returned `undefined`: nothing was written. */
  readonly committed: boolean
  /** What was written, with server values filled in, or else what is there; `null` for no node. */
  readonly value: T | null
}

/**
 * One application's tree without HTTP. A path is text (`/rooms/lobby`) or a list of keys; `.priority` may stand last.
 * Values are JSON. Errors are `DholeError`s whose message begins with the path.
 *
 * Type parameters say what a caller expects: nothing is checked at run time.
 * @see docs/reference/protocol.md#methods
 */
export interface Database extends AsyncDisposable {
  /** The value at a path, `null` if no node is there. @throws `read-too-big`, `permission-denied` */
  get<T = unknown>(path: PathLike, options?: ReadOptions): Promise<T | null>

  /** The node at a path as finished text with its tag, `undefined` if none is there. @throws as `get` */
  node(path: PathLike, options?: ReadOptions): Promise<NodeText | undefined>

  /**
   * The children of a node in the order asked for, cut by ranges and limits.
   * @example await db.query('/dinosaurs', { orderBy: 'height', startAt: 3, limitToFirst: 10 })
   * @throws `read-too-big`, `index-missing`, `permission-denied`, and the rows of queries for a wrong query
   * @see docs/reference/protocol.md#queries
   */
  query<T = unknown>(path: PathLike, query: QueryLike, options?: ReadOptions): Promise<QueryAnswer<T>>

  /**
   * The keys of the children as `{"key":true,…}`, or the leaf itself; `undefined` for no node.
   * @param query by key; chooses some of them
   * @throws as `query`
   */
  shallow(path: PathLike, query?: QueryLike, options?: ReadOptions): Promise<string | undefined>

  /** Number of children, or of those that a query chooses. @throws as `query` */
  count(path: PathLike, query?: QueryLike, options?: ReadOptions): Promise<number>

  /**
   * The text of a node of any size with priorities and without arrays, `null` where none is: pieces that make one JSON
   * text, all of one commit. Rules are not asked.
   */
  export(path: PathLike): AsyncGenerator<string, void>

  /**
   * Replaces the node at a path; `null` deletes it. Durable when it resolves.
   * @throws ConditionFailedError when `ifMatch` does not hold; the rows of bodies and limits, `permission-denied`
   */
  put(path: PathLike, json: unknown, options?: WriteOptions): Promise<Written>

  /** Deletes the node at a path. @throws as `put` */
  delete(path: PathLike, options?: WriteOptions): Promise<Written>

  /** Writes several places below a path as one commit: each member's key is a path, `null` deletes. @throws as `put` */
  patch(path: PathLike, json: object | null, options?: WriteOptions): Promise<Written>

  /** Appends a child under a generated key. `null` only makes a key. @throws as `put` */
  post(path: PathLike, json: unknown, options?: Omit<WriteOptions, 'ifMatch'>): Promise<Appended>

  /**
   * Reads a node, has `update` change it, and writes what it returns if the node is still what was read; otherwise
   * does so again with the new value. `update` may be called several times and may change what it is given. It returns
   * `null` to delete the node, `undefined` to write nothing.
   * @example await db.transaction<number>('/visits', (visits) => (visits ?? 0) + 1)
   * @throws ConditionFailedError after `maxTries` conflicts; what `update` throws; as `get` and `put`
   */
  transaction<T = unknown>(
    path: PathLike,
    update: (current: T | null) => T | null | undefined | Promise<T | null | undefined>,
    options?: TransactionOptions,
  ): Promise<TransactionResult<T>>

  /**
   * Calls back with the value now, and with the new value after it has changed. Changes that follow each other quickly
   * may be one call. The callback is never called after the returned function was called or `onError` was.
   * @returns ends listening
   * @example const stop = db.onValue<number>('/visits', { onError: console.error }, (visits) => show(visits))
   */
  onValue<T = unknown>(path: PathLike, options: ValueOptions, callback: (value: T | null) => void): () => void

  /**
   * Everything at and below a node now, and then every change, each once and in order, for as long as the loop runs.
   * A loop that reads too slowly gets everything anew instead of what it has missed.
   * @example for await (const { path, data } of db.watch('/rooms')) console.log(path, data)
   * @throws `read-too-big`, `index-missing`, `permission-denied`, `token-expired`, and the rows of queries
   * @see docs/reference/protocol.md#streams
   */
  watch(path: PathLike, options?: WatchOptions): AsyncGenerator<WatchedChange, void>

  /**
   * Replaces the indexes that are kept whether they are used or not, and that `indexPolicy: 'require'` asks for.
   * Resolves when they are built.
   * @example await db.declareIndexes({ '/dinosaurs': ['height'], '/users/$user/scores': ['.value'] })
   * @throws `bad-path`, `bad-order` for a wrong one, `unavailable` when they cannot be built
   */
  declareIndexes(spec: IndexSpec): Promise<void>

  /** Every index there is, declared or made for a query. */
  indexes(): readonly IndexInfo[]

  /** Source of the rules in force. */
  readonly rules: string

  /**
   * Replaces the rules. Writes are judged by the rules that stand before them in the order of writes; listeners that
   * may not go on are ended.
   * @throws `bad-rules`, `rule-wildcards`: the old ones stay
   * @see docs/reference/protocol.md#rules
   */
  setRules(source: string): Promise<void>

  /** @throws what `setRules` would */
  checkRules(source: string): void

  /** The size that writes may have unless they say otherwise: `tiny` to `unlimited`. */
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
