/** Keys counted at a time; when there are more, those that came first are forgotten early. */
const MAX_KEYS = 200_000
/** What may come at once is what may come in so many seconds. */
const BURST_SECONDS = 2
const BURST_MS = BURST_SECONDS * 1000

/**
 * How often each of many may come: a bucket that fills evenly and holds twice what comes in a second.
 *
 * A bucket is one number: the moment from which it is full again. After two seconds without a request it is full, and
 * as good as not there. So the numbers live in two maps, of this stretch of time and of the one before, and are
 * forgotten a map at a time: no timers, nothing to sweep, and bounded memory, whoever comes. Beside the loop's hot
 * path there is no room for a library that answers with a promise.
 */
export class RateLimiter {
  readonly #msEach: number
  readonly #maxKeys: number
  #current = new Map<string, number>()
  #former = new Map<string, number>()
  #turnsAt = 0

  /** @param perSecond requests a second that each key may make */
  constructor(perSecond: number, maxKeys: number = MAX_KEYS) {
    this.#msEach = 1000 / perSecond
    this.#maxKeys = maxKeys
  }

  /** Keys counted now. */
  get size(): number {
    return this.#current.size + this.#former.size
  }

  /**
   * Takes one, if there is one left.
   * @param now in milliseconds, of a clock that never goes back
   * @returns whether there was
   */
  take(key: string, now: number): boolean {
    if (now >= this.#turnsAt || this.#current.size >= this.#maxKeys / 2) this.#turn(now)
    const fullAt = Math.max(this.#current.get(key) ?? this.#former.get(key) ?? now, now) + this.#msEach
    // The first one always passes, or a rate below one in two seconds would let nobody in.
    if (fullAt - now > Math.max(BURST_MS, this.#msEach)) return false
    this.#current.set(key, fullAt)
    return true
  }

  #turn(now: number): void {
    this.#former = now >= this.#turnsAt + this.#stretchMs ? new Map() : this.#current
    this.#current = new Map()
    this.#turnsAt = now + this.#stretchMs
  }

  /** After so long every bucket is full. */
  get #stretchMs(): number {
    return Math.max(BURST_MS, this.#msEach)
  }
}
