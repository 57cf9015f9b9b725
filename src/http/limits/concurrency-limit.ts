/** Maximum number at once. 0 means unlimited. */
export interface ConcurrencySettings {
  readonly most: number
  /** Maximum of one holder, such as a network or an application. */
  readonly mostOfOne: number
}

/** Which maximum is reached. */
export type Full = 'all' | 'one'

/** Bounds how many run at once, in all and for each holder. A holder that has left takes no memory. */
export class ConcurrencyLimit {
  readonly #settings: ConcurrencySettings
  readonly #byHolder = new Map<string, number>()
  #taken = 0

  constructor(settings: ConcurrencySettings) {
    this.#settings = settings
  }

  get taken(): number {
    return this.#taken
  }

  /** Number of holders counted now. */
  get holders(): number {
    return this.#byHolder.size
  }

  /**
   * @param holderOf called only if holders are counted
   * @returns leaves again, later calls do nothing; or the maximum that is reached
   */
  take(holderOf: () => string): (() => void) | Full {
    const { most, mostOfOne } = this.#settings
    if (most > 0 && this.#taken >= most) return 'all'
    const holder = mostOfOne > 0 ? holderOf() : undefined
    if (holder !== undefined) {
      const taken = this.#byHolder.get(holder) ?? 0
      if (taken >= mostOfOne) return 'one'
      this.#byHolder.set(holder, taken + 1)
    }
    this.#taken++
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#taken--
      if (holder !== undefined) this.#leave(holder)
    }
  }

  #leave(holder: string): void {
    const others = (this.#byHolder.get(holder) ?? 0) - 1
    if (others > 0) this.#byHolder.set(holder, others)
    else this.#byHolder.delete(holder)
  }
}
