import { RuleCache } from '../../database/access/rule-cache.ts'
import { EXIT_FAILED } from '../exit-status.ts'
import { fileName, readText, STDIN } from '../terminal/input.ts'
import { print, printStyled, type ReportFlags } from '../terminal/output.ts'
import { within } from '../terminal/within.ts'
import { parseCases } from './cases.ts'
import { checkJson, checkRules, checkText } from './check.ts'
import { decideAttempt } from './decide-attempt.ts'
import { asFlag, attemptOf, type ExplainFlags, rulingText } from './explain.ts'
import { readJson } from './input.ts'
import { type OfflineTree, offlineTree } from './offline-tree.ts'
import { problemOf, problemText } from './problem.ts'
import { resultsJson, resultsText, runCases } from './test.ts'

/** Prints whether the server would accept a rules file. */
export async function checkFile(file: string, { json, quiet }: ReportFlags): Promise<void> {
  const source = await readText(file)
  const result = checkRules(source)
  if (json) print(checkJson(fileName(file), result))
  else if (!(quiet && result.ok)) print(checkText(fileName(file), source, result))
  if (!result.ok) process.exitCode = EXIT_FAILED
}

/** Compares the decisions of rules with the expected decisions of a table of requests. */
export async function testCases(file: string, table: string, { json, quiet }: ReportFlags): Promise<void> {
  checkInputs(file, table)
  const ruleCache = await readRuleCache(file)
  const read = await readJson(table)
  const results = within(fileName(table), () => runCases(ruleCache, parseCases(read), Date.now()))
  if (json) print(resultsJson(results))
  else if (!(quiet && results.failed === 0)) printStyled(resultsText(results, quiet ?? false))
  if (results.failed > 0) process.exitCode = EXIT_FAILED
}

/** Prints the decision of rules for a request, and the rules behind it. */
export async function explainAttempt(file: string, flags: ExplainFlags): Promise<void> {
  const attempt = attemptOf(flags)
  checkInputs(file, flags.tree)
  const ruleCache = await readRuleCache(file)
  const tree = await readTree(flags.tree)
  const ruling = asFlag(() => decideAttempt({ ruleCache, tree, now: Date.now() }, attempt))
  if (flags.json) print(JSON.stringify(ruling))
  else printStyled(rulingText(attempt, ruling))
  if (!ruling.allowed) process.exitCode = EXIT_FAILED
}

/** @throws Error with the position of the fault */
async function readRuleCache(file: string): Promise<RuleCache> {
  const source = await readText(file)
  try {
    return new RuleCache(source)
  } catch (thrown) {
    throw new Error(problemText(fileName(file), source, problemOf(thrown)), { cause: thrown })
  }
}

/** The tree of a file; empty without a file. @throws Error with the name of the file */
async function readTree(file: string | undefined): Promise<OfflineTree> {
  if (file === undefined) return undefined
  const json = await readJson(file)
  return within(fileName(file), () => offlineTree(json))
}

function checkInputs(...files: readonly (string | undefined)[]): void {
  if (files.filter((file) => file === STDIN).length > 1) throw new Error('only one file can be standard input')
}
