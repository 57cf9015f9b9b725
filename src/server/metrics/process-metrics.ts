import { readdir, readFile } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Prometheus } from './prometheus.ts'

const MICROSECONDS = 1e6
const NANOSECONDS = 1e9
/** Interval of measuring the event loop, in milliseconds. */
const RESOLUTION_MS = 20
const QUANTILES = { '0.5': 50, '0.99': 99, '1': 100 } as const
const OWN_FILES = '/proc/self/fd'
const OWN_LIMITS = '/proc/self/limits'

/**
 * Adds metrics of the process. Those of prom-client are unusable in Bun: some are empty, the heap is address space, and
 * counting descriptors blocks the event loop.
 * @returns stops measuring
 */
export function watchProcess(page: Prometheus): () => void {
  page.total(['process_cpu_seconds_total', 'Processor time taken, of the user and of the system.'], () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / MICROSECONDS
  })
  const startedAt = Math.round(Date.now() / 1000 - process.uptime())
  page.gauges(['process_start_time_seconds', 'Start of the process in seconds since 1970.'], [], () => [
    [{}, startedAt],
  ])
  page.gauges(['process_resident_memory_bytes', 'Memory that is resident.'], [], () => [
    [{}, process.memoryUsage.rss()],
  ])
  page.gauges(['process_open_fds', 'Open file descriptors, those of connections among them.'], [], openDescriptors)
  page.gauges(['process_max_fds', 'File descriptors that may be open.'], [], maxDescriptors)
  return watchEventLoop(page)
}

/** Empty on a system without this table. */
async function openDescriptors(): Promise<[Record<string, string>, number][]> {
  const names = await readdir(OWN_FILES).catch(() => undefined)
  return names === undefined ? [] : [[{}, names.length]]
}

async function maxDescriptors(): Promise<[Record<string, string>, number][]> {
  const limits = await readFile(OWN_LIMITS, 'utf8').catch(() => '')
  const max = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return max === undefined ? [] : [[{}, Number(max)]]
}

function watchEventLoop(page: Prometheus): () => void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  const help = 'Time that the event loop was late since the last look at this page; quantile 1 is the longest.'
  page.gauges(['dhole_event_loop_delay_seconds', help], ['quantile'], () => {
    const isEmpty = delays.max === 0
    const values = Object.entries(QUANTILES).map(([quantile, percentile]) => {
      return [{ quantile }, isEmpty ? 0 : delays.percentile(percentile) / NANOSECONDS] as const
    })
    delays.reset()
    return values
  })
  return () => delays.disable()
}
