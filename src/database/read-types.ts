import type { QueryLike } from '../query/query.ts'
import type { Position } from '../store/store.ts'
import type { Access } from './access/access.ts'

/** How to read, and for whom. */
export interface ReadOptions extends Access {
  /** Give up with `read-too-big` after this many milliseconds. */
  readonly timeoutMs?: number | undefined
}

/** One child of an answer. */
export interface QueriedChild<T = unknown> {
  readonly key: string
  /** Parsed JSON. */
  readonly value: T
}

/** The answer to a query. */
export interface QueryAnswer<T = unknown> {
  /** As GET answers it: an object in the order of the query, an array, a leaf or `null`. */
  readonly text: string
  /** The chosen children in the order of the query; empty for a leaf and for no node. Parsed when read. */
  readonly children: readonly QueriedChild<T>[]
}

/** Which part of a node is watched, and from when on. */
export interface WatchOptions extends Access {
  /** Watches the children that this query chooses. */
  readonly query?: QueryLike | undefined
  /** With priorities, without arrays. Default `false`. */
  readonly export?: boolean | undefined
  /** Ends the watch. */
  readonly signal?: AbortSignal | undefined
  /** Begins with what has changed since then instead of everything, if the change log reaches back that far. */
  readonly from?: Position | undefined
}

/** One change of a watched node. */
export interface WatchedChange {
  /** `put` replaces what is at `path`; `patch` replaces each member of `data`, whose keys are paths, below it. */
  readonly kind: 'put' | 'patch'
  /** Relative to the watched node; `/` is that node. */
  readonly path: string
  /** Parsed JSON; `null` where nothing is any more. */
  readonly data: unknown
  /** Where to continue with `from`. */
  readonly position: Position
}
