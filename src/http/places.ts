/** How many there may be at once. */
export interface PlaceSettings {
  /** In all; 0: any number. */
  readonly most: number
  /** Of one network; 0: any number. */
  readonly mostOfOne: number
}

/** Whose places are all taken. */
export type Full = 'all' | 'one'

/** A bounded number of places, in all and for each network. Nothing stays of what is over. */
export class Places {
  readonly #settings: PlaceSettings
  readonly #byNetwork = new Map<string, number>()
  #taken = 0

  constructor(settings: PlaceSettings) {
    this.#settings = settings
  }

  get taken(): number {
    return this.#taken
  }

  /** Networks that have a place. */
  get networks(): number {
    return this.#byNetwork.size
  }

  /**
   * @param networkOf asked only when networks are counted
   * @returns gives the place back, however often it is called; whose places are taken, when there is none
   */
  take(networkOf: () => string): (() => void) | Full {
    const { most, mostOfOne } = this.#settings
    if (most > 0 && this.#taken >= most) return 'all'
    const network = mostOfOne > 0 ? networkOf() : undefined
    if (network !== undefined) {
      const taken = this.#byNetwork.get(network) ?? 0
      if (taken >= mostOfOne) return 'one'
      this.#byNetwork.set(network, taken + 1)
    }
    this.#taken++
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#taken--
      if (network !== undefined) this.#leave(network)
    }
  }

  #leave(network: string): void {
    const others = (this.#byNetwork.get(network) ?? 0) - 1
    if (others > 0) this.#byNetwork.set(network, others)
    else this.#byNetwork.delete(network)
  }
}
