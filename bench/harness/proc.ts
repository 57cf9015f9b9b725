/** Processor time and memory of another process, from the kernel. */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** `getconf CLK_TCK` on every Linux that Bun runs on. */
const TICKS_PER_SECOND = 100
/** Fields of `/proc/<pid>/stat` counted behind the command name, which may itself hold spaces. */
const USER_FIELD = 11
const SYSTEM_FIELD = 12
/** How far ticks may be behind or ahead of the time they count. */
const TICK_ERROR_MS = 20
const QUIET_CHECK_MS = 30
const QUIET_MS = 1
const QUIET_ATTEMPTS = 300

/** What a process has used of the processor until now. */
export interface CpuReading {
  readonly tickMs: number
  /** Milliseconds of each thread there is; without steps. Empty where the kernel does not tell. */
  readonly threads: ReadonlyMap<string, number>
}

/** User and system time of all threads so far. */
export function readCpu(pid: number): CpuReading {
  return { tickMs: tickMs(pid), threads: threadTimes(pid) }
}

/**
 * Milliseconds of processor time since a reading, all threads. Those of single threads are exact; but one that has
 * ended meanwhile takes its time with it, and the ticks of the process have that too.
 */
export function cpuMsSince(pid: number, before: CpuReading): number {
  const now = readCpu(pid)
  const ticks = now.tickMs - before.tickMs
  if (now.threads.size === 0) return ticks
  let exact = 0
  for (const [thread, ms] of now.threads) exact += ms - (before.threads.get(thread) ?? 0)
  return Math.max(exact, ticks - TICK_ERROR_MS)
}

function tickMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[USER_FIELD]) + Number(fields[SYSTEM_FIELD])
  return (ticks * 1000) / TICKS_PER_SECOND
}

function threadTimes(pid: number): Map<string, number> {
  const times = new Map<string, number>()
  const folder = `/proc/${pid}/task`
  for (const thread of readdirSync(folder)) {
    try {
      const [nanoseconds] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')
      times.set(thread, Number(nanoseconds) / 1_000_000)
    } catch {
      // It has ended in between, or the kernel does not keep such statistics.
    }
  }
  return times
}

/** Memory of the process that is in memory of the machine, in KiB. */
export function residentKb(pid: number): number {
  const [, kb] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kb)
}

/** Waits until the process has nothing left to do, such as rows to sweep, so that its bill is complete. */
export async function untilQuiet(pid: number): Promise<void> {
  for (let attempt = 0; attempt < QUIET_ATTEMPTS; attempt++) {
    const before = readCpu(pid)
    await wait(QUIET_CHECK_MS)
    if (cpuMsSince(pid, before) <= QUIET_MS) return
  }
}
