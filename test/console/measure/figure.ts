/** One measured figure of the console. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** Largest value that is well; absent where the figure only tells more about another one. */
  readonly most?: number
  /** Smallest value that is well. */
  readonly least?: number
}

const NAME_WIDTH = 62
const VALUE_WIDTH = 14

/** Whether a figure is not within its limits. */
export function isMissed({ value, most, least }: Figure): boolean {
  return !(value <= (most ?? Number.POSITIVE_INFINITY) && value >= (least ?? Number.NEGATIVE_INFINITY))
}

/** A line of the printed table. */
export function lineOf(figure: Figure): string {
  const { name, value, unit, most, least } = figure
  const amount = `${value.toFixed(Number.isInteger(value) ? 0 : 2)} ${unit}`
  const limit = most === undefined ? (least === undefined ? '' : `at least ${least}`) : `at most ${most}`
  const verdict = limit === '' ? '' : isMissed(figure) ? 'MISSED' : 'ok'
  return `${name.padEnd(NAME_WIDTH)}${amount.padStart(VALUE_WIDTH)}  ${limit.padEnd(16)}${verdict}`.trimEnd()
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** @param share from 0 to 1 @returns NaN without values */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
