import pLimit, { type LimitFunction } from 'p-limit'
import type { RateLimiterMemory } from 'rate-limiter-flexible'
import { networkOf } from './network.ts'

const WINDOW_SECONDS = 60
/** Maximum counted networks; beyond it the one with the oldest failure is forgotten. */
const MAX_NETWORKS = 10_000
/** Maximum credentials of one network that are verified at the same time: each costs a signature. */
const VERIFIED_AT_ONCE = 8

export interface FailedAttemptsOptions {
  /** Default 10,000. */
  readonly maxNetworks?: number
  /** Called for every wrong credential. */
  readonly onFailed?: () => void
  /** Called when a network reaches the limit, once a minute. */
  readonly onExceeded?: (network: string) => void
}

/**
 * Counts wrong credentials by network. Beyond the limit a wrong credential gets `too-many-failures` in place of its own
 * error. Right credentials are still accepted: many clients may share an address, and a secret is too long to be guessed.
 * @see docs/reference/protocol.md#credentials
 */
export class FailedAttempts {
  /** Created for the first wrong credential: loading the library would delay the start. */
  #limiter: Promise<RateLimiterMemory> | undefined
  readonly #perMinute: number
  readonly #options: FailedAttemptsOptions
  /** Counted networks in the order of the last failure. */
  readonly #counted = new Set<string>()
  readonly #verifications = new Map<string, LimitFunction>()

  /**
   * @param perMinute limit of wrong credentials of a network within the minute that begins with the first one; 0 means
   *   unlimited
   */
  constructor(perMinute: number, options: FailedAttemptsOptions = {}) {
    this.#perMinute = perMinute
    this.#options = options
  }

  /** Number of networks with a credential that is being verified. */
  get verifyingNetworks(): number {
    return this.#verifications.size
  }

  /** Verifies a credential; few of one network run at the same time. @throws what `verify` throws */
  async runWithinLimit<T>(address: string, verify: () => Promise<T>): Promise<T> {
    const network = networkOf(address)
    const limit = this.#verifications.get(network) ?? pLimit(VERIFIED_AT_ONCE)
    this.#verifications.set(network, limit)
    try {
      return await limit(verify)
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) this.#verifications.delete(network)
    }
  }

  /** Counts a wrong credential. @returns whether its network is beyond the limit */
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
