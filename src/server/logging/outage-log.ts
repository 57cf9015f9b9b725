import type { Logger } from 'pino'

const MS = 1000

/** Logs that the database is away, and that it is back: two lines, however many requests fail meanwhile. */
export class OutageLog {
  readonly #logger: Logger
  #isOn = false
  /** Requests answered 503 meanwhile. */
  #refused = 0

  constructor(logger: Logger) {
    this.#logger = logger
  }

  get isOn(): boolean {
    return this.#isOn
  }

  begin(database: string, reason: string): void {
    this.#isOn = true
    this.#refused = 0
    this.#logger.error({ database, reason }, 'the database is away: requests wait for it, or are answered 503')
  }

  end(database: string, milliseconds: number): void {
    this.#isOn = false
    const seconds = Math.round(milliseconds) / MS
    this.#logger.warn({ database, seconds, refused: this.#refused }, 'the database is back')
  }

  /** Counts a request that was answered 503. @returns whether it needs no line of its own */
  takes(): boolean {
    if (this.#isOn) this.#refused++
    return this.#isOn
  }
}
