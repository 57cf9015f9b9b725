import { styleText } from 'node:util'
import { printable } from '../terminal/printable.ts'
import { type Attempt, attemptSchema, attemptText, checkAttempt } from './attempt.ts'
import type { Ruling } from './decide-attempt.ts'
import { parseFlag } from './input.ts'

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

/** The attempt that flags describe. @throws Error `--<flag>: <why>` */
export function attemptOf({ path, operation, auth, data, query, now }: ExplainFlags): Attempt {
  const attempt: unknown = {
    path,
    operation,
    auth: parseFlag('--auth', auth),
    ...(data === undefined ? {} : { data: parseFlag('--data', data) }),
    ...(query === undefined ? {} : { query: parseFlag('--query', query) }),
    ...(now === undefined ? {} : { now: parseFlag('--now', now) }),
  }
  return asFlag(() => {
    checkAttempt(attemptSchema, attempt)
    return attempt
  })
}

/** Names the flag in the error of a member of an attempt. */
export function asFlag<T>(use: () => T): T {
  try {
    return use()
  } catch (cause) {
    throw cause instanceof Error ? new Error(`--${cause.message}`, { cause }) : cause
  }
}

/** The decision, and below it every evaluated rule. */
export function rulingText(attempt: Attempt, { allowed, trace }: Ruling): string {
  const verdict = allowed ? styleText('green', 'allowed') : styleText('red', 'denied')
  return [`${verdict}: ${printable(attemptText(attempt))}`, ...trace.map((line) => `  ${printable(line)}`)].join('\n')
}
