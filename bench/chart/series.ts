/** Results of the same operation at several sizes, as points of lines. */
import type { Result } from '../report/result-schema.ts'
import type { Point } from './line-chart.ts'

export interface Series {
  /** As the legend says it. */
  readonly title: string
  readonly operation: string
  /** As the legend says the limit, where that is drawn too. */
  readonly limitTitle?: string
}

/**
 * The value of each result over its size, line by line. Empty where none of the series was measured.
 * @throws when one is missing beside others
 */
export function pointsOf(results: readonly Result[], chapter: string, series: readonly Series[]): Point[] {
  const lines = series.map(({ title, operation, limitTitle }) => {
    const steps = results.filter((result) => result.chapter === chapter && result.operation === operation)
    const own = lineOf(steps, title, ({ value }) => value)
    return limitTitle === undefined ? own : [...own, ...lineOf(steps, limitTitle, ({ limit }) => limit)]
  })
  const points = lines.flat()
  const missing = series.find((_, index) => lines[index]?.length === 0)
  if (points.length > 0 && missing !== undefined) {
    throw new Error(`the results of ${chapter} have no "${missing.operation}", which is drawn`)
  }
  return points
}

function lineOf(steps: readonly Result[], series: string, figureOf: (step: Result) => number | null): Point[] {
  const points = steps.flatMap((step) => {
    const [x, y] = [step.size, figureOf(step)]
    return x === null || y === null ? [] : [{ series, x, y }]
  })
  return points.toSorted((left, right) => left.x - right.x)
}
