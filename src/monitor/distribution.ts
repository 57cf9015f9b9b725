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

  /** Adds the values of another one with the same bounds. */
  addAll(other: Distribution): void {
    for (const [at, count] of other.#counts.entries()) this.#counts[at] = (this.#counts[at] ?? 0) + count
    this.#sum += other.#sum
  }

  /** The values that were added after an earlier state of this distribution. */
  since(earlier: Distribution): Distribution {
    const added = new Distribution(this.bounds)
    for (const [at, count] of this.#counts.entries()) added.#counts[at] = count - (earlier.#counts[at] ?? 0)
    added.#sum = this.#sum - earlier.#sum
    return added
  }

  /** Number of all values. */
  get count(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0)
  }

  /**
   * About the value below which a share of all values lies; 0 without values. Values above the last bound count as that.
   * @param share from 0 to 1
   */
  quantile(share: number): number {
    const { bounds } = this
    let left = this.count * share
    if (left === 0) return 0
    for (const [at, count] of this.#counts.entries()) {
      const upper = bounds[at]
      if (upper === undefined) break
      const lower = bounds[at - 1] ?? 0
      if (count > 0 && left <= count) return lower + ((upper - lower) * left) / count
      left -= count
    }
    return bounds.at(-1) ?? 0
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
