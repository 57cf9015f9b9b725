import { RateLimiterMemory } from 'rate-limiter-flexible'
import { networkOf } from './network.ts'

const WINDOW_SECONDS = 60
const WINDOW_MS = WINDOW_SECONDS * 1000
/** Networks counted at a time; the count of the one that failed longest ago goes when there are more. */
const MAX_NETWORKS = 10_000

/** Counts wrong credentials by address, so that nobody can try many. @see docs/protocol.md#credentials */
export class Failures {
  readonly #limiter: RateLimiterMemory | undefined
  readonly #perMinute: number
  readonly #maxNetworks: number
  /** In the order of their last failure. */
  readonly #counted = new Set<string>()
  /** Until when a network is refused, in milliseconds since 1970: the limiter itself answers a turn later. */
  readonly #refusedUntil = new Map<string, number>()

  /**
   * @param perMinute wrong credentials after which an address is refused until the minute that began with the first one
   *   is over; 0 never refuses
   */
  constructor(perMinute: number, maxNetworks: number = MAX_NETWORKS) {
    this.#perMinute = perMinute
    this.#maxNetworks = maxNetworks
    this.#limiter = perMinute > 0 ? new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS }) : undefined
  }

  /** Whether there is anybody to refuse. */
  get refusesAny(): boolean {
    return this.#refusedUntil.size > 0
  }

  /** Whether the address has shown so many wrong credentials that none of its credentials is looked at. */
  refuses(address: string): boolean {
    const network = networkOf(address)
    const until = this.#refusedUntil.get(network)
    if (until === undefined) return false
    const left = until - Date.now()
    // More than a window is left when the clock was set back.
    if (left > 0 && left <= WINDOW_MS) return true
    this.#refusedUntil.delete(network)
    return false
  }

  /** Counts a wrong credential. */
  async note(address: string): Promise<void> {
    if (this.#limiter === undefined) return
    const network = networkOf(address)
    this.#counted.delete(network)
    this.#counted.add(network)
    this.#forgetOldest()
    const { consumedPoints, msBeforeNext } = await this.#limiter.penalty(network)
    if (consumedPoints >= this.#perMinute) this.#refusedUntil.set(network, Date.now() + msBeforeNext)
  }

  #forgetOldest(): void {
    if (this.#counted.size <= this.#maxNetworks) return
    const [oldest] = this.#counted
    if (oldest === undefined) return
    this.#counted.delete(oldest)
    this.#refusedUntil.delete(oldest)
    void this.#limiter?.delete(oldest)
  }
}
