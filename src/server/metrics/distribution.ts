/**
 * Values sorted into buckets. Plain numbers: counting into a histogram of prom-client costs as much as a tenth of an
 * answer, so that one is only made of them when somebody looks.
 */
export class Distribution {
  readonly bounds: readonly number[]
  readonly #counts: Float64Array
  #sum = 0

  /** @param bounds greatest values of the buckets, ascending; a last one takes what is above */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  add(value: number): void {
    const { bounds } = this
    let at = 0
    // Most values are small.
    while (at < bounds.length && value > (bounds[at] ?? 0)) at++
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#sum += value
  }

  get sum(): number {
    return this.#sum
  }

  /** How many values are at most as great as each bound, and at last how many there are. */
  cumulative(): readonly number[] {
    let total = 0
    return [...this.#counts].map((count) => {
      total += count
      return total
    })
  }
}
