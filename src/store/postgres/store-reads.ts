import type { Awaitable } from '../../scheduling/awaitable.ts'
import type { Path } from '../../tree/path.ts'
import type { ReadAnswer } from '../../tree/read-program.ts'
import type { TreeStore } from '../store.ts'
import type { AppliedTree } from './applied-tree.ts'
import type { Statements } from './connection/lane.ts'
import type { Lanes } from './connection/lanes.ts'
import type { IndexManager } from './indexes/manager.ts'

/** The reads of a tree. */
export interface StoreReads
  extends Pick<
    TreeStore,
    'node' | 'query' | 'shallow' | 'count' | 'readAt' | 'read' | 'export' | 'changesAfter' | 'changesNear'
  > {
  /**
   * Reads an interior node as of the last batch, for a job.
   * @param statements in the transaction of a batch; default: a snapshot
   * @throws `unavailable`, with what the database has thrown as its cause
   */
  interior(kind: 'node' | 'size', path: Path, statements?: Statements): Promise<ReadAnswer>
  /** Ends long reads and exports. Resolves when none runs. */
  close(): Promise<void>
}

/** What reads need. */
export interface ReadParts {
  readonly lanes: Lanes
  readonly tree: AppliedTree
  readonly indexes: IndexManager
  readonly cacheLength: number
  readonly shortList: number
  /** How long a read waits for a database that is away, in milliseconds. */
  readonly waitMs: number
  /**
   * Applies every batch committed before the call. Returns nothing to wait for when this process knows every batch.
   * @throws `unavailable`
   */
  fresh(): Awaitable<void>
  /** Applies the batches up to one that is committed. @throws what the database throws */
  reach(batch: number): Promise<void>
}

export type OpenReads = (parts: ReadParts) => StoreReads
