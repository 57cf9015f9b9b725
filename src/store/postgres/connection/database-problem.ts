import type { DatabaseAddress } from './address.ts'
import { ConnectionLost, failureKind, isServerError } from './database-errors.ts'

/** SQLSTATE of a missing right, and of a database that does not exist. */
const NO_RIGHT = '42501'
const NO_DATABASE = '3D000'
const REFUSED = 'ERR_POSTGRES_CONNECTION_REFUSED'

/** Why a process cannot use its database, in one line for the operator. */
export class DatabaseProblem extends Error {
  /** Whether it may pass without a change of the settings. */
  readonly isAway: boolean

  constructor(message: string, isAway: boolean, cause: unknown) {
    super(message, { cause })
    this.isAway = isAway
  }
}

/** Explains what opening a database has thrown. The text shows neither password nor parameters of the address. */
export function problemOf(error: unknown, { url }: DatabaseAddress): DatabaseProblem {
  const where = placeOf(url)
  const isAway = failureKind(error) !== 'bug'
  const reason = isServerError(error) ? serverReason(error.errno, error.message) : connectionReason(error)
  return new DatabaseProblem(`cannot use the database ${where}: ${reason}`, isAway, error)
}

function serverReason(state: string, message: string): string {
  if (state.startsWith('28')) return `it refuses the user: ${message}`
  if (state === NO_DATABASE) return `${message}: create it first`
  if (state === NO_RIGHT) return `its user lacks a right: ${message}`
  return message
}

function connectionReason(error: unknown): string {
  const cause = error instanceof ConnectionLost ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  return 'code' in cause && cause.code === REFUSED ? 'no server answers there' : cause.message
}

/** Host, port and name of an address. */
export function placeOf(url: string): string {
  const [, , hosts = '', rest = ''] = /^[^:]+:\/\/([^/?#]*@)?([^/?#@]*)(.*)$/s.exec(url) ?? []
  const { pathname, searchParams } = new URL(rest, 'http://localhost')
  return `${searchParams.get('host') ?? hosts}${pathname}`
}
