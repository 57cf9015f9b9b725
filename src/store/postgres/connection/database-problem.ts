import { lookup } from 'node:dns/promises'
import { codeOf } from '../../../files/system-error.ts'
import type { DatabaseAddress } from './address.ts'
import {
  ConnectionLost,
  failureKind,
  isPoolerRefusal,
  isServerError,
  isUnusable,
  NO_DATABASE,
} from './database-errors.ts'

/** SQLSTATE of a missing right, of a write to a standby, and of a server whose connections are all taken. */
const NO_RIGHT = '42501'
const READ_ONLY = '25006'
const TOO_MANY = '53300'
/** SQLSTATE of a lock that was not free in time. */
const NOT_FREE = '55P03'
/** Codes of the driver: nothing listens at the address or its name is not known; the server does not offer TLS. */
const REFUSED = 'ERR_POSTGRES_CONNECTION_REFUSED'
const NO_TLS = 'ERR_POSTGRES_TLS_NOT_AVAILABLE'
const WRONG_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID'
const UNTRUSTED = /^(CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)/
const NO_SUCH_HOST = 'ENOTFOUND'

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
export async function problemOf(error: unknown, address: Pick<DatabaseAddress, 'url'>): Promise<DatabaseProblem> {
  if (error instanceof DatabaseProblem) return error
  const isUnknown = codeOfCause(error) === REFUSED && (await isUnknownHost(address.url))
  const reason = isUnknown ? 'there is no host of this name' : reasonOf(error)
  const isAway = !isUnknown && !isUnusable(error) && failureKind(error) !== 'bug'
  return new DatabaseProblem(`cannot use the database ${placeOf(address.url)}: ${reason}`, isAway, error)
}

/** What an error of the database or its connection means, for the operator. */
export function reasonOf(error: unknown): string {
  if (isPoolerRefusal(error)) return 'a pooler answers there: set DATABASE_POOLER=transaction'
  return isServerError(error) ? serverReason(error.errno, error.message) : connectionReason(error)
}

function serverReason(state: string, message: string): string {
  if (state.startsWith('28')) return `it refuses the user: ${message}`
  if (state === NO_DATABASE) return `${message}: create it first`
  if (state === NO_RIGHT) return `its user lacks a right: ${message}`
  if (state === READ_ONLY) return `it takes no writes, as a standby does: ${message}`
  if (state === TOO_MANY) return `all its connections are taken: ${message}`
  if (state === NOT_FREE) return `a table is in use by a long transaction: ${message}`
  return message
}

function connectionReason(error: unknown): string {
  const cause = error instanceof ConnectionLost ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  const code = codeOfCause(error)
  if (code === REFUSED) return 'no server answers there'
  if (code === NO_TLS) return 'it does not offer TLS'
  if (code === WRONG_NAME) return 'its certificate is for another host name'
  if (UNTRUSTED.test(code)) return `its certificate is not trusted (${cause.message}): set DATABASE_CA`
  return cause.message
}

/** Code of an error of the connection; empty without one. */
function codeOfCause(error: unknown): string {
  const cause = error instanceof ConnectionLost ? error.cause : error
  return String(codeOf(cause) ?? '')
}

/** The driver reports a name that cannot be resolved as a refused connection. */
async function isUnknownHost(url: string): Promise<boolean> {
  const { hosts, isSocket } = partsOf(url)
  if (isSocket) return false
  const found = await Promise.allSettled(hosts.split(',').map((host) => lookup(nameOf(host))))
  return found.every((each) => each.status === 'rejected' && codeOf(each.reason) === NO_SUCH_HOST)
}

/** A host without its port. */
function nameOf(host: string): string {
  return host.replace(/:\d*$/, '').replace(/^\[|\]$/g, '')
}

/** Host, port and name of an address. */
export function placeOf(url: string): string {
  const { place } = partsOf(url)
  return place
}

function partsOf(url: string): { readonly hosts: string; readonly isSocket: boolean; readonly place: string } {
  const [, , hosts = '', rest = ''] = /^[^:]+:\/\/([^/?#]*@)?([^/?#@]*)(.*)$/s.exec(url) ?? []
  const { pathname, searchParams } = new URL(rest, 'http://localhost')
  const folder = searchParams.get('host')
  return { hosts, isSocket: folder !== null, place: `${folder ?? hosts}${pathname}` }
}
