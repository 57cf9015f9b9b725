import { DholeError, type ErrorCode } from '../../error.ts'
import { ALLOWED_METHODS, type Dress, dressedReply } from './reply.ts'

/** Statuses other than 400. @see docs/reference/protocol.md#errors */
const STATUS: Partial<Record<ErrorCode, number>> = {
  'app-not-named': 417,
  'app-unknown': 404,
  'sockets-not-offered': 404,
  'https-required': 404,
  'method-not-allowed': 405,
  'key-reused': 422,
  'condition-failed': 412,
  'permission-denied': 403,
  'bad-token': 401,
  'token-expired': 401,
  'token-payload': 401,
  'token-refused': 401,
  'too-many-failures': 429,
  quota: 429,
  'too-busy': 503,
  'body-too-slow': 408,
  unavailable: 503,
  internal: 500,
  'sms-app-unknown': 404,
  'sms-bad-signature': 401,
  'sms-failed': 500,
  'sms-unavailable': 503,
  'sms-key-unknown': 500,
  'sms-too-often': 429,
  'sms-not-offered': 404,
}

/** When it is worth to come again, in seconds: wrong credentials are counted by the minute. */
const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, number>> = {
  'too-many-failures': 60,
  quota: 1,
  'too-busy': 5,
  'sms-too-often': 1,
}

/** Methods of the endpoints beside the tree, by their paths. HEAD would have messages handed over to nobody. */
const BESIDE_THE_TREE: readonly (readonly [path: RegExp, methods: string])[] = [
  [/^\/\.settings\//, 'GET, HEAD, PUT, OPTIONS'],
  [/^\/\.auth\//, 'POST, OPTIONS'],
  [/^\/(health|ready|metrics)$/, 'GET, HEAD, OPTIONS'],
  [/^\/api\/v1\/carrier-codes$/, 'GET, OPTIONS'],
  [/^\/api\/(v[12]\/[^/]*\/status|v1\/[^/]*\/dlr)$/, 'GET, POST, OPTIONS'],
  [/^\/api\/v[12]\/.*(?<!\.json)$/, 'POST, OPTIONS'],
]

export function statusOf(code: ErrorCode): number {
  return STATUS[code] ?? 400
}

/** The methods there are at a path below the mount point, as the header `Allow` lists them. */
export function allowedMethods(rawPath: string): string {
  return BESIDE_THE_TREE.find(([path]) => path.test(rawPath))?.[1] ?? ALLOWED_METHODS
}

/**
 * An error as JSON, in the dress of the answer it replaces.
 * @param firebase whether a Firebase client asks: it expects 401 where permission is denied
 * @param allowed the methods there are, for whoever has used another
 */
export function errorReply(
  error: DholeError,
  dress: Dress,
  firebase: boolean,
  allowed: string = ALLOWED_METHODS,
): Response {
  const text = JSON.stringify(error.body)
  const reply = failedReply(error, text, dress, firebase && error.code === 'permission-denied' ? 401 : undefined)
  if (error.code === 'method-not-allowed') reply.headers.set('Allow', allowed)
  return reply
}

/** As `errorReply`, for an endpoint whose errors have bodies of another shape. */
export function failedReply(
  error: DholeError,
  text: string,
  dress: Dress,
  status: number = statusOf(error.code),
): Response {
  const print = dress.print === 'pretty' ? 'pretty' : undefined
  const reply = dressedReply(text, { print, callback: dress.callback }, status)
  const seconds = RETRY_AFTER_SECONDS[error.code]
  if (seconds !== undefined) reply.headers.set('Retry-After', String(seconds))
  return reply
}

/** Whatever was thrown as an error of the closed list: what nobody foresaw is `internal`, its cause stays here. */
export function knownError(thrown: unknown): DholeError {
  return thrown instanceof DholeError ? thrown : new DholeError('internal', undefined, { cause: thrown })
}
