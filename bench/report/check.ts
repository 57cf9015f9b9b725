/** Which goals a run has missed. */
import { size, withUnit } from './numbers.ts'
import type { Result } from './result-schema.ts'

export interface Missed {
  /** These fail a run that is checked. */
  readonly unexplained: readonly Result[]
  /** README.md says why. */
  readonly explained: readonly Result[]
}

/**
 * Part of a goal that a quick run must reach: its servers are hardly warm, it measures each figure once, and other
 * programs may run.
 */
const QUICK_SHARE = 1 / 3

/** @param quick whether the results are of a quick run */
export function missedOf(results: readonly Result[], { quick }: { readonly quick: boolean }): Missed {
  const missed = results.filter((result) => result.ok === false && !(quick && isNearlyMet(result)))
  return {
    unexplained: missed.filter(({ explained }) => explained === null),
    explained: missed.filter(({ explained }) => explained !== null),
  }
}

function isNearlyMet({ judged, goal }: Result): boolean {
  if (judged === null || goal === null) return false
  const share = goal.kind === 'at least' ? judged.median / goal.bound : goal.bound / judged.median
  return share >= QUICK_SHARE
}

/** One line for each missed goal, and one that sums up. */
export function missedText({ unexplained, explained }: Missed): string {
  const lines = [
    ...explained.map((result) => `missed, as README.md of the results explains: ${sentence(result)}`),
    ...unexplained.map((result) => `missed: ${sentence(result)}`),
    unexplained.length === 0 ? 'No goal is missed without a reason.' : `${unexplained.length} goals are missed.`,
  ]
  return `${lines.join('\n')}\n`
}

function sentence({ chapter, operation, size: count, judged, goal }: Result): string {
  const what = count === null ? operation : `${operation}, ${size(count)}`
  const came = judged === null ? '' : `: ${withUnit(judged.median, judged.unit)}`
  const wanted = goal === null ? '' : `, ${goal.kind} ${goal.bound}`
  return `${chapter}: ${what}${came}${wanted}`
}
