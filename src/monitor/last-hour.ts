import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Distribution } from './distribution.ts'
import type { Metrics } from './metrics.ts'

const STEP_MS = 10_000
const STEPS = 360
const MS = 1000
const NANOSECONDS_PER_MS = 1e6
/** Interval of measuring the event loop, in milliseconds. */
const RESOLUTION_MS = 50
/** Status classes. */
const REFUSED = 4
const FAILED = 5

const NAMES = [
  'requests',
  'errors',
  'refused',
  'p50Ms',
  'p99Ms',
  'writes',
  'syncP99Ms',
  'streams',
  'memoryBytes',
  'loopDelayMs',
  'eventsPerSecond',
] as const
type SeriesName = (typeof NAMES)[number]
type Step = Readonly<Record<SeriesName, number>>

/** The steps of the last hour, oldest first. */
export interface HourOfSteps {
  /** Length of a step, in milliseconds. */
  readonly stepMs: number
  /** End of each step, in milliseconds since 1970. */
  readonly times: number[]
  /** One number for each step. */
  readonly series: Record<SeriesName, number[]>
}

/**
 * What happened in the last hour, in steps of 10 seconds. Every step reads the metrics that are counted anyway: a request
 * costs nothing, and an hour takes 35 KB.
 */
export class LastHour implements Disposable {
  readonly #metrics: Metrics
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  readonly #timer: ReturnType<typeof setInterval>
  readonly #times = new Float64Array(STEPS)
  readonly #series = new Map(NAMES.map((name) => [name, new Float64Array(STEPS)]))
  /** Steps since the start. */
  #count = 0
  #before: Totals

  constructor(metrics: Metrics) {
    this.#metrics = metrics
    this.#before = totalsOf(metrics)
    this.#delays.enable()
    this.#timer = setInterval(() => this.step(), STEP_MS)
    this.#timer.unref()
  }

  /** Ends a step now. @param now in milliseconds since 1970 */
  step(now = Date.now()): void {
    const after = totalsOf(this.#metrics)
    const step = this.#stepOf(this.#before, after)
    const at = this.#count % STEPS
    this.#times[at] = now
    for (const [name, values] of this.#series) values[at] = step[name]
    this.#count++
    this.#before = after
  }

  /** The steps that have ended. */
  read(): HourOfSteps {
    const inOrder = (values: Float64Array) => {
      const first = this.#count > STEPS ? this.#count % STEPS : 0
      return [...values.subarray(first, Math.min(this.#count, STEPS)), ...values.subarray(0, first)]
    }
    const series = Object.fromEntries([...this.#series].map(([name, values]) => [name, inOrder(values)]))
    // The map has every name.
    return { stepMs: STEP_MS, times: inOrder(this.#times), series: series as HourOfSteps['series'] }
  }

  /** Stops measuring. */
  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#delays.disable()
  }

  #stepOf(before: Totals, after: Totals): Step {
    const answered = after.requests.since(before.requests)
    // PostgreSQL syncs as part of a commit.
    const synced = after.syncs.since(before.syncs)
    const durable = synced.count > 0 ? synced : after.commits.since(before.commits)
    const loopDelayMs = this.#delays.max / NANOSECONDS_PER_MS
    this.#delays.reset()
    return {
      requests: answered.count,
      errors: after.failed - before.failed,
      refused: after.refused - before.refused,
      p50Ms: answered.quantile(0.5) * MS,
      p99Ms: answered.quantile(0.99) * MS,
      writes: after.jobs - before.jobs,
      syncP99Ms: durable.quantile(0.99) * MS,
      streams: after.streams,
      memoryBytes: process.memoryUsage.rss(),
      loopDelayMs,
      eventsPerSecond: ((after.streamWrites - before.streamWrites) * MS) / STEP_MS,
    }
  }
}

/** What the metrics have counted at one time. */
interface Totals {
  readonly requests: Distribution
  readonly syncs: Distribution
  readonly commits: Distribution
  readonly failed: number
  readonly refused: number
  readonly jobs: number
  readonly streams: number
  readonly streamWrites: number
}

function totalsOf({ operations, syncSeconds, commitSeconds, batchJobs, totals, connections }: Metrics): Totals {
  let failed = 0
  let refused = 0
  let requests: Distribution | undefined
  for (const { classes, seconds } of operations.values()) {
    failed += classes[FAILED] ?? 0
    refused += classes[REFUSED] ?? 0
    requests ??= new Distribution(seconds.bounds)
    requests.addAll(seconds)
  }
  return {
    requests: requests ?? new Distribution([]),
    syncs: copyOf(syncSeconds),
    commits: copyOf(commitSeconds),
    failed,
    refused,
    jobs: batchJobs.sum,
    streams: totals.streams,
    streamWrites: totals.streamWrites + connections.messages.sent,
  }
}

function copyOf(distribution: Distribution): Distribution {
  const copy = new Distribution(distribution.bounds)
  copy.addAll(distribution)
  return copy
}
