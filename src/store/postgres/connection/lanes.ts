import { TaskLimit } from '../../../scheduling/task-limit.ts'
import type { Lane, Parameter, Statements } from './lane.ts'
import type { Primary } from './primary.ts'

/** Maximum long reads at a time: each holds a connection, a snapshot and a growing text. */
const LONG_READS = 4

/** Most short statements that a connection gets at once: a long answer before them holds them up. */
const MOST_SHORT = 8

/** A connection that a piece of work has for itself, or short statements together. */
export interface TakenLane {
  readonly lane: Lane
  /** Lets others have it. May be called more than once. */
  release(): void
}

/** Work that waits for a connection. */
interface Waiting {
  readonly isShort: boolean
  /** @param taken `undefined` lets it open a new one */
  resolve(taken: TakenLane | undefined): void
}

/** What a connection is used for. */
export type LaneUse = 'statement' | 'snapshot' | 'transaction' | 'other'

/** What happens to the connections. */
interface LaneEvents {
  /** A connection is used: it is asked at least once. */
  onUsed?(use: LaneUse): void
  onOpened?(): void
  onOpenFailed?(error: unknown): void
  /** A connection was lost. */
  onLost?(): void
}

/** Settings of the connections of one process. */
export interface LaneSettings {
  readonly primary: Primary
  /** Maximum open connections. */
  readonly connections: number
  /** Longest time of one statement, and of opening a connection, in milliseconds. */
  readonly statementMs: number
  readonly events?: LaneEvents
}

/** The connections of this process. Each is used by one piece of work at a time, further ones wait in order. */
export class Lanes implements Statements {
  /** Long reads of all trees. At most half of the connections are theirs. */
  readonly long: TaskLimit
  /** Batches that wait for other processes, each with a connection. One is left for everything else, if there are several. */
  readonly queued: TaskLimit
  readonly #settings: LaneSettings
  readonly #idle: Lane[] = []
  readonly #waiting: Waiting[] = []
  /** Lanes that are open or being opened. */
  #count = 0
  #isClosed = false

  constructor(settings: LaneSettings) {
    this.#settings = settings
    const long = Math.max(1, Math.min(LONG_READS, Math.trunc(settings.connections / 2)))
    this.long = new TaskLimit(long)
    this.queued = new TaskLimit(Math.max(1, settings.connections - long - 1))
  }

  /** Longest time of one statement, in milliseconds. */
  get statementMs(): number {
    return this.#settings.statementMs
  }

  /** Runs one statement on any connection. @throws as `Statements` */
  query<R extends object>(text: string, parameters: readonly Parameter[] = []): Promise<readonly R[]> {
    return this.use((lane) => lane.query<R>(text, parameters), 'statement')
  }

  /**
   * As `query`, for a statement that is answered soon: those that wait are sent together, on a connection that they share.
   * @throws as `Statements`
   */
  async short<R extends object>(text: string, parameters: readonly Parameter[]): Promise<readonly R[]> {
    const { lane, release } = await this.take('statement', true)
    try {
      return await lane.query<R>(text, parameters)
    } finally {
      release()
    }
  }

  /** Runs statements that all see the same snapshot; it is taken with the first one. */
  snapshot<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.use(async (lane) => {
      const begun = lane.begin('read only snapshot')
      try {
        const [result] = await Promise.all([work(lane), begun])
        return result
      } finally {
        // It is not waited for: the next user of the lane comes after it.
        void begun.then(() => lane.rollback()).catch(() => {})
      }
    }, 'snapshot')
  }

  /**
   * Runs statements in a transaction of the isolation level READ COMMITTED, and commits when `work` resolves.
   * @throws what `work` throws, with nothing written; `ConnectionLost` or `StatementTimeout` of COMMIT, when it may be committed
   */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.use(async (lane) => {
      const begun = lane.begin('read write')
      try {
        const [result] = await Promise.all([work(lane), begun])
        await lane.commit()
        return result
      } catch (error) {
        await begun.catch(() => {})
        await lane.rollback()
        throw error
      }
    }, 'transaction')
  }

  /** Runs work on a connection of its own. */
  async use<T>(work: (lane: Lane) => Promise<T>, use: LaneUse = 'other'): Promise<T> {
    const { lane, release } = await this.take(use)
    try {
      return await work(lane)
    } finally {
      release()
    }
  }

  /** Takes a connection. @param isShort shares one with other short statements that wait @throws what opening one throws */
  async take(use: LaneUse = 'other', isShort = false): Promise<TakenLane> {
    const idle = this.#idle.pop()
    const taken = idle === undefined ? await this.#next(isShort) : this.#takenBy(1, idle)()
    this.#settings.events?.onUsed?.(use)
    return taken
  }

  /** Closes all connections; work under way fails. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { resolve } of this.#waiting.splice(0)) resolve(undefined)
    await Promise.all(this.#idle.splice(0).map((lane) => lane.close()))
  }

  async #next(isShort: boolean): Promise<TakenLane> {
    if (this.#isClosed) throw new Error('the connections are closed')
    if (this.#count >= this.#settings.connections) {
      const taken = await new Promise<TakenLane | undefined>((resolve) => this.#waiting.push({ isShort, resolve }))
      return taken ?? this.#next(isShort)
    }
    this.#count++
    try {
      const lane = await this.#settings.primary.open(this.#settings.statementMs)
      this.#settings.events?.onOpened?.()
      return this.#takenBy(1, lane)()
    } catch (error) {
      this.#count--
      this.#settings.events?.onOpenFailed?.(error)
      this.#wakeNext(undefined)
      throw error
    }
  }

  #release(lane: Lane): void {
    if (lane.isBroken || this.#isClosed) {
      // What broke one connection has most likely broken those that are idle too.
      const broken = [lane, ...this.#idle.splice(0)]
      if (!this.#isClosed) this.#settings.events?.onLost?.()
      this.#count -= broken.length
      for (const each of broken) void each.close()
      this.#wakeNext(undefined)
    } else if (!this.#wakeNext(lane)) this.#idle.push(lane)
  }

  /** @param lane `undefined` lets the waiting work open a new one */
  #wakeNext(lane: Lane | undefined): boolean {
    const next = this.#waiting.shift()
    if (next === undefined) return false
    if (lane === undefined) next.resolve(undefined)
    else {
      const together = next.isShort ? [next, ...this.#waiting.splice(0, this.#shortOnes())] : [next]
      const take = this.#takenBy(together.length, lane)
      for (const { resolve } of together) resolve(take())
    }
    return true
  }

  /** How many more of those that wait come with the first one: its share, if all connections take as many. */
  #shortOnes(): number {
    const most = Math.min(MOST_SHORT, Math.ceil((this.#waiting.length + 1) / this.#settings.connections)) - 1
    const other = this.#waiting.slice(0, most).findIndex(({ isShort }) => !isShort)
    return other < 0 ? most : other
  }

  /** Gives a connection to some pieces of work, one at each call. Others have it when all have released it. */
  #takenBy(users: number, lane: Lane): () => TakenLane {
    let left = users
    return () => {
      let isTaken = true
      const release = () => {
        if (isTaken && --left === 0) this.#release(lane)
        isTaken = false
      }
      return { lane, release }
    }
  }
}
