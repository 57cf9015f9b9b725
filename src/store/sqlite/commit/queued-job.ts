import type { Committed, Job } from '../../store.ts'
import type { SideWork } from '../file/side-tables.ts'
import type { PreparedWrites } from '../staging/prepared-writes.ts'
import type { StagedValue } from '../staging/staged-values.ts'

/** A job, and the callbacks of its promise. */
export interface QueuedJob {
  readonly job: Job
  readonly resolve: (committed: Committed<unknown>) => void
  readonly reject: (error: unknown) => void
  /** Its large values, once they are written ahead; empty if that failed. */
  readonly staged?: readonly StagedValue[]
  /** Its writes, if they are many and prepared. */
  readonly prepared?: PreparedWrites | undefined
  /** Number of times it was postponed. */
  readonly postponed?: number
}

/** Work on tables beside the tree, and the callbacks of its promise. */
export interface QueuedWork {
  readonly work: SideWork<unknown>
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

export type Queued = QueuedJob | QueuedWork
