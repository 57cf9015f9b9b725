import { DholeError } from '../../../../error.ts'
import type { Path } from '../../../../tree/path.ts'
import { type IndexLimits, noCapacityError } from '../../../rows/indexes/index-capacity.ts'
import { type IndexName, indexOf } from '../../../rows/indexes/index-name.ts'
import type { RunBatch } from '../../batch.ts'
import type { IndexDefinition } from '../definition.ts'
import { buildStep, type StepOutcome, type WantedIndex } from './build-step.ts'
import type { PageSize } from './child-page.ts'

/** Callbacks about builds. */
export interface BuildEvents {
  onBegun(): void
  /** @param rows children indexed by this process */
  onBuilt(rows: number, milliseconds: number): void
  /** A build has ended without an index. */
  onFailed(error: unknown): void
}

/** What a builder needs. */
export interface BuilderParts {
  readonly run: RunBatch
  readonly events: BuildEvents
  /** Whether there is an incomplete index. */
  hasUnfinished(): Promise<boolean>
  /** The bounds, once the paths of lists are known. */
  limits(paths: ReadonlyMap<number, Path>): IndexLimits<IndexDefinition>
  /** Size of one step. */
  readonly size?: PageSize
}

interface IndexRequest extends WantedIndex {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Some milliseconds of work, which writers wait for. */
const DEFAULT_SIZE: PageSize = { rows: 256, bytes: 128 * 1024 }
/** A step that begins later than this waited for writes, in milliseconds. */
const WAITED_MS = 0.2
/** Longest pause after a step, in milliseconds. */
const LONGEST_PAUSE_MS = 100
/** Maximum remembered indexes that are too large. */
const MAX_TOO_LARGE = 1024

/** A build of this process. */
interface Progress {
  rows: number
  readonly startedAt: number
}

/**
 * Builds indexes in key order, one page in each batch, so that reads and writes go on meanwhile. Writes keep up the entries
 * of the children that it has passed. A restart continues what was left.
 */
export class IndexBuilder {
  readonly #parts: BuilderParts
  #requests: IndexRequest[] = []
  readonly #tooLarge = new Set<string>()
  readonly #builds = new Map<number, Progress>()
  /** Whether there may be an incomplete index that no step has seen. */
  #hasNews = false
  #running: Promise<void> | undefined
  #endPause: () => void = () => {}
  #isClosed = false

  constructor(parts: BuilderParts) {
    this.#parts = parts
  }

  /**
   * Resolves when the applied batch has the index, or the list no longer exists.
   * @param isDeclared an index that is not declared rejects when the capacity is exhausted
   */
  request(listId: number, name: string, isDeclared: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(new DholeError('unavailable'))
        return
      }
      this.#requests.push({ listId, name, isDeclared, resolve, reject })
      this.#wake()
    })
  }

  /** There may be incomplete indexes. */
  expectWork(): void {
    this.#hasNews = true
    this.#wake()
  }

  /** Rejects all requests. Resolves when no step runs. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#rejectAll(new DholeError('unavailable'))
    this.#endPause()
    await this.#running
  }

  #wake(): void {
    if (this.#isClosed) return
    this.#running ??= this.#build().finally(() => {
      this.#running = undefined
      if (this.#requests.length > 0 || this.#hasNews) this.#wake()
    })
  }

  async #build(): Promise<void> {
    while (!this.#isClosed && (this.#requests.length > 0 || this.#hasNews)) {
      this.#hasNews = false
      const requests = [...this.#requests]
      const pace = new Pace()
      try {
        if (requests.length === 0 && !(await this.#parts.hasUnfinished())) continue
        const outcome = await this.#parts.run((transaction) => {
          pace.begin()
          return buildStep(transaction, {
            wanted: uniqueOf(requests),
            size: this.#parts.size ?? DEFAULT_SIZE,
            tooLarge: this.#tooLarge,
            limits: this.#parts.limits,
          })
        })
        this.#settle(outcome, requests)
      } catch (error) {
        this.#builds.clear()
        this.#rejectAll(error)
        if (!this.#isClosed) this.#parts.events.onFailed(error)
      }
      await this.#pause(pace)
    }
  }

  /** Lets writes come first: for as long as the step took, if there are some. */
  async #pause(pace: Pace): Promise<void> {
    const milliseconds = pace.pause
    await new Promise<void>((resolve) => {
      this.#endPause = resolve
      if (milliseconds === 0 || this.#isClosed) setImmediate(resolve)
      else setTimeout(resolve, milliseconds)
    })
  }

  #settle(outcome: StepOutcome, requests: readonly IndexRequest[]): void {
    const { built, rows, isComplete, ready, refused, tooLarge, isIdle } = outcome
    this.#hasNews ||= !isIdle
    if (built !== undefined) this.#count(built, rows, isComplete)
    if (tooLarge !== undefined) {
      if (this.#tooLarge.size >= MAX_TOO_LARGE) this.#tooLarge.clear()
      this.#tooLarge.add(indexOf(tooLarge))
    }
    for (const { reject } of this.#take(refused, requests)) reject(noCapacityError())
    for (const { resolve } of this.#take(ready, requests)) resolve()
  }

  #count({ id, builtTo }: IndexDefinition, rows: number, isComplete: boolean): void {
    let progress = this.#builds.get(id)
    if (progress === undefined) {
      progress = { rows: 0, startedAt: performance.now() }
      this.#builds.set(id, progress)
      if (builtTo === '') this.#parts.events.onBegun()
    }
    progress.rows += rows
    if (!isComplete) return
    this.#builds.delete(id)
    this.#parts.events.onBuilt(progress.rows, performance.now() - progress.startedAt)
  }

  /** Those of the requests that are for one of the indexes. They are not open any more. */
  #take(indexes: readonly IndexName[], requests: readonly IndexRequest[]): readonly IndexRequest[] {
    const names = new Set(indexes.map(indexOf))
    const taken = new Set(requests.filter((request) => names.has(indexOf(request))))
    if (taken.size > 0) this.#requests = this.#requests.filter((request) => !taken.has(request))
    return [...taken]
  }

  #rejectAll(error: unknown): void {
    for (const { reject } of this.#requests.splice(0)) reject(error)
  }
}

/** Each index once; it is declared if one of the requests says so. */
function uniqueOf(requests: readonly WantedIndex[]): readonly WantedIndex[] {
  const unique = new Map<string, WantedIndex>()
  for (const { listId, name, isDeclared } of requests) {
    const index = { listId, name }
    const before = unique.get(indexOf(index))
    unique.set(indexOf(index), { ...index, isDeclared: isDeclared || before?.isDeclared === true })
  }
  return [...unique.values()]
}

/** Times of one step. */
class Pace {
  readonly #askedAt = performance.now()
  #begunAt = this.#askedAt

  /** The step begins, or begins again. */
  begin(): void {
    this.#begunAt = performance.now()
  }

  /** How long to pause after the step, in milliseconds; 0 when no write was in its way. */
  get pause(): number {
    if (this.#begunAt - this.#askedAt < WAITED_MS) return 0
    return Math.min(performance.now() - this.#begunAt, LONGEST_PAUSE_MS)
  }
}
