/** Memory that is held for a client. */
export interface Reservation {
  /** Now so many bytes in place of those before. May cut others, or this one, before it returns. */
  resize(bytes: number): void
  /** What is held is in use from here on: it still counts, but is not cut any more. */
  secure(): void
  /** Nothing is held any more. */
  release(): void
}

interface Held {
  readonly share: Share
  readonly abort: () => void
}

/** What several hold together is there once. */
interface Share {
  bytes: number
  /** Whether somebody uses it, so that cutting would not free it. */
  isSecured: boolean
  readonly holders: Set<Held>
}

/** Spares that are compared to give one up: there may be thousands, and thousands to give up at once. */
const MOST_COMPARED = 64

/**
 * Memory that is held for clients while they send or take what is long. When it is more than there may be, whoever
 * holds the most is abort: to hold up others with little is not possible, and to do it with much ends at once.
 * Spares go before anything else.
 */
export class MemoryBudget {
  readonly #maxBytes: number
  readonly #shares = new Map<object, Share>()
  /** What is given up before all of these. */
  readonly #spares = new Map<object, Share>()
  #bytes = 0

  /** @param maxBytes that may be held in all */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Held now. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * @param what is held: who holds the same thing holds it together with others
   * @param abort called at most once, when there is no room for it any more; it counts as released then
   * @param isSpare whether it goes before all that is not, whatever its size
   */
  reserve(what: object, bytes: number, abort: () => void, isSpare = false): Reservation {
    const shares = isSpare ? this.#spares : this.#shares
    const share = shares.get(what) ?? { bytes: 0, isSecured: false, holders: new Set<Held>() }
    shares.set(what, share)
    const held: Held = { share, abort }
    share.holders.add(held)
    const resize = (now: number) => {
      if (!share.holders.has(held)) return
      this.#bytes += now - share.bytes
      share.bytes = now
      this.#makeRoom()
    }
    const release = () => {
      if (!share.holders.delete(held) || share.holders.size > 0) return
      this.#forget(what, share, shares)
    }
    const secure = () => {
      share.isSecured = true
    }
    resize(bytes)
    return { resize, secure, release }
  }

  #forget(what: object, share: Share, shares: Map<object, Share>): void {
    this.#bytes -= share.bytes
    shares.delete(what)
  }

  #makeRoom(): void {
    while (this.#bytes > this.#maxBytes) {
      const spare = largestOf(this.#spares, MOST_COMPARED)
      const most = spare ?? largestOf(this.#shares, this.#shares.size)
      if (most === undefined) return
      const shares = spare === undefined ? this.#shares : this.#spares
      const [what, share] = most
      const holders = [...share.holders]
      share.holders.clear()
      this.#forget(what, share, shares)
      for (const { abort } of holders) abort()
    }
  }
}

/** @param compared how many are compared; the oldest come first */
function largestOf(shares: ReadonlyMap<object, Share>, compared: number): [object, Share] | undefined {
  let most: [object, Share] | undefined
  let left = compared
  for (const each of shares) {
    if (!each[1].isSecured && each[1].bytes > (most?.[1].bytes ?? 0)) most = each
    if (--left === 0) break
  }
  return most
}
