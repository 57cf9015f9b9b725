import type { Committed, Job } from '../../store.ts'
import type { SideWork } from '../file/side-tables.ts'
import type { PreparedWrites } from '../staging/prepared-writes.ts'
import type { StagedValue } from '../staging/staged-values.ts'

/** A job and where its outcome goes. */
export interface QueuedJob {
  readonly job: Job
  readonly resolve: (committed: Committed<unknown>) => void
  readonly reject: (error: unknown) => void
  /** Its large values, once they are written ahead; none where that has failed. */
  readonly staged?: readonly StagedValue[]
  /** What its many writes come to. */
  readonly prepared?: PreparedWrites | undefined
  /** Times it was postponed. */
  readonly postponed?: number
}

/** Work on tables beside the tree and where its outcome goes. */
export interface QueuedWork {
  readonly work: SideWork<unknown>
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

export type Queued = QueuedJob | QueuedWork
