import { DholeError } from '../../error.ts'
import { DatabaseProblem } from '../../store/postgres/connection/database-problem.ts'

/** Parameters of an SQL statement: they hold data of the tree. */
const PARAMETERS = /\nparams: .*$/s

/** An error as the log shows it. */
export interface DescribedError {
  readonly message: string
  /** Message of the error that caused it. */
  readonly cause?: string
  readonly stack?: string | undefined
}

/** Messages and stack only: other members of an error may hold data that must not be logged. */
export function describe(error: unknown): DescribedError {
  if (!(error instanceof Error)) return { message: String(error) }
  const message = textOf(error)
  const stack = error.stack?.replace(error.message, () => message)
  const cause = causeOf(error)
  return cause === undefined ? { message, stack } : { message, cause, stack }
}

/** The message of what an error began with. */
export function reasonOf(error: unknown): string {
  return causeOf(error) ?? textOf(error)
}

/** Whether an error means that the storage cannot be reached or used now. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DatabaseProblem ? error.isAway : error instanceof DholeError && error.code === 'unavailable'
}

/** Message of the innermost cause; `undefined` without a cause. */
function causeOf(error: unknown): string | undefined {
  let cause: unknown
  for (let each = error; each instanceof Error && each.cause !== undefined; each = each.cause) cause = each.cause
  return cause === undefined ? undefined : textOf(cause)
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(PARAMETERS, '') : String(error)
}
