import { styleText } from 'node:util'
import type { RuleCache } from '../../database/access/rule-cache.ts'
import { EXIT_FAILED } from '../exit-status.ts'
import { fileName } from '../terminal/input.ts'
import { print, printStyled, type ReportFlags } from '../terminal/output.ts'
import { printable } from '../terminal/printable.ts'
import { within } from '../terminal/within.ts'
import { type Case, parseCases } from './cases.ts'
import { decideAttempt } from './decide-attempt.ts'
import { checkInputs, readJson, readRuleCache } from './input.ts'

/** Result of one case. */
interface Outcome {
  readonly tried: Case
  readonly verdict: Case['expect']
  readonly passed: boolean
  readonly trace: readonly string[]
}

/** Compares the decisions of rules with the expected decisions of a table of requests. */
export async function testCases(file: string, table: string, { json, quiet }: ReportFlags): Promise<void> {
  checkInputs(file, table)
  const ruleCache = await readRuleCache(file)
  const read = await readJson(table)
  const outcomes = within(fileName(table), () => runCases(ruleCache, parseCases(read), Date.now()))
  const failed = outcomes.filter(({ passed }) => !passed).length
  if (json) print(JSON.stringify({ passed: outcomes.length - failed, failed, cases: outcomes.map(jsonOf) }))
  else if (!(quiet && failed === 0)) {
    const lines = outcomes.flatMap((outcome, index) => (quiet && outcome.passed ? [] : linesOf(outcome, index)))
    const sum = `${outcomes.length - failed} passed, ${failed} failed`
    printStyled([...lines, styleText(failed === 0 ? 'green' : 'red', sum)].join('\n'))
  }
  if (failed > 0) process.exitCode = EXIT_FAILED
}

/** Runs every case. @throws Error with the title of a case that is invalid for any rules */
export function runCases(ruleCache: RuleCache, cases: readonly Case[], now: number): readonly Outcome[] {
  return cases.map((tried) => {
    const { title, attempt, tree, expect } = tried
    const { allowed, trace } = within(title, () => decideAttempt({ ruleCache, tree, now }, attempt))
    const verdict = allowed ? 'allow' : 'deny'
    return { tried, verdict, passed: verdict === expect, trace }
  })
}

/** One line, and the trace of a failed case. */
function linesOf({ tried, verdict, passed, trace }: Outcome, index: number): readonly string[] {
  const label = `${index + 1} ${printable(tried.name)}`
  if (passed) return [`${styleText('green', 'ok')} ${label}`]
  const wrong = `${styleText('red', 'failed')} ${label}: expected ${tried.expect}, the rules say ${verdict}`
  return [wrong, ...trace.map((line) => `    ${printable(line)}`)]
}

function jsonOf({ tried, verdict, passed, trace }: Outcome, index: number) {
  const { name, attempt, expect } = tried
  const { auth, path, operation } = attempt
  return { case: index + 1, name, auth, path, operation, expect, verdict, passed, trace }
}
