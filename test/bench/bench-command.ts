/** `bun run bench` as its own process. */
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'

const RUN = fileURLToPath(new URL('../../bench/run.ts', import.meta.url))
const DATA_DIR = fileURLToPath(new URL('../../bench/data', import.meta.url))
/** Fields of `/proc/<pid>/stat` counted behind the command name. */
const STATE_FIELD = 0
const SESSION_FIELD = 3

export interface BenchRun {
  readonly pid: number
  /** Resolves when that was told on standard error. */
  saw(text: string): Promise<void>
  ended(): Promise<{ readonly status: number; readonly stdout: string; readonly stderr: string }>
  /** Processes of the run that are there now, its own and whatever it has started. */
  processes(): number[]
}

/** Starts it in a session of its own, so that all it starts can be found. */
export function startBench(...words: readonly string[]): BenchRun {
  return startBenchIn(tmpdir(), ...words)
}

/** The same with another folder for temporary files. */
export function startBenchIn(folder: string, ...words: readonly string[]): BenchRun {
  const child = Bun.spawn([process.execPath, RUN, ...words], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    detached: true,
    env: { ...process.env, TMPDIR: folder },
  })
  const stdout = child.stdout.text()
  let told = ''
  let changed = Promise.withResolvers<void>()
  const stderr = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stderr) {
      told += decoder.decode(chunk, { stream: true })
      changed.resolve()
      changed = Promise.withResolvers()
    }
    changed.resolve()
    return told
  })()
  return {
    pid: child.pid,
    async saw(text) {
      while (!told.includes(text)) {
        if (child.exitCode !== null) throw new Error(`it ended without telling ${text}: ${told}`)
        await changed.promise
      }
    },
    ended: async () => ({ status: await child.exited, stdout: await stdout, stderr: await stderr }),
    processes: () => processesOf(child.pid),
  }
}

/** Data directories of runs that are there now. */
export function dataDirs(): string[] {
  try {
    return readdirSync(DATA_DIR)
  } catch {
    return []
  }
}

function processesOf(session: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return Number(fields[SESSION_FIELD]) === session && fields[STATE_FIELD] !== 'Z'
    } catch {
      return false
    }
  })
}
