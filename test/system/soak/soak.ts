import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { integrityProblems } from '../../unit/store/integrity.ts'
import { Followers } from './followers.ts'
import { type Bounds, type Judgement, judge, type Rest } from './judge.ts'
import { type Kind, Pace, type Tally } from './pace.ts'
import { randomFor } from './random.ts'
import { descriptorsOf, type Sample, takeSample } from './sample.ts'
import { rulesText, Scene, SECRET } from './scene.ts'
import { applicationWork } from './work/applications.ts'
import { listWork } from './work/lists.ts'
import { messageWork } from './work/messages.ts'
import { streamWork } from './work/streams.ts'
import { tokenWork } from './work/tokens.ts'
import { treeWork } from './work/tree.ts'

/** How long and how hard a soak is. */
export interface SoakOptions {
  readonly seed: number
  readonly seconds: number
  /** How many times as fast as a day passes: a day in 20 minutes is 72. */
  readonly speed: number
  /** Seconds between two samples. */
  readonly sampleSeconds: number
  /** How long the number of descriptors must not change until the server is at rest. */
  readonly steadyMs?: number
  /** Duration from which a request is logged as slow, which is a problem; 0: none. Default: that of the server. */
  readonly slowRequestMs?: number
  readonly onSample?: (sample: Sample, requests: number) => void
}

/** Turns of the server's event loop that came late, in milliseconds: what it did meanwhile. */
interface Stall {
  /** The thread ran. */
  readonly ran: number
  /** It could have run and had no processor: the machine does something else. */
  readonly waited: number
  /** It waited for something else, such as a disk. */
  readonly blocked: number
}

/** All of them, and the longest. */
interface Stalls extends Stall {
  readonly number: number
  readonly longest: Stall & { readonly ms: number }
}

/** What came of it. */
export interface SoakResult {
  readonly samples: readonly Sample[]
  readonly rests: readonly [before: Rest, after: Rest]
  readonly tally: Tally
  readonly requests: number
  /** `undefined` where the process did not tell. */
  readonly stalls: Stalls | undefined
  /** Streams that were open all the time. */
  readonly followers: number
  readonly judgement: Judgement
  /** Empty when all is well. */
  readonly problems: readonly string[]
}

/** Caches fill and the heap finds its size in the first of so many equal parts. */
const WARM_PARTS = 4
const MEMORY_SHARE = 0.05
/** Of the log of one application twice its limit, and what a dozen small ones have not moved yet. */
const WAL_BYTES = 400 * 1024 * 1024
/** So much waiting for a processor in late turns is a machine that is busy with something else. */
const STARVED_MS = 10_000
/** Idle connections and applications are closed before: what is silent for half a minute, within some four seconds. */
const STEADY_MS = 40_000
const LOOK_MS = 250

const SETTINGS: Readonly<Record<string, string>> = {
  APP_SECRET: SECRET,
  LOG_LEVEL: 'warn',
  // What a day does only now and then is done every few seconds.
  APP_IDLE_MS: '3000',
  MAX_OPEN_APPS: '12',
  INDEX_IDLE_MS: '20000',
  KEEP_ALIVE_MS: '5000',
  // Wrong credentials come from many addresses.
  TRUST_PROXY: '127.0.0.1,::1,::ffff:127.0.0.1',
}

const PROBE = Bun.fileURLToPath(new URL('./heap-probe.ts', import.meta.url))

/** Runs `dhole serve` under the load of a day, compressed, and judges what it holds meanwhile. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const dataDir = await mkdtemp(join(tmpdir(), 'dhole-soak-'))
  const besides = await mkdtemp(join(tmpdir(), 'dhole-soak-besides-'))
  const heapFile = join(besides, 'heap.json')
  const rulesFile = join(besides, 'rules.json')
  await writeFile(rulesFile, rulesText(0))
  const settings = {
    ...SETTINGS,
    DATA_DIR: dataDir,
    RULES: rulesFile,
    HEAP_PROBE: heapFile,
    ...(options.slowRequestMs === undefined ? {} : { SLOW_REQUEST_MS: String(options.slowRequestMs) }),
  }
  const server = await spawnServer(settings, { runtime: ['--preload', PROBE] })
  try {
    const watch = new Watch(server, heapFile, options)
    const scene = new Scene(server, await readFile(server.certificate, 'utf8'))
    const followers = await Followers.open(scene)
    const pace = new Pace(await workOf(scene, options.seed), options.speed)

    const warmSeconds = options.seconds / WARM_PARTS
    await watch.during(scene, () => pace.work(warmSeconds))
    const before = await restOf(server, scene, options.steadyMs)
    await watch.during(scene, () => pace.work(options.seconds - warmSeconds))
    const after = await restOf(server, scene, options.steadyMs)

    const stalls = await watch.stalls()
    const problems = brokenProblems(pace.tally, stalls)
    if (pace.tally.failed > 0) problems.push(`${pace.tally.failed} answers were wrong`)
    problems.push(...(await followers.strayed()).map((target) => `a stream differs from GET ${target}`))
    await followers.close()
    await scene.rest()
    problems.push(...(await endProblems(server)))
    const bounds: Bounds = { warmSeconds, memoryShare: MEMORY_SHARE, walBytes: WAL_BYTES }
    const rests = [before, after] as const
    const judgement = judge({ samples: watch.samples, rests }, bounds)
    return {
      samples: watch.samples,
      rests,
      tally: pace.tally,
      requests: scene.requests,
      stalls,
      followers: followers.count,
      judgement,
      problems: [...problems, ...judgement.problems],
    }
  } finally {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
    await rm(besides, { recursive: true, force: true })
  }
}

async function workOf(scene: Scene, seed: number): Promise<readonly Kind[]> {
  return [
    ...treeWork(scene, randomFor(seed, 'tree')),
    ...listWork(scene, randomFor(seed, 'lists')),
    ...tokenWork(scene, randomFor(seed, 'tokens')),
    ...streamWork(scene, randomFor(seed, 'streams')),
    ...(await applicationWork(scene, randomFor(seed, 'applications'))),
    ...(await messageWork(scene, randomFor(seed, 'messages'))),
  ]
}

/** Takes samples while something goes on. */
class Watch {
  readonly samples: Sample[] = []
  readonly #server: ServerProcess
  readonly #heapFile: string
  readonly #options: SoakOptions
  #seconds = 0

