import { styleText } from 'node:util'
import type { Ruling } from '../../database/writes/attempt.ts'
import { EXIT_FAILED } from '../exit-status.ts'
import { fileName } from '../terminal/input.ts'
import { print, printStyled } from '../terminal/output.ts'
import { printable } from '../terminal/printable.ts'
import { within } from '../terminal/within.ts'
import { type Attempt, attemptSchema, attemptText, checkAttempt } from './attempt.ts'
import { decideAttempt } from './decide-attempt.ts'
import { checkInputs, readJson, readRuleCache } from './input.ts'
import { type OfflineTree, offlineTree } from './offline-tree.ts'

/** The flags of `dhole rules explain`, as text. */
export interface ExplainFlags {
  readonly path: string
  readonly operation: string
  readonly auth: string
  readonly data?: string
  readonly query?: string
  readonly now?: string
  /** File of the tree before the request. */
  readonly tree?: string
  readonly json?: true
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

/** The attempt that flags describe. @throws Error `--<flag>: <why>` */
function attemptOf({ path, operation, auth, data, query, now }: ExplainFlags): Attempt {
  const json = Object.entries({ auth, data, query, now }).flatMap(([flag, text]) => {
    return text === undefined ? [] : [[flag, parseFlag(flag, text)] as const]
  })
  const attempt: unknown = { path, operation, ...Object.fromEntries(json) }
  return asFlag(() => {
    checkAttempt(attemptSchema, attempt)
    return attempt
  })
}

function parseFlag(flag: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`--${flag}: not JSON: ${text}`, { cause })
  }
}

/** Names the flag in the error of a member of an attempt. */
function asFlag<T>(use: () => T): T {
  try {
    return use()
  } catch (cause) {
    throw cause instanceof Error ? new Error(`--${cause.message}`, { cause }) : cause
  }
}

/** The tree of a file; empty without a file. @throws Error with the name of the file */
async function readTree(file: string | undefined): Promise<OfflineTree> {
  if (file === undefined) return undefined
  const json = await readJson(file)
  return within(fileName(file), () => offlineTree(json))
}

/** The decision, and below it every evaluated rule. */
function rulingText(attempt: Attempt, { allowed, trace }: Ruling): string {
  const verdict = allowed ? styleText('green', 'allowed') : styleText('red', 'denied')
  return [`${verdict}: ${printable(attemptText(attempt))}`, ...trace.map((line) => `  ${printable(line)}`)].join('\n')
}
