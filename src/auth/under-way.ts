/** Credentials that are being looked at, by network. Whoever shows the same one meanwhile makes no second guess. */
export class UnderWay {
  /** How many look at which credential. Nothing stays of what is over. */
  readonly #lookers = new Map<string, Map<string, number>>()

  /** Whether nothing is looked at. */
  get isEmpty(): boolean {
    return this.#lookers.size === 0
  }

  /** How many different credentials of a network are looked at. */
  count(network: string): number {
    return this.#lookers.get(network)?.size ?? 0
  }

  has(network: string, credential: string): boolean {
    return this.#lookers.get(network)?.has(credential) ?? false
  }

  begin(network: string, credential: string): void {
    const lookers = this.#lookers.get(network) ?? new Map<string, number>()
    lookers.set(credential, (lookers.get(credential) ?? 0) + 1)
    this.#lookers.set(network, lookers)
  }

  end(network: string, credential: string): void {
    const lookers = this.#lookers.get(network)
    if (lookers === undefined) return
    const others = (lookers.get(credential) ?? 0) - 1
    if (others > 0) lookers.set(credential, others)
    else lookers.delete(credential)
    if (lookers.size === 0) this.#lookers.delete(network)
  }
}