  constructor(server: ServerProcess, heapFile: string, options: SoakOptions) {
    this.#server = server
    this.#heapFile = heapFile
    this.#options = options
  }

  async during(scene: Scene, load: () => Promise<void>): Promise<void> {
    const begun = performance.now()
    const before = this.#seconds
    const take = async () => {
      this.#seconds = before + (performance.now() - begun) / 1000
      const heapBytes = await this.#heap()
      const sample = takeSample(this.#server, { at: this.#seconds, isLoaded: true, heapBytes })
      this.samples.push(sample)
      this.#options.onSample?.(sample, scene.requests)
    }
    const failure = Promise.withResolvers<never>()
    const timer = setInterval(() => void take().catch(failure.reject), this.#options.sampleSeconds * 1000)
    await Promise.race([load(), failure.promise, this.#server.exited.then(ended)]).finally(() => clearInterval(timer))
    this.#seconds = before + (performance.now() - begun) / 1000
  }

  /** As of the last sample. */
  async stalls(): Promise<Stalls | undefined> {
    return (await this.#told())?.stalls
  }

  /** What the process told at the last sample; it is asked for the next one. */
  async #heap(): Promise<number | undefined> {
    const told = await this.#told()
    this.#server.kill('SIGUSR2')
    return told?.heapUsed
  }

  async #told(): Promise<{ readonly heapUsed: number; readonly stalls: Stalls } | undefined> {
    const file = Bun.file(this.#heapFile)
    const text = (await file.exists()) ? await file.text() : ''
    // It may be being written at this moment.
    return text.endsWith('}') ? JSON.parse(text) : undefined
  }
}

/**
 * A connection that brings nothing for ten seconds is closed by the listener, also when it was the server that had no
 * processor to look at it. So broken connections are a fault unless the machine was that busy.
 */
function brokenProblems({ broken }: Tally, stalls: Stalls | undefined): string[] {
  const isStarved = stalls !== undefined && stalls.waited > stalls.ran + stalls.blocked && stalls.waited > STARVED_MS
  return broken > 0 && !isStarved ? [`${broken} connections were broken off`] : []
}

function ended(status: number): never {
  throw new Error(`the server has ended with status ${status}`)
}

/** Lets go of what can be let go, and waits until the process has done so too. */
async function restOf(server: ServerProcess, scene: Scene, steadyMs: number = STEADY_MS): Promise<Rest> {
  await scene.rest()
  let descriptors = descriptorsOf(server.pid)
  for (let since = performance.now(); performance.now() - since < steadyMs; ) {
    await Bun.sleep(LOOK_MS)
    const now = descriptorsOf(server.pid)
    if (now.length !== descriptors.length) since = performance.now()
    descriptors = now
  }
  const { threads } = takeSample(server, { at: 0, isLoaded: false, heapBytes: undefined })
  return { descriptors, threads }
}

/** Stops the server as an operator does and looks at what it leaves. */
async function endProblems(server: ServerProcess): Promise<string[]> {
  server.kill('SIGTERM')
  const status = await server.exited
  const problems = status === 0 ? [] : [`the server ended with status ${status}`]
  const folder = join(server.dataDir, 'apps')
  for (const name of new Bun.Glob('*.sqlite').scanSync(folder)) {
    problems.push(...integrityProblems(join(folder, name)).map((problem) => `${name}: ${problem}`))
  }
  const told = server
    .output()
    .split('\n')
    .filter((line) => line.includes('"level"'))
  if (told.length > 0) problems.push(`the log has ${told.length} warnings: ${told[0]}`)
  return problems
}
