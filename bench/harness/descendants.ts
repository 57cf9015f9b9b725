/** Ends what a run has started, whoever of it started what. */
import { readdirSync, readFileSync } from 'node:fs'

/** Fields of `/proc/<pid>/stat` counted behind the command name. */
const STATE_FIELD = 0
const PARENT_FIELD = 1
const ENDED = 'Z'
const ATTEMPTS = 200
const ATTEMPT_MS = 10

/** What a signal ends a run with. */
const STATUSES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** When the run is told to stop: ends all that it has started, then cleans up. */
export function onInterrupt(clean: () => void): void {
  for (const [signal, status] of Object.entries(STATUSES)) {
    process.once(signal, () => {
      endDescendants()
      clean()
      process.exit(status)
    })
  }
}

/** Returns when none of them runs any more. */
export function endDescendants(): void {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const pids = descendantsOf(process.pid)
    if (pids.length === 0) return
    for (const pid of pids) end(pid)
    Bun.sleepSync(ATTEMPT_MS)
  }
}

function descendantsOf(ancestor: number): number[] {
  const children = Map.groupBy(running(), ({ parent }) => parent)
  const below = (parent: number): number[] => (children.get(parent) ?? []).flatMap(({ pid }) => [pid, ...below(pid)])
  return below(ancestor)
}

function running(): { pid: number; parent: number }[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return fields[STATE_FIELD] === ENDED ? [] : [{ pid, parent: Number(fields[PARENT_FIELD]) }]
    } catch {
      // It has ended in between.
      return []
    }
  })
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended in between.
  }
}
