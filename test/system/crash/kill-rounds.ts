import { stat } from 'node:fs/promises'
import { treeFile } from '../../../src/data-folder/tree-file.ts'
import type { DholeOptions } from '../../../src/index.ts'
import { type ChildServer, startChild } from '../../support/child-server.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { APPS, type Cast, castOf, serverOptions, witnessesOf } from './cast.ts'
import { fileProblems } from './file-problems.ts'
import { Follower } from './follower.ts'
import { Random } from './random.ts'
import { UnexpectedAnswer } from './witness.ts'

/** When a process is killed. */
type Moment = 'time' | 'acknowledgement' | 'checkpoint' | 'starting' | 'stopping'

const MOMENTS: readonly Moment[] = ['time', 'acknowledgement', 'checkpoint', 'starting', 'stopping']
const MOST_LOAD_MS = 500
const LEAST_ACKNOWLEDGED = 60
const MOST_ACKNOWLEDGED = 300
const MOST_START_MS = 250
const MOST_STOP_MS = 25

export interface KillPlan {
  readonly rounds: number
  readonly seed: number
  /** Which come in turn. Default: all. */
  readonly moments?: readonly Moment[]
  /** Length at which the log is shortened, in bytes. */
  readonly walLimitBytes?: number
  /** Hears of each round when it is over. */
  readonly onRound?: (round: number, moment: Moment, problems: readonly string[]) => void
  /** Does something to the files of a killed process, for tests of what is noticed. */
  readonly afterKill?: (dataDir: string) => void
}

/** What rounds of killing have come to. */
export interface KillResult {
  readonly problems: readonly string[]
  readonly acknowledged: number
  /** How often a stream was told what it had missed. */
  readonly resumed: number
  /** How many writes without an answer were sent once more under their keys. */
  readonly sentAgain: number
  readonly moments: ReadonlyMap<Moment, number>
}

/**
 * Loads a server, kills it at some moment, looks at what it has left, starts it again and asks everybody whether what
 * they were told still holds; over and over on the same files.
 */
export async function killRounds(plan: KillPlan): Promise<KillResult> {
  const { rounds, seed, moments = MOMENTS, walLimitBytes, onRound, afterKill } = plan
  await using dir = await tempDir()
  const play = new Play(serverOptions(dir.path, walLimitBytes), dir.path, seed)
  const problems: string[] = []
  for (let round = 1; round <= rounds; round++) {
    const moment = moments[(round - 1) % moments.length] ?? 'time'
    const found = (await play.round(moment)).map((problem) => `round ${round}, ${moment}: ${problem}`)
    problems.push(...found)
    afterKill?.(dir.path)
    onRound?.(round, moment, found)
  }
  problems.push(...(await play.end()).map((problem) => `in the end: ${problem}`))
  const { acknowledged, resumed, sentAgain } = play
  return { problems, acknowledged, resumed, sentAgain, moments: play.moments }
}

class Play {
  acknowledged = 0
  readonly moments = new Map<Moment, number>()
  readonly #options: DholeOptions
  readonly #dataDir: string
  readonly #random: Random
  readonly #casts: readonly Cast[]
  readonly #followers: readonly Follower[]
  #onAcknowledged = () => {}

  constructor(options: DholeOptions, dataDir: string, seed: number) {
    this.#options = options
    this.#dataDir = dataDir
    this.#random = new Random(seed)
    this.#casts = castOf(this.#random.below(2 ** 32), () => {
      this.acknowledged++
      this.#onAcknowledged()
    })
    this.#followers = this.#casts.flatMap(({ trees }) =>
      trees.slice(0, 2).map((tree, at) => new Follower(tree, at === 0)),
    )
  }

  get resumed(): number {
    return this.#followers.reduce((sum, { resumed }) => sum + resumed, 0)
  }

  get sentAgain(): number {
    return this.#casts.flatMap(({ trees }) => trees).reduce((sum, { unanswered }) => sum + unanswered, 0)
  }

  async round(moment: Moment): Promise<readonly string[]> {
    this.moments.set(moment, (this.moments.get(moment) ?? 0) + 1)
    if (moment === 'starting') await this.#killStarting()
    await using server = await this.#start()
    const problems = await this.#settle(server)
    problems.push(...(await this.#loadAndKill(server, moment)))
    await using scratch = await tempDir()
    problems.push(...(await fileProblems(this.#dataDir, APPS, scratch.path)))
    return problems
  }

  /** Looks at what the last kill has left. */
  async end(): Promise<readonly string[]> {
    await using server = await this.#start()
    const problems = await this.#settle(server)
    await Promise.all(this.#followers.map((follower) => follower.close()))
    return problems
  }

  #start(): Promise<ChildServer> {
    return startChild(this.#options)
  }

  /** Ends a process that may not have got to the point where it listens. */
  async #killStarting(): Promise<void> {
    const killed = Promise.withResolvers<void>()
    const starting = startChild(this.#options, {
      onSpawned: (kill) => setTimeout(() => kill().then(killed.resolve), this.#random.below(MOST_START_MS)),
    })
    await starting.catch(() => {})
    await killed.promise
  }

  async #settle(server: ChildServer): Promise<string[]> {
    const witnesses = this.#casts.flatMap(witnessesOf)
    const found = await Promise.all(witnesses.map((witness) => witness.settle(server)))
    const told = await Promise.all(this.#followers.map((follower) => follower.resume(server)))
    return [...found.flat(), ...told.flat()]
  }

  async #loadAndKill(server: ChildServer, moment: Moment): Promise<readonly string[]> {
    let isOver = false
    const problems: string[] = []
    const broken = Promise.withResolvers<void>()
    const work = this.#casts.flatMap(witnessesOf).map(async (witness) => {
      try {
        while (!isOver) await witness.act(server)
      } catch (error) {
        // A connection that breaks is what is to be expected, once the process is about to end.
        if (isOver && !(error instanceof UnexpectedAnswer)) return
        problems.push(`${witness.name}: ${error}`)
        broken.resolve()
      }
    })
    await Promise.race([this.#momentOf(moment), broken.promise])
    isOver = true
    if (moment === 'stopping') {
      const stopped = server.stop()
      await Promise.race([stopped, Bun.sleep(this.#random.below(MOST_STOP_MS))])
    }
    await server.kill()
    await Promise.all(work)
    // A stopping server may refuse; all others answer or are gone.
    return moment === 'stopping' ? problems.filter((problem) => !problem.includes(': 503 ')) : problems
  }

  async #momentOf(moment: Moment): Promise<void> {
    if (moment === 'acknowledgement')
      return this.#acknowledgement(LEAST_ACKNOWLEDGED + this.#random.below(MOST_ACKNOWLEDGED))
    await Bun.sleep(this.#random.below(MOST_LOAD_MS))
    if (moment === 'checkpoint') await this.#checkpoint()
  }

  #acknowledgement(number: number): Promise<void> {
    const reached = this.acknowledged + number
    return new Promise((resolve) => {
      this.#onAcknowledged = () => {
        if (this.acknowledged === reached) resolve()
      }
    })
  }

  /** The file itself is written to by nothing else. */
  async #checkpoint(): Promise<void> {
    const file = treeFile(this.#dataDir, this.#random.pick(APPS))
    const { mtimeMs } = await stat(file)
    while ((await stat(file)).mtimeMs === mtimeMs) await new Promise(setImmediate)
  }
}
