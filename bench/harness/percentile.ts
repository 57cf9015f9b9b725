/**
 * The smallest value that so many percent of all do not exceed (nearest rank).
 * @param sorted ascending
 * @param percent above 0, up to 100
 * @returns NaN when there are no values
 */
export function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN
}

export function ascending(values: readonly number[]): number[] {
  return values.toSorted((left, right) => left - right)
}
