import type { MemoryBudget, SecurableReservation } from './memory-budget.ts'
import type { PendingBodies, PendingBody } from './pending-bodies.ts'
import type { Timeouts } from './timeouts.ts'

/** Least pace of a transfer: the pace that the listener demands of HTTP/1.1. */
const LEAST_BYTES_PER_SECOND = 16 * 1024
/** Bytes of a body after which it counts as new: a client that sends single bytes keeps its age. */
const RENEWING_BYTES = 16 * 1024

/** Why the limits abort a transfer: there are too many or too large ones, or it is below the least pace. */
export type AbortReason = 'too-busy' | 'too-slow'

/** What bounds transfers, for all of them together. */
export interface TransferBounds {
  readonly memory: MemoryBudget
  readonly bodies: PendingBodies
  readonly timeouts: Timeouts
  /** Duration of a transfer in milliseconds, beside a second for every 16 KiB. */
  readonly timeoutMs: number
}

export interface TransferOptions {
  /** Memory that it takes from the beginning. Default 0. */
  readonly bytes?: number
  /** Object that the memory belongs to: transfers of the same object count it once. Default: the transfer itself. */
  readonly source?: object
  /** Connection of a body that is received. The number of such bodies is bounded; their bytes stay in memory. */
  readonly bodyOf?: () => string | undefined
}

/** Bounds the memory, the pace and, for a body, the number of what one client sends or receives. */
export class Transfer {
  readonly #bounds: TransferBounds
  readonly #onAbort: (reason: AbortReason) => void
  readonly #memory: SecurableReservation
  readonly #body: PendingBody | undefined
  readonly #begunAt = performance.now()
  #cancelTimeout: (() => void) | undefined
  #moved = 0
  #renewedAt = 0
  #isAborted = false

  /** @param onAbort called at most once, possibly by the constructor. Bounds that still apply end with `end`. */
  constructor(bounds: TransferBounds, onAbort: (reason: AbortReason) => void, options: TransferOptions) {
    const { bytes = 0, source = this, bodyOf } = options
    this.#bounds = bounds
    this.#onAbort = onAbort
    const abort = () => this.#abort('too-busy')
    this.#memory = bounds.memory.reserve(source, bytes, abort)
    if (this.#isAborted) return
    this.#body = bodyOf && bounds.bodies.enter(bodyOf, abort)
    if (bodyOf !== undefined && this.#body === undefined) abort()
    else this.#cancelTimeout = bounds.timeouts.set(bounds.timeoutMs, () => this.#checkPace())
  }

  /** Counts bytes that the connection has moved: they prolong the transfer. Those of a body stay in memory. */
  grow(bytes: number): void {
    this.#moved += bytes
    if (this.#body === undefined) return
    this.#memory.resize(this.#moved)
    if (this.#moved - this.#renewedAt < RENEWING_BYTES) return
    this.#renewedAt = this.#moved
    this.#body.renew()
  }

  /** Sets the memory that it takes, in bytes. May abort it, or others. */
  resize(bytes: number): void {
    this.#memory.resize(bytes)
  }

  /** Marks the memory as in use: it counts, but the budget no longer aborts the transfer. */
  secure(): void {
    this.#memory.secure()
  }

  /** Ends the bounds of pace and number once all bytes have moved. The memory counts until `end`. */
  complete(): void {
    this.#cancelTimeout?.()
    this.#body?.leave()
  }

  /** Ends every bound; later calls do nothing. */
  end(): void {
    this.complete()
    this.#memory.release()
  }

  #checkPace(): void {
    const { timeoutMs, timeouts } = this.#bounds
    const allowedMs = timeoutMs + (this.#moved / LEAST_BYTES_PER_SECOND) * 1000
    const leftMs = this.#begunAt + allowedMs - performance.now()
    if (leftMs > 0) this.#cancelTimeout = timeouts.set(leftMs, () => this.#checkPace())
    else this.#abort('too-slow')
  }

  #abort(reason: AbortReason): void {
    if (this.#isAborted) return
    this.#isAborted = true
    this.#onAbort(reason)
  }
}
