import { styleText } from 'node:util'
import type { RuleCache } from '../../database/access/rule-cache.ts'
import { printable } from '../terminal/printable.ts'
import { within } from '../terminal/within.ts'
import type { Case } from './cases.ts'
import { decideAttempt } from './decide-attempt.ts'

/** Result of one case. */
interface Outcome {
  readonly tried: Case
  readonly verdict: Case['expect']
  readonly trace: readonly string[]
}

/** Results of a table of cases. */
export interface Results {
  readonly outcomes: readonly Outcome[]
  readonly failed: number
}

/** Runs every case. @throws Error with the title of a case that is invalid for any rules */
export function runCases(ruleCache: RuleCache, cases: readonly Case[], now: number): Results {
  const outcomes = cases.map((tried): Outcome => {
    const { title, attempt, tree } = tried
    const { allowed, trace } = within(title, () => decideAttempt({ ruleCache, tree, now }, attempt))
    return { tried, verdict: allowed ? 'allow' : 'deny', trace }
  })
  return { outcomes, failed: outcomes.filter((outcome) => !isPassed(outcome)).length }
}

/**
 * A line per case, the trace of each failed case, and the sum.
 * @param failedOnly leaves out passed cases
 */
export function resultsText({ outcomes, failed }: Results, failedOnly: boolean): string {
  const sum = `${outcomes.length - failed} passed, ${failed} failed`
  const lines = outcomes.flatMap((outcome, index) => {
    return failedOnly && isPassed(outcome) ? [] : outcomeLines(outcome, index)
  })
  return [...lines, styleText(failed === 0 ? 'green' : 'red', sum)].join('\n')
}

function outcomeLines(outcome: Outcome, index: number): readonly string[] {
  const { tried, verdict, trace } = outcome
  const label = `${index + 1} ${printable(tried.name)}`
  if (isPassed(outcome)) return [`${styleText('green', 'ok')} ${label}`]
  const wrong = `${styleText('red', 'failed')} ${label}: expected ${tried.expect}, the rules say ${verdict}`
  return [wrong, ...trace.map((line) => `    ${printable(line)}`)]
}

/** JSON of the results: one object. */
export function resultsJson({ outcomes, failed }: Results): string {
  const cases = outcomes.map((outcome, index) => {
    const { tried, verdict, trace } = outcome
    const { auth, path, operation } = tried.attempt
    const passed = isPassed(outcome)
    return { case: index + 1, name: tried.name, auth, path, operation, expect: tried.expect, verdict, passed, trace }
  })
  return JSON.stringify({ passed: outcomes.length - failed, failed, cases })
}

function isPassed({ tried, verdict }: Outcome): boolean {
  return tried.expect === verdict
}
