import type { Statements } from './connection/lane.ts'
import { DATABASE_NOW } from './processes.ts'

/** Time between two questions, in milliseconds. */
const ASK_MS = 5000
/** Longest time of a question whose answer is used, in milliseconds; the error is half of it at most. */
const LONGEST_MS = 1000

/** The clock that stored times are of, in milliseconds since 1970. */
export interface StorageClock {
  /** As this process knows it. It may be set back. */
  readonly now: number
  /** SQL expression of it. */
  readonly sql: string
}

/**
 * The clock of the database, as this process knows it. Clocks of the machines of several processes differ; times that are
 * stored are all of this one.
 */
export class DatabaseClock implements StorageClock {
  readonly sql = DATABASE_NOW
  readonly #statements: Statements
  readonly #timer: ReturnType<typeof setInterval>
  /** Milliseconds since 1970 to which `performance.now()` is added. */
  #start = 0
  #isAsking = false

  private constructor(statements: Statements) {
    this.#statements = statements
    this.#timer = setInterval(() => void this.#askAgain(), ASK_MS)
    this.#timer.unref()
  }

  /** @throws what the database throws */
  static async open(statements: Statements): Promise<DatabaseClock> {
    const clock = new DatabaseClock(statements)
    try {
      await clock.#ask(Number.POSITIVE_INFINITY)
      return clock
    } catch (error) {
      clock.close()
      throw error
    }
  }

  /** Milliseconds since 1970. It may go back by little, when a better answer comes. */
  get now(): number {
    return Math.floor(this.#start + performance.now())
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #askAgain(): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    // The database is away: the clock of this process goes on.
    await this.#ask(LONGEST_MS).catch(() => {})
    this.#isAsking = false
  }

  async #ask(longestMs: number): Promise<void> {
    const sentAt = performance.now()
    const [row] = await this.#statements.query<{ now: number }>(`SELECT (${DATABASE_NOW})::float8 AS now`)
    const receivedAt = performance.now()
    if (row === undefined || receivedAt - sentAt > longestMs) return
    this.#start = row.now - (sentAt + receivedAt) / 2
  }
}
