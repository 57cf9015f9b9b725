import type { RateLimiterMemory } from 'rate-limiter-flexible'
import { DholeError } from '../tree/error.ts'
import { networkOf } from './network.ts'
import { UnderWay } from './under-way.ts'

const WINDOW_SECONDS = 60
const WINDOW_MS = WINDOW_SECONDS * 1000
/** Networks counted at a time; the count of the one that failed longest ago goes when there are more. */
const MAX_NETWORKS = 10_000

/** Wrong credentials of one network. */
interface Count {
  readonly failed: number
  /** In milliseconds since 1970. */
  readonly until: number
}

/** Counts wrong credentials by address, so that nobody can try many. @see docs/protocol.md#credentials */
export class Failures {
  /** Made with the first wrong credential: reading its library takes a noticeable part of a start. */
  #limiter: Promise<RateLimiterMemory> | undefined
  readonly #perMinute: number
  readonly #maxNetworks: number
  readonly #onFailed: (() => void) | undefined
  /** What the limiter has counted: itself it answers a turn later. In the order of the last failure. */
  readonly #counted = new Map<string, Count>()
  /** Those of the counted that have no failure left. */
  readonly #refused = new Set<string>()
  /** Each may turn out wrong, so each takes one of the failures that are left. */
  readonly #underWay = new UnderWay()

  /**
   * @param perMinute wrong credentials after which an address is refused until the minute that began with the first one
   *   is over; 0 never refuses
   * @param onFailed hears of every wrong credential
   */
  constructor(perMinute: number, maxNetworks: number = MAX_NETWORKS, onFailed?: () => void) {
    this.#perMinute = perMinute
    this.#maxNetworks = maxNetworks
    this.#onFailed = onFailed
  }

  /** Whether there may be anybody to refuse, or to let wait. */
  get concernsAny(): boolean {
    return this.#refused.size > 0 || !this.#underWay.isEmpty
  }

  /** Whether an address has shown as many wrong credentials as it may. */
  refuses(address: string): boolean {
    return this.#left(networkOf(address)) <= 0
  }

  /**
   * Whether a credential has to wait: the address would have shown too many if all turned out wrong that are being
   * looked at.
   * @param credential tells one guess from another; with it the name of what it is shown to
   */
  isFull(address: string, credential: string): boolean {
    const network = networkOf(address)
    return this.#underWay.count(network) >= this.#left(network) && !this.#underWay.has(network, credential)
  }

  /**
   * Looks at a credential, as soon as there is a place for it. It counts as wrong while that lasts; whoever finds it
   * wrong must have {@link note noted} so before the check is over.
   * @throws `too-many-failures` when too many have turned out wrong before its turn came
   */
  async look<T>(address: string, credential: string, check: () => Promise<T>): Promise<T> {
    if (!this.#isCounting) return check()
    const network = networkOf(address)
    while (this.isFull(address, credential)) {
      if (this.#left(network) <= 0) throw new DholeError('too-many-failures')
      await this.#underWay.next(network)
    }
    this.#underWay.begin(network, credential)
    try {
      return await check()
    } finally {
      this.#underWay.end(network, credential)
    }
  }

  /** Counts a wrong credential. */
  async note(address: string): Promise<void> {
    this.#onFailed?.()
    if (!this.#isCounting) return
    const network = networkOf(address)
    this.#limiter ??= limiterOf(this.#perMinute)
    const limiter = await this.#limiter
    const { consumedPoints, msBeforeNext } = await limiter.penalty(network)
    this.#counted.delete(network)
    // More than a window is left when the clock was set back.
    this.#counted.set(network, { failed: consumedPoints, until: Date.now() + Math.min(msBeforeNext, WINDOW_MS) })
    if (consumedPoints >= this.#perMinute) this.#refused.add(network)
    this.#forgetOldest(limiter)
  }

  get #isCounting(): boolean {
    return this.#perMinute > 0
  }

  /** Wrong credentials that a network may still show. */
  #left(network: string): number {
    return this.#isCounting ? this.#perMinute - this.#failedOf(network) : Number.POSITIVE_INFINITY
  }

  #failedOf(network: string): number {
    const count = this.#counted.get(network)
    if (count === undefined) return 0
    const left = count.until - Date.now()
    if (left > 0 && left <= WINDOW_MS) return count.failed
    this.#counted.delete(network)
    this.#refused.delete(network)
    return 0
  }

  #forgetOldest(limiter: RateLimiterMemory): void {
    if (this.#counted.size <= this.#maxNetworks) return
    const [oldest] = this.#counted.keys()
    if (oldest === undefined) return
    this.#counted.delete(oldest)
    this.#refused.delete(oldest)
    void limiter.delete(oldest)
  }
}

async function limiterOf(perMinute: number): Promise<RateLimiterMemory> {
  const { RateLimiterMemory } = await import('rate-limiter-flexible')
  return new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS })
}
