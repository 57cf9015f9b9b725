import type { IndexDeclaration } from '../query/index-declarations.ts'
import type { Query } from '../query/query.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import type { Change } from '../tree/change.ts'
import type { NodeText, ReadText } from '../tree/json/node-text.ts'
import type { JsonText } from '../tree/json/print.ts'
import type { AnyText } from '../tree/json/text-pieces.ts'
import type { Path } from '../tree/path.ts'
import type { AuthorizeRead, JobReads, Reads } from '../tree/read-program.ts'

/** How far a read may go before it is given up with `read-too-big`. */
export interface ReadLimit {
  /** Longest answer, in UTF-16 code units. */
  readonly maxLength: number
  /** Longest time in milliseconds; looked at between the steps of a long read. */
  readonly timeoutMs: number
}

/** Moment and generator of keys of the commit a job takes part in. */
export interface CommitContext {
  /** Commit time in milliseconds since 1970, never smaller than that of an earlier commit. */
  readonly now: number
  /** A new generated key, greater than every earlier one of this tree. */
  nextPushId(): string
}

/** A text that later jobs read under its key, kept for a day. */
export interface IdempotencyRecord {
  readonly key: string
  readonly text: string
}

/** What a job decided: its result, and what the store writes. All of it becomes durable together, or nothing. */
export interface JobOutcome<T> {
  readonly result: T
  /** Change of the tree. */
  readonly change?: Change | undefined
  /** Texts to store beside the tree, such as the source of the rules. */
  readonly settings?: readonly (readonly [name: string, text: string])[] | undefined
  /** Replaces one with the same key. */
  readonly record?: IdempotencyRecord | undefined
}

/**
 * A request to change something. It runs inside the transaction and sees every earlier write, durable or not. It may run
 * more than once; only its last run counts.
 */
export type Job<T = unknown> = (context: CommitContext) => JobReads<JobOutcome<T>>

/** A durable job. */
export interface Committed<T> {
  readonly result: T
  /** `undefined` if the job did not change the tree. */
  readonly commit: Commit | undefined
}

/** Where a commit stands in the history of one tree. A restored tree has another epoch. */
export interface Position {
  readonly epoch: string
  readonly seq: number
}

/** A durable commit as the hub and the change log know it. */
export interface Commit extends Change {
  readonly seq: number
  readonly at: number
}

/** An entry of the change log. */
export interface LoggedChange {
  readonly seq: number
  readonly at: number
  readonly kind: 'put' | 'patch'
  readonly path: Path
  /** Stored text of what was written, an object of paths for a patch; `undefined` when it was too large to keep. */
  readonly data: JsonText | undefined
}

/** A stretch of the change log, as long as may be read at once. */
export interface LogRange {
  /** The entries of it that are wanted, oldest first. */
  readonly changes: readonly LoggedChange[]
  /** Number of its last entry; that of the position where there is none behind it. */
  readonly seq: number
  /** Time of its first entry, in milliseconds since 1970; `undefined` where there is none. */
  readonly begunAt: number | undefined
  /** How much data was read for it, in UTF-16 code units. */
  readonly length: number
  /** Whether it reaches to the last durable commit. */
  readonly isLast: boolean
}

/** What stands somewhere as of one commit. */
export interface ReadAt {
  readonly seq: number
  readonly value: ReadText | undefined
}

/** An index over the children of one list. */
export interface IndexInfo {
  readonly list: Path
  /** Child path they are sorted by: no keys for their own value; `undefined` for their keys as text. */
  readonly path: Path | undefined
  /** Whether it is complete. */
  readonly ready: boolean
}

/**
 * The durable tree of one application. Every read sees one durable commit: nothing that a crash could still take back
 * is ever visible.
 */
export interface TreeStore extends AsyncDisposable {
  /** The whole node. @throws `read-too-big` */
  node(path: Path, limit: ReadLimit, authorize?: AuthorizeRead): Awaitable<NodeText | undefined>
  /**
   * The children that a query chooses, in its order, at a cost that does not grow with the list: where an index is
   * missing it is built first.
   * @returns `undefined` where no node is, and for a leaf that a bound or limit leaves out
   * @throws `read-too-big`
   */
  query(path: Path, query: Query, limit: ReadLimit, authorize?: AuthorizeRead): Awaitable<ReadText | undefined>
  /**
   * A leaf itself, or `{"key":true,…}` in key order.
   * @param query by key order; chooses some of the keys
   * @throws `read-too-big`
   */
  shallow(path: Path, limit: ReadLimit, query?: Query, authorize?: AuthorizeRead): Awaitable<AnyText | undefined>
  /**
   * Number of children, or of those that a query chooses; 0 for a leaf and for no node.
   * @throws `read-too-big` when counting takes too long
   */
  count(path: Path, query?: Query, limit?: ReadLimit, authorize?: AuthorizeRead): Awaitable<number>
  /**
   * Replaces the indexes that are kept whether they are used or not. Resolves when the long lists there are have them.
   * @throws `unavailable` when they cannot be built
   */
  declareIndexes(declarations: readonly IndexDeclaration[]): Promise<void>
  /** Every index. */
  indexes(): Awaitable<readonly IndexInfo[]>
  /**
   * The text of a node of any size as `format=export` prints it, `null` where none is, piece by piece and all of one
   * durable commit. That commit is held until the last piece was taken or the loop has ended.
   * @throws `unavailable` once closed
   */
  export(path: Path): AsyncGenerator<JsonText, void>
  /**
   * Runs logic that reads, on one durable commit.
   * @throws what it throws
   */
  read<T>(logic: () => Reads<T>): Awaitable<T>
  /**
   * Makes `setting` and `position` answer as of every commit that was durable before the call. Reads, and the logic that
   * authorises them, do so by themselves. An engine that always knows the last commit returns nothing to wait for.
   * @throws `unavailable`
   */
  fresh(): Awaitable<void>
  /** Text stored beside the tree under a name, as of the commit that reads see; see `fresh`. */
  setting(name: string): string | undefined
  /**
   * Runs the job in the next transaction; resolves when that transaction is durable. An error of the job rejects the
   * promise, and nothing of the job is written.
   * @throws `unavailable` when the store cannot write any more
   */
  commit<T>(job: Job<T>): Promise<Committed<T>>
  /**
   * The node, or what a query chooses of it, and the number of the last commit that is in it.
   * @throws `read-too-big`
   */
  readAt(path: Path, query: Query | undefined, limit: ReadLimit, authorize?: AuthorizeRead): Awaitable<ReadAt>
  /**
   * Calls back with durable commits, in order, each once, as soon as reads see them and before their writers hear.
   * @returns ends it
   */
  onCommit(listener: (commits: readonly Commit[]) => void): () => void
  /** Durable commits after a position, oldest first; `undefined` when the log does not reach back that far. */
  changesAfter(position: Position, limit: number): Awaitable<readonly LoggedChange[] | undefined>
  /**
   * A stretch of the log behind a position, and those of its entries whose path is one of some places, above or below
   * one. The data of others is not read. `undefined` when the change log does not reach back that far.
   */
  changesNear(position: Position, places: readonly Path[]): Awaitable<LogRange | undefined>
  /**
   * Resolves when the tree could be read and written just now; nothing in it changes.
   * @throws `unavailable`
   */
  check(): Promise<void>
  /** Position of the last durable commit; see `fresh`. */
  position(): Position
  /** Resolves when no rows of deleted subtrees are left to remove. */
  swept(): Promise<void>
  /** Ends all work, folds the log of the engine into its file and closes it. */
  close(): Promise<void>
}
