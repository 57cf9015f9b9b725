import { DholeError, type ErrorCode } from '../tree/error.ts'
import { ALLOWED_METHODS, type Dress, dressedReply, insecureReply } from './reply.ts'

/** Statuses other than 400. @see docs/protocol.md#errors */
const STATUS: Partial<Record<ErrorCode, number>> = {
  'app-not-named': 417,
  'app-unknown': 404,
  'https-required': 404,
  'method-not-allowed': 405,
  'permission-denied': 403,
  'bad-token': 401,
  'token-expired': 401,
  'token-payload': 401,
  'token-refused': 401,
  'too-many-failures': 429,
  unavailable: 503,
  internal: 500,
}

export function statusOf(code: ErrorCode): number {
  return STATUS[code] ?? 400
}

/**
 * An error as JSON, in the dress of the answer it replaces.
 * @param firebase whether a Firebase client asks: it expects 401 where permission is denied
 */
export function errorReply(error: DholeError, dress: Dress, firebase: boolean): Response {
  const status = firebase && error.code === 'permission-denied' ? 401 : statusOf(error.code)
  const text = JSON.stringify(error.body)
  if (error.code === 'https-required') return insecureReply(text, status)
  const print = dress.print === 'pretty' ? 'pretty' : undefined
  const reply = dressedReply(text, { print, callback: dress.callback }, status)
  if (error.code === 'method-not-allowed') reply.headers.set('Allow', ALLOWED_METHODS)
  return reply
}

/** Whatever was thrown as an error of the closed list: what nobody foresaw is `internal`, its cause stays here. */
export function knownError(thrown: unknown): DholeError {
  return thrown instanceof DholeError ? thrown : new DholeError('internal', undefined, { cause: thrown })
}
