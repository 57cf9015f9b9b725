import type { Awaitable } from '../scheduling/awaitable.ts'
import { TaskLimit } from '../scheduling/task-limit.ts'
import { networkOf } from './network.ts'

/** Length of a period in which failures are counted. */
const PERIOD_MS = 60_000
/** Maximum counted networks; beyond it the one with the oldest failure is forgotten. */
const MAX_NETWORKS = 10_000
/** Maximum credentials of one network that are verified at the same time: each costs a signature. */
const VERIFIED_AT_ONCE = 8

/** Wrong credentials that several processes count together. */
interface SharedFailures {
  /**
   * Counts one. @returns the failures of its network within the minute that began with the first one, and the time until that
   * minute ends, in milliseconds
   */
  add(network: string): Promise<{ readonly failures: number; readonly leftMs: number }>
}

export interface FailedAttemptsOptions {
  /** Counts on all processes. While it fails, each process counts alone. */
  readonly shared?: SharedFailures | undefined
  /** Default 10,000. */
  readonly maxNetworks?: number
  /** Called for every wrong credential. */
  readonly onFailed?: () => void
  /** Called when a network reaches the limit, once a minute. */
  readonly onExceeded?: (network: string) => void
}

/** A minute that begins with the first failure of a network. */
interface Period {
  endsAt: number
  failures: number
  /** Whether the limit was reported. */
  isReported: boolean
}

/**
 * Counts wrong credentials by network. Beyond the limit a wrong credential gets `too-many-failures` in place of its own
 * error. Right credentials are still accepted: many clients may share an address, and a secret is too long to be guessed.
 * @see docs/reference/protocol.md#credentials
 */
export class FailedAttempts {
  readonly #perMinute: number
  readonly #options: FailedAttemptsOptions
  /** Periods by network, in the order of the last failure. */
  readonly #periods = new Map<string, Period>()
  readonly #verifications = new Map<string, TaskLimit>()

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
    const limit = this.#verifications.get(network) ?? new TaskLimit(VERIFIED_AT_ONCE)
    this.#verifications.set(network, limit)
    try {
      return await limit.run(verify)
    } finally {
      if (limit.isIdle) this.#verifications.delete(network)
    }
  }

  /**
   * Counts a wrong credential. @returns whether its network is beyond the limit: a promise where processes count together
   */
  record(address: string): Awaitable<boolean> {
    this.#options.onFailed?.()
    if (this.#perMinute === 0) return false
    const network = networkOf(address)
    const period = this.#count(network)
    const { shared } = this.#options
    // Beyond the limit, the other processes need not know how far.
    if (shared === undefined || period.failures > this.#perMinute) return this.#isBeyond(network, period)
    return shared.add(network).then(
      ({ failures, leftMs }) => {
        if (failures > period.failures) Object.assign(period, { failures, endsAt: Date.now() + leftMs })
        return this.#isBeyond(network, period)
      },
      () => this.#isBeyond(network, period),
    )
  }

  #count(network: string): Period {
    const { maxNetworks = MAX_NETWORKS } = this.#options
    const now = Date.now()
    const last = this.#periods.get(network)
    const begun = { endsAt: now + PERIOD_MS, failures: 0, isReported: false }
    const period = last !== undefined && now < last.endsAt ? last : begun
    period.failures++
    // A map lists an entry that is set again last.
    this.#periods.delete(network)
    this.#periods.set(network, period)
    const [oldest] = this.#periods.keys()
    if (this.#periods.size > maxNetworks && oldest !== undefined) this.#periods.delete(oldest)
    return period
  }

  #isBeyond(network: string, period: Period): boolean {
    if (period.failures >= this.#perMinute && !period.isReported) {
      period.isReported = true
      this.#options.onExceeded?.(network)
    }
    return period.failures > this.#perMinute
  }
}
