import { DholeError } from '../../error.ts'

/** Maximum number at once. 0 means unlimited. */
export interface ConcurrencySettings {
  readonly most: number
  /** Maximum of one holder, such as a network or an application. */
  readonly mostOfOne: number
}

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
   * @returns leaves again; later calls do nothing
   * @throws `too-busy` at the maximum of all, `quota` at that of the holder
   */
  enter(holderOf: () => string): () => void {
    const { most, mostOfOne } = this.#settings
    if (most > 0 && this.#taken >= most) throw new DholeError('too-busy')
    const holder = mostOfOne > 0 ? holderOf() : undefined
    if (holder !== undefined) {
      const taken = this.#byHolder.get(holder) ?? 0
      if (taken >= mostOfOne) throw new DholeError('quota')
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
