/** Credentials of one network that are being looked at. */
interface Network {
  /** How many look at which. */
  readonly lookers: Map<string, number>
  /** To be called when one is done. */
  waiting: (() => void)[]
}

/** Credentials that are being looked at, by network. Whoever shows the same one meanwhile makes no second guess. */
export class UnderWay {
  /** Nothing stays of what is over. */
  readonly #networks = new Map<string, Network>()

  /** Whether nothing is looked at. */
  get isEmpty(): boolean {
    return this.#networks.size === 0
  }

  /** How many different credentials of a network are looked at. */
  count(network: string): number {
    return this.#networks.get(network)?.lookers.size ?? 0
  }

  has(network: string, credential: string): boolean {
    return this.#networks.get(network)?.lookers.has(credential) ?? false
  }

  /** Resolves when the next one of a network is done; at once when none is looked at. */
  next(network: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const known = this.#networks.get(network)
    if (known === undefined) resolve()
    else known.waiting.push(resolve)
    return promise
  }

  begin(network: string, credential: string): void {
    const known = this.#networks.get(network) ?? { lookers: new Map<string, number>(), waiting: [] }
    known.lookers.set(credential, (known.lookers.get(credential) ?? 0) + 1)
    this.#networks.set(network, known)
  }

  end(network: string, credential: string): void {
    const known = this.#networks.get(network)
    if (known === undefined) return
    const others = (known.lookers.get(credential) ?? 0) - 1
    if (others > 0) known.lookers.set(credential, others)
    else known.lookers.delete(credential)
    if (known.lookers.size === 0) this.#networks.delete(network)
    const waiting = known.waiting
    known.waiting = []
    for (const wake of waiting) wake()
  }
}
