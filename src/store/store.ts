import type { IndexDeclaration } from '../query/index-declarations.ts'
import type { Query } from '../query/query.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import type { Change } from '../tree/change.ts'
import type { NodeText, ReadText } from '../tree/json/node-text.ts'
import type { JsonText } from '../tree/json/print.ts'
import type { AnyText } from '../tree/json/text-pieces.ts'
import type { Path } from '../tree/path.ts'
import type { Authorization, JobReads, Reads } from '../tree/read-program.ts'
import type { SessionChange, StoredSessions } from './stored-sessions.ts'

/** Bounds of a read. Beyond them it fails with `read-too-big`. */
export interface ReadLimit {
  /** Maximum length of the answer, in UTF-16 code units. */
  readonly maxLength: number
  /** Maximum time in milliseconds; checked between the steps of a long read. */
  readonly timeoutMs: number
}

/** Time and generator of keys of the commit that a job is part of. */
export interface CommitContext {
  /** Commit time in milliseconds since 1970, never smaller than that of an earlier commit. */
  readonly now: number
  /**
   * A generated key, greater than every earlier one of this tree.
   * @param earlier what an earlier run of the same job was given; it may be given again
   */
  nextPushId(earlier?: string): string
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
  readonly session?: SessionChange | undefined
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

/** Position of a commit in the history of one tree. A restored tree has another epoch. */
export interface Position {
  readonly epoch: string
  readonly seq: number
}

/** A durable commit. */
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
  /** Stored text of the written data, for a patch an object of paths; `undefined` when it was too long to store. */
  readonly data: JsonText | undefined
}

/** A range of the change log that is read at once. */
export interface LogRange {
  /** The requested entries, oldest first. */
  readonly changes: readonly LoggedChange[]
  /** Number of its last entry; of an empty range, that of the position it was requested from. */
  readonly seq: number
  /** Time of its first entry, in milliseconds since 1970; `undefined` for an empty range. */
  readonly begunAt: number | undefined
  /** Length of the data that was read, in UTF-16 code units. */
  readonly length: number
  /** Whether it reaches to the last durable commit. */
  readonly isLast: boolean
}

/** The answer of a read as of one commit. */
export interface ReadAt {
  readonly seq: number
  readonly value: ReadText | undefined
}

/** An index over the children of one list. */
export interface IndexInfo {
  readonly list: Path
  /** Child path that it sorts by, empty for the child's own value; `undefined` for keys as text. */
  readonly path: Path | undefined
  /** Whether it is complete. */
  readonly ready: boolean
  /** Whether it holds the short texts of the children. */
  readonly covering: boolean
}

/** An index, as the operator sees it. */
export interface StoredIndex extends IndexInfo {
  readonly isDeclared: boolean
  /** Entries that its build has written; later writes are not counted. */
  readonly entries: number
  /** About when a query used it last, in milliseconds since 1970. */
  readonly usedAt: number
}

/** What becomes of an index that is to be dropped: declared ones stay. */
export type DropOutcome = 'dropped' | 'declared' | 'unknown'

/** The indexes of a tree, for the operator. */
export interface IndexAdministration {
  /** Some of the indexes, at most `limit`. */
  list(limit: number): Awaitable<readonly StoredIndex[]>
  /**
   * Drops an index that is not declared. A query that needs it builds it again. Durable when it resolves.
   * @param path child path that it sorts by, empty for the child's own value; `undefined` for keys as text
   */
  drop(list: Path, path: Path | undefined): Promise<DropOutcome>
}

/** Gets what becomes durable, in the order of the commits. */
export interface StoreFollower {
  /** The next commits; each is reported once. What it throws, now or later, is reported as trouble. */
  commits?(commits: readonly Commit[]): Awaitable<void>
  /**
   * Settings have changed. Called before later commits, and before those that became durable at the same time.
   * @returns what it still has to do because of them
   */
  settings?(): Awaitable<void>
}

/**
 * The durable tree of one application. Every read sees one durable commit, never data that a crash could undo.
 *
 * Reads require their authorisation, so that no wrapper can leave it out: `TRUSTED` where none is needed.
 */
