/** The clock of idempotency records. That of the database may jump; that must neither remove a record early nor keep it for years. */
export class RecordClock {
  /** Time in milliseconds since 1970 to which `performance.now()` is added. */
  readonly #start: number
  readonly #ageMs: number

  /**
   * @param last time of the newest record @param ageMs age up to which records are kept @param now time by the database; all
   * in milliseconds, times since 1970
   */
  constructor(last: number, ageMs: number, now: number) {
    this.#start = Math.max(now, last) - performance.now()
    this.#ageMs = ageMs
  }

  get now(): number {
    return Math.floor(this.#start + performance.now())
  }

  /** Time before which records are too old. */
  get outdated(): number {
    return this.now - this.#ageMs
  }
}
