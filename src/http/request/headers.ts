import { checkIdempotencyKey } from '../../database/writes/idempotency-key.ts'
import { DholeError } from '../../error.ts'
import type { Family } from '../../query/query.ts'
import type { Exchange } from '../exchange.ts'

/** A method of the tree; HEAD is GET without a body. */
export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

const METHODS: ReadonlySet<string> = new Set<Method>(['GET', 'PUT', 'POST', 'PATCH', 'DELETE'])
const EVENT_STREAM = 'text/event-stream'
/** A quoted string of HTTP, with backslashes before quotes and backslashes. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/

/**
 * The method meant: POST can stand for another.
 * @throws `method-not-allowed`, `bad-parameter`
 */
export function methodOf({ method: sent, request, target }: Exchange): Method {
  if (sent === 'GET' || sent === 'HEAD') return 'GET'
  if (!METHODS.has(sent)) throw new DholeError('method-not-allowed')
  if (sent !== 'POST') return sent as Method
  const override = request.headers.get('x-http-method-override') ?? target.raw.values['x-http-method-override']
  if (override === undefined) return 'POST'
  const method = override.trim().toUpperCase()
  if (!METHODS.has(method)) throw new DholeError('bad-parameter')
  return method as Method
}

/** Whether an `Accept` list names event streams, with a weight above zero. */
export function acceptsStream(accept: string | null): boolean {
  // Most requests have a list without event streams.
  if (accept === null || !/event-stream/i.test(accept)) return false
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === EVENT_STREAM && !parameters.some((parameter) => /^q\s*=\s*0*(\.0*)?$/.test(parameter))
  })
}

/** Whether an `Accept` list prefers HTML to JSON, as that of a browser that opens a page. */
export function prefersPage(accept: string | null): boolean {
  return accept !== null && weightOf('text/html', accept) > weightOf('application/json', accept)
}

/** Weight of a type, 0 to 1: that of the narrowest range that contains it. */
function weightOf(type: string, accept: string): number {
  const ranges = accept.split(',').map(readRange)
  for (const name of [type, `${type.split('/', 1)[0]}/*`, '*/*']) {
    const range = ranges.find((candidate) => candidate.name === name)
    if (range !== undefined) return range.weight
  }
  return 0
}

function readRange(text: string): { readonly name: string; readonly weight: number } {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.map((parameter) => /^q\s*=\s*([0-9.]+)$/.exec(parameter)?.[1]).find(Boolean)
  return { name, weight: weight === undefined ? 1 : Number(weight) }
}

/** Whether the client asks for the ETag of the node. */
export function wantsEtag(request: Request): boolean {
  return request.headers.get('x-firebase-etag')?.toLowerCase() === 'true'
}

/**
 * The idempotency key of a write, without quotes; `undefined` where there is none.
 * @throws `bad-parameter`
 * @see docs/reference/protocol.md#idempotent-writes
 */
export function idempotencyKeyOf(request: Request): string | undefined {
  const sent = request.headers.get('idempotency-key')?.trim()
  if (sent === undefined) return undefined
  const quoted = QUOTED.exec(sent)?.[1]
  const key = quoted === undefined ? sent : quoted.replace(/\\(.)/g, '$1')
  checkIdempotencyKey(key)
  return key
}

/**
 * The family of clients whose replies a request gets where the two differ: Firebase's if the request shows a Firebase
 * client, else that of the application's profile.
 * @see docs/reference/protocol.md#marks-of-firebase-clients
 */
export function familyOf(exchange: Exchange): Family {
  if (isFirebaseClient(exchange)) return 'firebase'
  return exchange.knownApplication?.database.profile ?? 'wilddog'
}

function isFirebaseClient({ request, target }: Exchange): boolean {
  const { values } = target.raw
  return 'ns' in values || 'access_token' in values || hasFirebaseHeader(request)
}

export function hasFirebaseHeader({ headers }: Request): boolean {
  if (headers.has('x-goog-api-client') || isBearer(headers.get('authorization'))) return true
  return [...headers.keys()].some((name) => name.startsWith('x-firebase-'))
}

export function isBearer(authorization: string | null): boolean {
  return authorization !== null && /^bearer(\s|$)/i.test(authorization)
}
