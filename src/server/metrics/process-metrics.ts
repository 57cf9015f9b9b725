import { readdir, readFile } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type Metric, metric } from './prometheus.ts'

const MICROSECONDS = 1e6
const NANOSECONDS = 1e9
/** Interval of measuring the event loop, in milliseconds. */
const RESOLUTION_MS = 20
const QUANTILES = { '0.5': 50, '0.99': 99, '1': 100 } as const
const OWN_FILES = '/proc/self/fd'
const OWN_LIMITS = '/proc/self/limits'

/** Metrics of the process and of its event loop, which is measured until `close`. */
export class ProcessMetrics {
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  readonly metrics: readonly Metric[]

  constructor() {
    this.#delays.enable()
    const startedAt = Math.round(Date.now() / 1000 - process.uptime())
    this.metrics = [
      metric('counter', 'process_cpu_seconds_total', 'Processor time taken, of the user and of the system.', () => {
        const { user, system } = process.cpuUsage()
        return (user + system) / MICROSECONDS
      }),
      metric('gauge', 'process_start_time_seconds', 'Start of the process in seconds since 1970.', () => startedAt),
      metric('gauge', 'process_resident_memory_bytes', 'Memory that is resident.', () => process.memoryUsage.rss()),
      metric('gauge', 'process_open_fds', 'Open file descriptors, those of connections among them.', openDescriptors),
      metric('gauge', 'process_max_fds', 'File descriptors that may be open.', maxDescriptors),
      metric(
        'gauge',
        'dhole_event_loop_delay_seconds',
        'Time that the event loop was late since the last look at this page; quantile 1 is the longest.',
        () => this.#takeDelays(),
      ),
    ]
  }

  close(): void {
    this.#delays.disable()
  }

  #takeDelays() {
    const isEmpty = this.#delays.max === 0
    const values = Object.entries(QUANTILES).map(([quantile, percentile]) => {
      return [{ quantile }, isEmpty ? 0 : this.#delays.percentile(percentile) / NANOSECONDS] as const
    })
    this.#delays.reset()
    return values
  }
}

/** Empty on a system without this table. */
async function openDescriptors(): Promise<number | []> {
  const names = await readdir(OWN_FILES).catch(() => undefined)
  return names === undefined ? [] : names.length
}

async function maxDescriptors(): Promise<number | []> {
  const limits = await readFile(OWN_LIMITS, 'utf8').catch(() => '')
  const max = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return max === undefined ? [] : Number(max)
}
