import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type ChildServer, startChild } from '../../support/child-server.ts'
import { type Cast, castOf, serverOptions, witnessesOf } from './cast.ts'
import { Disk } from './disk.ts'
import { Random } from './random.ts'
import { type Entry, KILL_RECORDED, Marks, readRecording, recorderEnvironment } from './recording.ts'

/** How the processes of a run end, one after the other. What is killed leaves its log, and writes that nobody knows of. */
const ENDS = ['stop', 'kill', 'kill', 'stop'] as const
const ENDS_OF_UNSYNCED = ['kill', 'stop'] as const
const LEAST_ACKNOWLEDGED = 60
const MOST_ACKNOWLEDGED = 160

/** Processes that do not call `fdatasync`: all, or the first one, which is then killed. */
export type Unsynced = 'all' | 'first'

export interface RunSettings {
  readonly seed: number
  /** The recorder, built. */
  readonly library: string
  /** An empty folder of its own. */
  readonly folder: string
  /** Which processes sync nothing before they acknowledge it. Default: none. */
  readonly unsynced?: Unsynced
}

/** What a few processes on the same files have done, and what their clients know. */
export interface RecordedRun {
  readonly entries: readonly Entry[]
  readonly casts: readonly Cast[]
  readonly dataDir: string
  /** A disk on which nothing has happened yet. */
  disk(): Disk
  /** What clients have noticed by themselves. */
  readonly problems: readonly string[]
}

/** Plays a load on servers that are recorded. */
export async function recordRun({ seed, library, folder, unsynced }: RunSettings): Promise<RecordedRun> {
  const root = join(realpathSync(folder), 'data')
  const log = join(realpathSync(folder), 'log')
  await mkdir(root)
  const inode = statSync(root, { bigint: true }).ino
  const random = new Random(seed)
  const problems: string[] = []
  using marks = new Marks(log)
  const casts = castOf(random.below(2 ** 32), (name) => marks.put(name), true)
  const ends = unsynced === 'first' ? ENDS_OF_UNSYNCED : ENDS
  for (const [at, end] of ends.entries()) {
    const withoutDatasync = unsynced === 'all' || (unsynced === 'first' && at === 0)
    const environment = recorderEnvironment({ library, root, log, withoutDatasync })
    await using server = await startChild(serverOptions(root), { environment, killSignal: KILL_RECORDED })
    // What is read from here on is told.
    marks.put('listening')
    const witnesses = casts.flatMap(witnessesOf)
    problems.push(...(await Promise.all(witnesses.map((witness) => witness.settle(server)))).flat())
    const acknowledged = LEAST_ACKNOWLEDGED + random.below(MOST_ACKNOWLEDGED)
    await load(server, casts, acknowledged, end)
  }
  return { entries: readRecording(log), casts, dataDir: root, disk: () => new Disk(root, inode), problems }
}

async function load(server: ChildServer, casts: readonly Cast[], steps: number, end: 'stop' | 'kill'): Promise<void> {
  let left = steps
  let isKilled = false
  const reached = Promise.withResolvers<void>()
  const work = casts.flatMap(witnessesOf).map(async (witness) => {
    try {
      while (left-- > 0) await witness.act(server)
      reached.resolve()
      // The others are amid their work when the process is killed, and at its end when it is stopped.
      if (end === 'kill') while (true) await witness.act(server)
    } catch (error) {
      if (!isKilled) throw error
    }
  })
  await reached.promise
  if (end === 'kill') {
    isKilled = true
    await server.kill()
  }
  await Promise.all(work)
  if (end === 'stop') await server.stop()
}

/**
 * Compares the files with what was recorded of them.
 * @returns files that are not as they should be: something was written that the recorder has not seen
 */
export function unseenWrites({ entries, dataDir, disk }: RecordedRun): readonly string[] {
  const whole = disk()
  for (const entry of entries) whole.apply(entry)
  const recorded = whole.afterLoss(new Random(0), { kept: 1, torn: 0 })
  const found = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
    .map((entry) => join(entry.parentPath, entry.name))
  const isSame = (path: string) => Buffer.compare(readFileSync(path), recorded.get(path) ?? new Uint8Array(1)) === 0
  return [...found.filter((path) => !isSame(path)), ...[...recorded.keys()].filter((path) => !found.includes(path))]
}
