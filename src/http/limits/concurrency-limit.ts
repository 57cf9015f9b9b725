/** How many there may be at once. */
export interface ConcurrencySettings {
  /** In all; 0: any number. */
  readonly most: number
  /** Of one holder, such as a network or an application; 0: any number. */
  readonly mostOfOne: number
}

/** Whose places are all taken. */
export type Full = 'all' | 'one'

/** A bounded number of places, in all and for each holder. Nothing stays of what is over. */
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

  /** Holders that have a place, where they are counted. */
  get holders(): number {
    return this.#byHolder.size
  }

  /**
   * @param holderOf asked only when holders are counted
   * @returns gives the place back, however often it is called; whose places are taken, when there is none
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
