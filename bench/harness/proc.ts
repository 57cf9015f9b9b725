/** Processor time and memory of another process, from the kernel. */
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** `getconf CLK_TCK` on every Linux that Bun runs on. */
const TICKS_PER_SECOND = 100
/** Fields of `/proc/<pid>/stat` counted behind the command name, which may itself hold spaces. */
const USER_FIELD = 11
const SYSTEM_FIELD = 12
const QUIET_CHECK_MS = 100
const QUIET_TICKS = 1
const QUIET_ATTEMPTS = 100

/** User and system time of all threads so far, in milliseconds; steps of 10. */
export function processCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[USER_FIELD]) + Number(fields[SYSTEM_FIELD])
  return (ticks * 1000) / TICKS_PER_SECOND
}

/** Memory of the process that is in memory of the machine, in KiB. */
export function residentKb(pid: number): number {
  const [, kb] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kb)
}

/** Waits until the process has nothing left to do, such as rows to sweep, so that its bill is complete. */
export async function untilQuiet(pid: number): Promise<void> {
  let before = processCpuMs(pid)
  for (let attempt = 0; attempt < QUIET_ATTEMPTS; attempt++) {
    await wait(QUIET_CHECK_MS)
    const after = processCpuMs(pid)
    if (after - before <= (QUIET_TICKS * 1000) / TICKS_PER_SECOND) return
    before = after
  }
}
