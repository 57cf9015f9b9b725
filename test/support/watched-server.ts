import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerProcess, spawnServer } from './server-process.ts'

const PRELOAD = Bun.fileURLToPath(new URL('./loop-preload.ts', import.meta.url))

/** Whether this system tells what the tests of holds and memory ask: the processor time of a thread, peak memory. */
export const canWatch = ['/proc/thread-self/schedstat', '/proc/self/clear_refs', '/dev/shm'].every((path) =>
  existsSync(path),
)

/** The least bound of a hold that tests assert, in milliseconds. The goal is 20. */
const LEAST_HOLD_BOUND_MS = 40
/** Fresh memory whose cost is measured, and how often a hold may cost as much. */
const FRESH_BYTES = 16 * 1024 * 1024
const HOLD_OVER_FRESH_MEMORY = 3
const PAGE_BYTES = 4096

/**
 * Greatest hold of the event loop that a test accepts on this machine now, in milliseconds. A large request needs fresh
 * memory, which costs one virtual machine twenty times the processor time of another: the bound is a ratio to it.
 */
export function holdBoundMs(): number {
  const path = `/dev/shm/dhole-memory-${crypto.randomUUID()}`
  writeFileSync(path, '')
  try {
    truncateSync(path, FRESH_BYTES)
    const before = threadTimeMs()
    const memory = Bun.mmap(path, { shared: true })
    for (let at = 0; at < memory.length; at += PAGE_BYTES) memory[at] = 1
    return Math.max(LEAST_HOLD_BOUND_MS, HOLD_OVER_FRESH_MEMORY * (threadTimeMs() - before))
  } finally {
    rmSync(path)
  }
}

/** Processor time of this thread so far, in milliseconds. */
function threadTimeMs(): number {
  return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6
}

/** `dhole serve` in a process whose event loop and memory are measured. Linux only, see `canWatch`. */
export interface WatchedServer extends ServerProcess {
  /** Runs `during` and returns what was measured meanwhile. Warm the server up before: code that runs first is compiled. */
  watch(during: () => Promise<unknown>): Promise<Watched>
}

export interface Watched {
  /** Longest time the main thread worked without letting the event loop go on: processor time in milliseconds. */
  readonly longestHoldMs: number
  /** Greatest resident memory meanwhile, in bytes. */
  readonly peakMemory: number
}

/** @param settings as of `spawnServer` */
export async function startWatchedServer(settings: Readonly<Record<string, string>> = {}): Promise<WatchedServer> {
  const holds = join(tmpdir(), `dhole-holds-${crypto.randomUUID()}`)
  writeFileSync(holds, '')
  const server = await spawnServer({ ...settings, LOOP_HOLDS: holds }, { runtime: ['--preload', PRELOAD] })
  return {
    ...server,
    stop: async () => {
      await server.stop()
      rmSync(holds, { force: true })
    },
    watch: async (during) => {
      truncateSync(holds)
      // Makes the peak what is resident now; see proc(5).
      writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
      await during()
      const status = readFileSync(`/proc/${server.pid}/status`, 'latin1')
      const lines = readFileSync(holds, 'latin1').split('\n').map(Number)
      return {
        longestHoldMs: Math.max(0, ...lines),
        peakMemory: Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1]) * 1024,
      }
    },
  }
}
