/** Maximum keys counted; above it the oldest are dropped early. */
const MAX_KEYS = 200_000
/** A burst may take what is allowed in this time. */
const BURST_MS = 2000

/**
 * Limits the rate of each key: a token bucket that fills evenly and holds what is allowed in two seconds.
 *
 * A bucket is one number: the time at which it is full again. After two seconds without a request it is full and can be
 * dropped. So the numbers live in two maps, of the current period and of the one before, and are dropped a map at a time:
 * there are no timers, and the memory is bounded for any number of keys.
 */
export class RateLimiter {
  readonly #msEach: number
  readonly #maxKeys: number
  /** Time in which every bucket is full again. */
  readonly #periodMs: number
  #current = new Map<string, number>()
  #former = new Map<string, number>()
  #rotatesAt = 0

  /** @param perSecond requests a second allowed for each key */
  constructor(perSecond: number, maxKeys: number = MAX_KEYS) {
    this.#msEach = 1000 / perSecond
    this.#maxKeys = maxKeys
    this.#periodMs = Math.max(BURST_MS, this.#msEach)
  }

  /** Keys counted now. */
  get size(): number {
    return this.#current.size + this.#former.size
  }

  /**
   * Counts a request if it is allowed.
   * @param now in milliseconds, of a monotonic clock
   * @returns whether it is allowed
   */
  take(key: string, now: number): boolean {
    if (now >= this.#rotatesAt || this.#current.size >= this.#maxKeys / 2) this.#rotate(now)
    const fullAt = Math.max(this.#current.get(key) ?? this.#former.get(key) ?? now, now) + this.#msEach
    // The first request always passes, or a rate below one in two seconds would allow none.
    if (fullAt - now > this.#periodMs) return false
    this.#current.set(key, fullAt)
    return true
  }

  #rotate(now: number): void {
    this.#former = now >= this.#rotatesAt + this.#periodMs ? new Map() : this.#current
    this.#current = new Map()
    this.#rotatesAt = now + this.#periodMs
  }
}
