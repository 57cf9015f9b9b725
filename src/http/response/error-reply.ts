import { DholeError, type ErrorCode } from '../../error.ts'
import { type ErrorFormat, type Exchange, withRequestId } from '../exchange.ts'
import { familyOf, hasFirebaseHeader, methodOf } from '../request/headers.ts'
import { isCallbackName } from '../url/parameters.ts'
import { bodyOf, statusOf } from './error-texts.ts'
import { type FormatOptions, formatReply } from './reply.ts'

/**
 * Value of the header `Retry-After`, in seconds. Wrong credentials are counted by the minute; a storage that is away may be
 * back soon.
 */
const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, number>> = {
  'too-many-failures': 60,
  quota: 1,
  'too-busy': 5,
  unavailable: 2,
  'sms-unavailable': 2,
  'sms-too-often': 1,
}

/** Status of `permission-denied` for Firebase clients. */
const DENIED_TO_FIREBASE = 401
const UNFORMATTED: FormatOptions = {}

/** Methods of an endpoint as the header `Allow` lists them. */
export function allowedMethods({ methods }: { readonly methods: readonly string[] }): string {
  return [...methods, 'OPTIONS'].join(', ')
}

/** Maps anything thrown to an error of the closed list; unforeseen errors become `internal` and keep their cause. */
export function knownError(thrown: unknown): DholeError {
  return thrown instanceof DholeError ? thrown : new DholeError('internal', undefined, { cause: thrown })
}

/** Errors of endpoints whose parameters do not format the reply. */
export const plainErrors: ErrorFormat = {
  errorOf: knownError,
  reply: (exchange, error) => {
    const isFirebase = error.code === 'permission-denied' && hasFirebaseHeader(exchange.request)
    return errorReply(exchange, error, UNFORMATTED, isFirebase ? DENIED_TO_FIREBASE : undefined)
  },
}

/** Errors of the tree: formatted as the reply would be, and with 401 for Firebase clients where permission is denied. */
export const treeErrors: ErrorFormat = {
  errorOf: knownError,
  reply: (exchange, error) => {
    const isDenied = error.code === 'permission-denied'
    const status = isDenied && familyOf(exchange) === 'firebase' ? DENIED_TO_FIREBASE : undefined
    return errorReply(exchange, error, formatOf(exchange, error), status)
  },
}

/** An error as JSON. @param status instead of the usual one */
export function errorReply(exchange: Exchange, error: DholeError, format: FormatOptions, status?: number): Response {
  const reply = failedReply(exchange, error, JSON.stringify(bodyOf(error)), format, status)
  if (error.code === 'method-not-allowed') reply.headers.set('Allow', allowedMethods(exchange.endpoint))
  return reply
}

/** As `errorReply`, with a body of another shape. */
export function failedReply(
  exchange: Exchange,
  error: DholeError,
  text: string,
  { print, callback }: FormatOptions,
  status: number = statusOf(error.code),
): Response {
  const format = { print: print === 'pretty' ? print : undefined, callback }
  const reply = formatReply(exchange, text, format, status)
  const seconds = retryAfter(error)
  if (seconds !== undefined) reply.headers.set('Retry-After', seconds)
  return withRequestId(reply, exchange)
}

/** Value of the header `Retry-After`, if the error has one. */
export function retryAfter({ code }: DholeError): string | undefined {
  return RETRY_AFTER_SECONDS[code]?.toString()
}

/** How an error is formatted: with `callback` only where a success would be. */
function formatOf(exchange: Exchange, { code }: DholeError): FormatOptions {
  // Parameters are not looked at without encryption.
  if (code === 'https-required') return UNFORMATTED
  const { callback, print } = exchange.target.raw.values
  const isScript = callback !== undefined && isCallbackName(callback) && isRead(exchange)
  return { callback: isScript ? callback : undefined, print }
}

function isRead(exchange: Exchange): boolean {
  try {
    return methodOf(exchange) === 'GET'
  } catch {
    return false
  }
}
