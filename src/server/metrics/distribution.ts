/**
 * A histogram in plain numbers. Adding to a histogram of prom-client costs a tenth of a response, so that one is made
 * only when the metrics are read.
 */
export class Distribution {
  readonly bounds: readonly number[]
  readonly #counts: Float64Array
  #sum = 0

  /** @param bounds upper bounds of the buckets, ascending; a last bucket holds larger values */
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

  /** Number of values up to each bound, and finally of all values. */
  cumulative(): readonly number[] {
    let total = 0
    return [...this.#counts].map((count) => {
      total += count
      return total
    })
  }
}
