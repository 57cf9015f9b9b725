/** What has changed between two checkouts that were measured side by side. */
import { type Spread, spread } from '../harness/rounds.ts'
import { short, size, withUnit } from './numbers.ts'
import type { Row } from './row.ts'

/** The same rows as they were measured in one round. */
interface Round {
  readonly before: readonly Row[]
  readonly after: readonly Row[]
}

export interface Change {
  readonly row: Row
  /** Medians of all rounds, in the unit of the row. */
  readonly before: number
  readonly after: number
  /** How fast it is now, in units of how fast it was: of the figures themselves. */
  readonly plain: Spread
  /** The same of what they are beside their limits, measured in the same minute; what is judged. */
  readonly judged: Spread
  /** `unclear`: the rounds do not agree. */
  readonly verdict: 'ok' | 'slower' | 'unclear'
}

/** A change may cost that much. */
const LEAST = 0.98

/** One for each row that both checkouts have, in the order of the rows. */
export function changesOf(rounds: readonly Round[]): Change[] {
  return (rounds[0]?.after ?? []).flatMap(({ name }) => {
    const pairs = rounds.map(({ before, after }) => ({ before: rowOf(before, name), after: rowOf(after, name) }))
    const found = pairs.flatMap(({ before, after }) => (before && after ? [{ before, after }] : []))
    const [first] = found
    return first === undefined ? [] : [changeOf(first.after, found)]
  })
}

function rowOf(rows: readonly Row[], name: string): Row | undefined {
  return rows.find((row) => row.name === name)
}

function changeOf(row: Row, pairs: readonly { readonly before: Row; readonly after: Row }[]): Change {
  const judged = spread(pairs.map(({ before, after }) => gain(row, besideLimit(before), besideLimit(after))))
  return {
    row,
    before: spread(pairs.map(({ before }) => before.measured.value)).median,
    after: spread(pairs.map(({ after }) => after.measured.value)).median,
    plain: spread(pairs.map(({ before, after }) => gain(row, before.measured.value, after.measured.value))),
    judged,
    verdict: judged.median >= LEAST ? 'ok' : judged.max < LEAST ? 'slower' : 'unclear',
  }
}

/** Above 1 where `after` is better: a higher rate, or less of anything else. */
function gain({ measured: { unit } }: Row, before: number, after: number): number {
  if (before === after) return 1
  return unit === '/s' ? after / before : before / after
}

/** In units of its limit, where both are of one kind. */
function besideLimit({ measured, limit }: Row): number {
  const isComparable = typeof limit === 'object' && limit.unit === measured.unit && limit.value > 0
  return isComparable ? measured.value / limit.value : measured.value
}

/** The geometric mean of all rows: what single rows are too noisy to tell. */
export function togetherOf(changes: readonly Change[]): number {
  const logs = changes.map(({ judged: { median } }) => Math.log(median)).filter(Number.isFinite)
  return Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length)
}

/** @param names of the chapter and of the other checkout */
export function comparisonOf(
  names: { readonly chapter: string; readonly against: string },
  changes: readonly Change[],
): string {
  const headings = ['operation', 'size', 'before', 'after', 'speed (min to max)', 'beside its limit (min to max)', '']
  const rows = changes.map(({ row, before, after, plain, judged, verdict }) => [
    row.operation,
    row.size === undefined ? '' : size(row.size),
    withUnit(before, row.measured.unit),
    withUnit(after, row.measured.unit),
    spreadText(plain),
    `**${spreadText(judged)}**`,
    verdict,
  ])
  const lines = [headings, headings.map(() => '---'), ...rows].map((line) => `| ${line.join(' | ')} |`)
  const { chapter, against } = names
  const together = `All rows together: ${togetherOf(changes).toFixed(3)}x.`
  return `# ${chapter}, before (${against}) and after\n\n${lines.join('\n')}\n\n${together}\n`
}

function spreadText({ median, min, max }: Spread): string {
  return `${short(median)}x (${short(min)} to ${short(max)})`
}
