import pLimit, { type LimitFunction } from 'p-limit'
import type { RateLimiterMemory } from 'rate-limiter-flexible'
import { networkOf } from './network.ts'

const WINDOW_SECONDS = 60
/** Networks counted at a time; the count of the one that failed longest ago goes when there are more. */
const MAX_NETWORKS = 10_000
/** Credentials of one network that are verified at the same time: each costs a signature. */
const VERIFIED_AT_ONCE = 8

export interface FailedAttemptsOptions {
  /** Default 10,000. */
  readonly maxNetworks?: number
  /** Hears of every wrong credential. */
  readonly onFailed?: () => void
  /** Hears of a network that has shown as many wrong credentials as are answered with what is wrong, once a minute. */
  readonly onExceeded?: (network: string) => void
}

/** Verifications of one network. */
interface Verifications {
  readonly limit: LimitFunction
  /** Under way or waiting. */
  count: number
}

/**
 * Counts wrong credentials by network. Whoever has shown many is told to come later in place of what is wrong. Right
 * credentials are heard all the same: behind one address there may be many, and a secret is too long to be guessed.
 * @see docs/reference/protocol.md#credentials
 */
export class FailedAttempts {
  /** Made with the first wrong credential: reading its library takes a noticeable part of a start. */
  #limiter: Promise<RateLimiterMemory> | undefined
  readonly #perMinute: number
  readonly #options: FailedAttemptsOptions
  /** Networks that are counted, in the order of the last failure. */
  readonly #counted = new Set<string>()
  readonly #verifications = new Map<string, Verifications>()

  /**
   * @param perMinute wrong credentials after which more of a network are too many, until the minute that began with the
   *   first one is over; 0: any number
   */
  constructor(perMinute: number, options: FailedAttemptsOptions = {}) {
    this.#perMinute = perMinute
    this.#options = options
  }

  /** Networks of which a credential is being verified. */
  get verifyingNetworks(): number {
    return this.#verifications.size
  }

  /** Verifies a credential, beside few others of its network. @throws what `verify` throws */
  async runWithinLimit<T>(address: string, verify: () => Promise<T>): Promise<T> {
    const network = networkOf(address)
    const known = this.#verifications.get(network)
    const verifications = known ?? { limit: pLimit(VERIFIED_AT_ONCE), count: 0 }
    if (known === undefined) this.#verifications.set(network, verifications)
    verifications.count++
    try {
      return await verifications.limit(verify)
    } finally {
      if (--verifications.count === 0) this.#verifications.delete(network)
    }
  }

  /** Counts a wrong credential. @returns whether its network has shown too many */
  async record(address: string): Promise<boolean> {
    this.#options.onFailed?.()
    if (this.#perMinute === 0) return false
    const network = networkOf(address)
    this.#limiter ??= limiterOf(this.#perMinute)
    const limiter = await this.#limiter
    const { consumedPoints } = await limiter.penalty(network)
    this.#counted.delete(network)
    this.#counted.add(network)
    this.#forgetOldest(limiter)
    if (consumedPoints === this.#perMinute) this.#options.onExceeded?.(network)
    return consumedPoints > this.#perMinute
  }

  #forgetOldest(limiter: RateLimiterMemory): void {
    const { maxNetworks = MAX_NETWORKS } = this.#options
    if (this.#counted.size <= maxNetworks) return
    const [oldest] = this.#counted
    if (oldest === undefined) return
    this.#counted.delete(oldest)
    void limiter.delete(oldest)
  }
}

async function limiterOf(perMinute: number): Promise<RateLimiterMemory> {
  const { RateLimiterMemory } = await import('rate-limiter-flexible')
  return new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS })
}
