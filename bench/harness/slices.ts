/** Times an operation and its limit in turns, so that both meet the same weather on the machine. */

import { setTimeout as wait } from 'node:timers/promises'
import { spread } from './rounds.ts'

/** What the slice before has left to do in the background, such as a checkpoint, should end before the next begins. */
const PAUSE_MS = 20

export interface SliceOptions {
  /** Length of one slice. */
  readonly sliceMs: number
  /** Slices of each. */
  readonly slices: number
}

/** Does the work once; `index` counts from zero. */
type Work = (index: number) => unknown

interface Timed {
  readonly count: number
  readonly ms: number
  /** Processor time of all threads of this process. */
  readonly cpuMs: number
  /** Microseconds each, slice by slice. */
  readonly bySlice: readonly number[]
  /** The same of processor time. */
  readonly cpuBySlice: readonly number[]
}

/** One entry for each work, in the order given. The first slice of each warms up and is not counted. */
export async function timeInTurns(works: readonly Work[], options: SliceOptions): Promise<Timed[]> {
  const totals = works.map(() => ({
    count: 0,
    ms: 0,
    cpuMs: 0,
    bySlice: [] as number[],
    cpuBySlice: [] as number[],
    index: 0,
  }))
  for (let slice = 0; slice <= options.slices; slice++) {
    for (const [position, work] of works.entries()) {
      const total = totals[position]
      if (total === undefined) continue
      await wait(PAUSE_MS)
      const timed = await timeSlice(work, total.index, options.sliceMs)
      total.index += timed.count
      if (slice === 0) continue
      total.count += timed.count
      total.ms += timed.ms
      total.cpuMs += timed.cpuMs
      total.bySlice.push((timed.ms * 1000) / timed.count)
      total.cpuBySlice.push((timed.cpuMs * 1000) / timed.count)
    }
  }
  return totals
}

async function timeSlice(work: Work, first: number, sliceMs: number): Promise<Omit<Timed, 'bySlice' | 'cpuBySlice'>> {
  const cpu = process.cpuUsage()
  const start = performance.now()
  let count = 0
  let ms = 0
  while (ms < sliceMs) {
    const result = work(first + count)
    // Awaiting what is there already would cost more than a cached read.
    if (result instanceof Promise) await result
    count++
    ms = performance.now() - start
  }
  const used = process.cpuUsage(cpu)
  return { count, ms, cpuMs: (used.user + used.system) / 1000 }
}

export function perSecond({ count, ms }: Timed): number {
  return (count * 1000) / ms
}

export function microseconds({ count, ms }: Timed): number {
  return (ms * 1000) / count
}

/** Of the middle slice: one that another program has interrupted does not count. */
export function medianMicroseconds({ bySlice }: Timed): number {
  return spread(bySlice).median
}

export function cpuMicroseconds({ count, cpuMs }: Timed): number {
  return (cpuMs * 1000) / count
}

/** Of the middle slice. */
export function medianCpuMicroseconds({ cpuBySlice }: Timed): number {
  return spread(cpuBySlice).median
}
