import type { Reservation } from '../../hub/mailbox.ts'

/** A reservation that can be protected. */
export interface SecurableReservation extends Reservation {
  /** Marks the memory as in use: it still counts, but is no longer aborted. */
  secure(): void
}

/** One object in memory. Several holders of the same object count it once. */
interface Share {
  bytes: number
  /** Whether the object is in use, so that aborting its holders would not free it. */
  isSecured: boolean
  readonly holders: Set<Holder>
}

interface Holder {
  readonly abort: () => void
}

/** Spares that are compared to abort one: there may be thousands, and thousands to abort at once. */
const MOST_COMPARED = 64

/**
 * Bounds the memory that is reserved for clients while they send or receive long data. Above the bound the largest
 * reservation is aborted: a client cannot hold up others with little memory, and one with much ends at once. Spares are
 * aborted before all others.
 */
export class MemoryBudget {
  readonly #maxBytes: number
  readonly #shares = new Map<object, Share>()
  /** Shares that are aborted first. */
  readonly #spares = new Map<object, Share>()
  #bytes = 0

  /** @param maxBytes maximum of all reservations together */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Bytes reserved now. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * @param what object in memory: reservations of the same object count it once
   * @param abort called at most once, when there is no room; the reservation is released by then
   * @param isSpare whether it is aborted before all that are not, whatever its size
   */
  reserve(what: object, bytes: number, abort: () => void, isSpare = false): SecurableReservation {
    const shares = isSpare ? this.#spares : this.#shares
    const share = shares.get(what) ?? { bytes: 0, isSecured: false, holders: new Set<Holder>() }
    shares.set(what, share)
    const holder: Holder = { abort }
    share.holders.add(holder)
    const resize = (now: number) => {
      if (!share.holders.has(holder)) return
      this.#bytes += now - share.bytes
      share.bytes = now
      this.#makeRoom()
    }
    const release = () => {
      if (!share.holders.delete(holder) || share.holders.size > 0) return
      this.#remove(what, share, shares)
    }
    const secure = () => {
      share.isSecured = true
    }
    resize(bytes)
    return { resize, secure, release }
  }

  #remove(what: object, share: Share, shares: Map<object, Share>): void {
    this.#bytes -= share.bytes
    shares.delete(what)
  }

  #makeRoom(): void {
    while (this.#bytes > this.#maxBytes) {
      const spare = largestOf(this.#spares, MOST_COMPARED)
      const largest = spare ?? largestOf(this.#shares, this.#shares.size)
      if (largest === undefined) return
      const [what, share] = largest
      const holders = [...share.holders]
      share.holders.clear()
      this.#remove(what, share, spare === undefined ? this.#shares : this.#spares)
      for (const { abort } of holders) abort()
    }
  }
}

/** @param compared number of shares to compare, the oldest first */
function largestOf(shares: ReadonlyMap<object, Share>, compared: number): [object, Share] | undefined {
  let largest: [object, Share] | undefined
  let left = compared
  for (const each of shares) {
    if (!each[1].isSecured && each[1].bytes > (largest?.[1].bytes ?? 0)) largest = each
    if (--left === 0) break
  }
  return largest
}
