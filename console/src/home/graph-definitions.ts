import type { ResultOf } from '../../../src/admin/operations.ts'
import { bytesText, durationText, numberText } from '../parts/amounts.ts'

export type Hour = ResultOf<'metrics-hour'>
type SeriesName = keyof Hour['series']

/** One line of a graph. */
export interface Line {
  readonly name: SeriesName
  readonly label: string
  /** Whether it counts what happened in a step; shown for each second. */
  readonly isCount?: true
}

/** One graph of the last hour. */
export interface GraphDefinition {
  readonly title: string
  readonly lines: readonly Line[]
  readonly text: (amount: number) => string
  /** Its axis has powers of two. */
  readonly isBinary?: true
}

const perSecond = (amount: number) => `${numberText(amount)}/s`

/** The graphs of the home page, in their order. */
export const GRAPHS: readonly GraphDefinition[] = [
  {
    title: 'Requests',
    lines: [
      { name: 'requests', label: 'all', isCount: true },
      { name: 'refused', label: 'refused', isCount: true },
      { name: 'errors', label: 'errors', isCount: true },
    ],
    text: perSecond,
  },
  {
    title: 'Time of answers',
    lines: [
      { name: 'p50Ms', label: 'p50' },
      { name: 'p99Ms', label: 'p99' },
    ],
    text: durationText,
  },
  { title: 'Writes', lines: [{ name: 'writes', label: 'writes', isCount: true }], text: perSecond },
  { title: 'Time of syncs', lines: [{ name: 'syncP99Ms', label: 'p99' }], text: durationText },
  { title: 'Streams', lines: [{ name: 'streams', label: 'open' }], text: numberText },
  { title: 'Events', lines: [{ name: 'eventsPerSecond', label: 'sent' }], text: perSecond },
  { title: 'Memory', lines: [{ name: 'memoryBytes', label: 'resident' }], text: bytesText, isBinary: true },
  { title: 'Delay of the event loop', lines: [{ name: 'loopDelayMs', label: 'longest' }], text: durationText },
]

/** Values of a line, one for each step. */
export function valuesOf({ series, stepMs }: Hour, { name, isCount }: Line): readonly number[] {
  const values = series[name]
  return isCount === true ? values.map((count) => (count * 1000) / stepMs) : values
}

/** The last step of every line, such as `all 12/s`; a server that has just started has none yet. */
export function lastTexts(hour: Hour, { lines, text }: GraphDefinition): readonly string[] {
  return lines.map((line) => {
    const last = valuesOf(hour, line).at(-1)
    return `${line.label} ${last === undefined ? '–' : text(last)}`
  })
}
