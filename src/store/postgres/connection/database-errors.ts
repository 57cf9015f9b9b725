import { DholeError } from '../../../error.ts'

/** The connection was lost, or could not be opened. Whether the last statement took effect is not known. */
export class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super('the connection to the database was lost', { cause })
  }
}

/** A statement did not return in time; its connection is closed. */
export class StatementTimeout extends Error {
  constructor(milliseconds: number) {
    super(`the database did not answer within ${milliseconds} ms`)
  }
}

/** The server is a standby, which takes no writes. */
export class StandbyError extends Error {
  constructor() {
    super('it is a standby, which takes no writes')
  }
}

/** An error that PostgreSQL has answered with. */
interface ServerError extends Error {
  /** SQLSTATE of five characters. */
  readonly errno: string
}

const SQLSTATE = /^[0-9A-Z]{5}$/

export function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && 'errno' in error && typeof error.errno === 'string' && SQLSTATE.test(error.errno)
}

/** Errors after which a connection is of no use: the server closes it, or takes no writes any more. */
const ENDS = new Set(['25006', '25P03', '57P01', '57P02', '57P03', '57P05'])

/** Whether the connection is of no use after this error. */
export function endsConnection(error: unknown): boolean {
  return isServerError(error) && (ENDS.has(error.errno) || error.errno.startsWith('08'))
}

/** Leaves out what has failed because its connection was lost: whether another one can be opened is reported by itself. */
export function troubleReporter(report: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    const cause = error instanceof DholeError && error.cause !== undefined ? error.cause : error
    if (!(cause instanceof ConnectionLost || endsConnection(cause))) report(error)
  }
}

/**
 * What a failed statement means.
 *
 * `conflict`: another batch has the number, or the row before it is not the expected one. `again`: the same may succeed
 * later. `away`: the database cannot be reached or does not take writes now. `bug`: it will fail again.
 */
export type FailureKind = 'conflict' | 'again' | 'away' | 'bug'

const CONFLICTS = new Set(['23505', '23502'])
const AGAIN = new Set(['40001', '40P01', '40000', '55P03', '57014'])
const AWAY = new Set(['25006', '25P03', '53100', '53200', '53300', '57P01', '57P02', '57P03', '57P05'])

export function failureKind(error: unknown): FailureKind {
  if (error instanceof ConnectionLost || error instanceof StatementTimeout || error instanceof StandbyError)
    return 'away'
  if (!isServerError(error)) return 'bug'
  const { errno } = error
  if (CONFLICTS.has(errno)) return 'conflict'
  if (AGAIN.has(errno)) return 'again'
  return AWAY.has(errno) || errno.startsWith('08') || isLoginRefusal(error) ? 'away' : 'bug'
}

/** SQLSTATE of a database that does not exist. */
export const NO_DATABASE = '3D000'

/** Whether the server has refused to let the user in. */
function isLoginRefusal({ errno }: ServerError): boolean {
  return errno.startsWith('28') || errno === NO_DATABASE
}

/** What PgBouncer and its kin answer to settings of a session. */
const POOLER = /^unsupported startup parameter/

/** Whether a pooler has refused the settings of a session. */
export function isPoolerRefusal(error: unknown): boolean {
  return isServerError(error) && POOLER.test(error.message)
}

/** Codes of the driver and of TLS for a connection that the settings do not allow, or the other end does not offer. */
const UNUSABLE = /^(ERR_TLS|ERR_BORINGSSL|ERR_POSTGRES_TLS|ERR_POSTGRES_UN|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)/

/** Whether no connection can be opened before the settings or the server are changed. */
export function isUnusable(error: unknown): boolean {
  if (isServerError(error)) return isLoginRefusal(error) || isPoolerRefusal(error)
  const cause = error instanceof ConnectionLost ? error.cause : error
  return cause instanceof Error && 'code' in cause && UNUSABLE.test(String(cause.code))
}