export interface TreeStore extends AsyncDisposable {
  /** The whole node. @throws `read-too-big` */
  node(path: Path, limit: ReadLimit, authorize: Authorization): Awaitable<NodeText | undefined>
  /**
   * The children that a query selects, in its order. The cost does not grow with the list: a missing index is built first.
   * @returns `undefined` when no node exists, and for a leaf that a bound or limit excludes
   * @throws `read-too-big`
   */
  query(path: Path, query: Query, limit: ReadLimit, authorize: Authorization): Awaitable<ReadText | undefined>
  /**
   * The keys of the children as `{"key":true,…}` in key order; for a leaf, the leaf.
   * @param query in key order; selects some of the keys
   * @throws `read-too-big`
   */
  shallow(
    path: Path,
    limit: ReadLimit,
    query: Query | undefined,
    authorize: Authorization,
  ): Awaitable<AnyText | undefined>
  /**
   * Number of children, or of those that a query selects; 0 for a leaf and for no node.
   * @throws `read-too-big` when counting takes too long
   */
  count(path: Path, query: Query | undefined, limit: ReadLimit, authorize: Authorization): Awaitable<number>
  /**
   * Replaces the declared indexes, which are kept whether used or not. Resolves when every long list has its indexes.
   * @throws `unavailable` when they cannot be built
   */
  declareIndexes(declarations: readonly IndexDeclaration[]): Promise<void>
  /** Every index. */
  indexes(): Awaitable<readonly IndexInfo[]>
  readonly indexAdministration: IndexAdministration
  /**
   * The text of a node of any size as `format=export` prints it, in chunks of one durable commit; `null` when no node
   * exists. The store holds that commit until the loop ends.
   * @throws `unavailable` once closed
   */
  export(path: Path): AsyncGenerator<JsonText, void>
  /**
   * Runs a program that reads, on one durable commit.
   * @throws what the program throws
   */
  read<T>(logic: () => Reads<T>): Awaitable<T>
  /**
   * Makes `setting` and `position` answer as of every commit that was durable before the call. Reads, and the logic that
   * authorises them, do so by themselves. An engine that always knows the last commit returns nothing to wait for.
   * @param always also when the store `mayLag`
   * @throws `unavailable`
   */
  fresh(always?: boolean): Awaitable<void>
  /** Whether reads may miss commits of other processes for a moment. `fresh(true)` makes the next ones see them. */
  readonly mayLag: boolean
  /**
   * Resolves when every process that has the tree open acts on the commits before the call: on new settings as well. An
   * engine of a single process has nothing to wait for, and no such method.
   * @throws `unavailable` when one does not answer
   */
  everywhere?(): Promise<void>
  /** The clock that times of commits are of, in milliseconds since 1970. Without it, that of this process. */
  readonly clock?: { readonly now: number }
  /** Whether this process must send nothing of the tree, because it may have lost sight of later commits. */
  readonly isSilent?: boolean
  /** Text stored beside the tree under a name, as of the commit that reads see; see `fresh`. */
  setting(name: string): string | undefined
  /**
   * Runs the job in the next transaction; resolves when that transaction is durable. An error of the job rejects the
   * promise, and nothing of the job is written.
   * @throws `unavailable` when the store cannot write any more
   */
  commit<T>(job: Job<T>): Promise<Committed<T>>
  /**
   * The node, or the children that a query selects, and the number of the commit that was read.
   * @throws `read-too-big`
   */
  readAt(path: Path, query: Query | undefined, limit: ReadLimit, authorize: Authorization): Awaitable<ReadAt>
  /**
   * Reports what becomes durable as soon as reads see it, and before `commit` resolves.
   * @returns ends the calls
   */
  follow(follower: StoreFollower): () => void
  /** Durable commits after a position, oldest first; `undefined` when the log does not reach back that far. */
  changesAfter(position: Position, limit: number): Awaitable<readonly LoggedChange[] | undefined>
  /**
   * A range of the log after a position, with the entries whose path equals, contains or lies below one of `paths`. The
   * data of other entries is not read. `undefined` when the change log does not reach back that far.
   */
  changesNear(position: Position, paths: readonly Path[]): Awaitable<LogRange | undefined>
  /**
   * Checks that the tree can be read and written, without a change.
   * @throws `unavailable`
   */
  check(): Promise<void>
  /** Position of the last durable commit; see `fresh`. */
  position(): Position
  /** What clients want written when their sessions have ended. */
  readonly sessions: StoredSessions
  /** Resolves when all rows of deleted subtrees are removed. */
  swept(): Promise<void>
  /** Finishes all work and closes the store. */
  close(): Promise<void>
}
