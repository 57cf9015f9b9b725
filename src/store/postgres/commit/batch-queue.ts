import { DholeError } from '../../../error.ts'
import type { Committed, Job } from '../../store.ts'
import type { BatchWork } from '../batch.ts'
import type { BatchRunner } from './batch-runner.ts'

/** Maximum jobs of one batch. */
const MAX_JOBS = 256

interface Promised {
  reject(error: unknown): void
}

interface QueuedJob extends Promised {
  readonly job: Job
  resolve(committed: Committed<unknown>): void
}

interface QueuedWork extends Promised {
  readonly work: BatchWork<unknown>
  resolve(result: unknown): void
}

type Queued = QueuedJob | QueuedWork

/** Gathers what waits into batches, one at a time, in the order in which it came. */
export class BatchQueue {
  readonly #runner: BatchRunner
  readonly #queue: Queued[] = []
  readonly #idleListeners: (() => void)[] = []
  readonly #onCommitted: (jobs: number, milliseconds: number) => void
  readonly #onTroubled: (error: unknown) => void
  #isRunning = false
  #isClosed = false
  /** Jobs that run one by one, because one of them has failed in the database. */
  #single = 0
  /** Whether the batch under way is one of them. */
  #isAlone = false

  constructor(
    runner: BatchRunner,
    onCommitted: (jobs: number, milliseconds: number) => void,
    onTroubled: (error: unknown) => void,
  ) {
    this.#runner = runner
    this.#onCommitted = onCommitted
    this.#onTroubled = onTroubled
  }

  commit<T>(job: Job<T>): Promise<Committed<T>> {
    return this.#add<Committed<T>>((promised) => ({ job, ...promised }) as unknown as Queued)
  }

  run<T>(work: BatchWork<T>): Promise<T> {
    return this.#add<T>((promised) => ({ work, ...promised }) as unknown as Queued)
  }

  /** Resolves when nothing runs or waits. */
  idle(): Promise<void> {
    if (!this.#isRunning) return Promise.resolve()
    return new Promise((resolve) => this.#idleListeners.push(resolve))
  }

  /** Takes no more, and resolves when what waits is done. */
  close(): Promise<void> {
    this.#isClosed = true
    return this.idle()
  }

  #add<T>(queued: (promised: { resolve(value: T): void; reject(error: unknown): void }) => Queued): Promise<T> {
    if (this.#isClosed) return Promise.reject(new DholeError('unavailable'))
    return new Promise((resolve, reject) => {
      this.#queue.push(queued({ resolve, reject }))
      if (this.#isRunning) return
      this.#isRunning = true
      setImmediate(() => void this.#run())
    })
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const [first] = this.#queue
      if (first === undefined) break
      if ('work' in first) {
        this.#queue.shift()
        await this.#runner.runWork(first.work).then(first.resolve, first.reject)
      } else await this.#runJobs()
      // What those who were answered ask for joins the next batch.
      await new Promise(setImmediate)
    }
    this.#isRunning = false
    for (const listener of this.#idleListeners.splice(0)) listener()
  }

  async #runJobs(): Promise<void> {
    const jobs = this.#takeJobs(0)
    const startedAt = performance.now()
    try {
      const results = await this.#runner.runJobs(() => {
        // What has come while the batch waited for its turn joins it.
        jobs.push(...this.#takeJobs(jobs.length))
        return jobs.map(({ job }) => job)
      })
      this.#queue.unshift(...jobs.slice(results.length))
      this.#onCommitted(results.length, performance.now() - startedAt)
      for (const [index, result] of results.entries()) {
        if ('error' in result) jobs[index]?.reject(result.error)
        else jobs[index]?.resolve(result.committed)
      }
    } catch (error) {
      this.#failed(jobs, error)
    }
  }

  /** @param taken jobs that the batch has already */
  #takeJobs(taken: number): QueuedJob[] {
    if (taken > 0 && this.#isAlone) return []
    this.#isAlone = this.#single > 0
    if (this.#single > 0) this.#single--
    const most = this.#isAlone ? 1 : MAX_JOBS - taken
    const end = this.#queue.findIndex((queued) => 'work' in queued)
    return this.#queue.splice(0, Math.min(most, end === -1 ? this.#queue.length : end)) as QueuedJob[]
  }

  /** What will fail again is the fault of one job: each is tried alone. */
  #failed(jobs: readonly QueuedJob[], error: unknown): void {
    const isAway = error instanceof DholeError
    if (!isAway && jobs.length > 1) {
      this.#queue.unshift(...jobs)
      this.#single += jobs.length
      return
    }
    this.#onTroubled(error)
    const reason = isAway ? error : new DholeError('internal', undefined, { cause: error })
    for (const { reject } of jobs) reject(reason)
  }
}
