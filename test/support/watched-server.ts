import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerProcess, spawnServer } from './server-process.ts'

const PRELOAD = Bun.fileURLToPath(new URL('./loop-preload.ts', import.meta.url))

/** Whether this system tells what the tests of holds and memory ask: the processor time of a thread, peak memory. */
export const canWatch = existsSync('/proc/thread-self/schedstat') && existsSync('/proc/self/clear_refs')

/**
 * The least bound of a hold that tests assert, in milliseconds. The goal is 20. The same work takes up to twice the
 * processor time while other processes use the caches and the sibling of the core.
 */
export const HOLD_BOUND_MS = 40

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
