import { DholeError } from '../../error.ts'
import { type ErrorFormat, type Exchange, withRequestId } from '../exchange.ts'
import { allowedMethods, knownError, retryAfter } from '../response/error-reply.ts'
import { bodyOf, statusOf } from '../response/error-texts.ts'
import { LARGE_LENGTH, largeAnswer } from '../response/large-body.ts'
import { replyOf } from '../response/reply.ts'
import { NO_COOKIE } from './session-cookie.ts'

/** Pages of other origins can read no reply: there is no `Access-Control-Allow-Origin`. */
const PRIVATE: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
}
const JSON_TYPE = 'application/json; charset=utf-8'

/** A reply with a JSON body. @param cookie header `Set-Cookie` */
export function privateReply(exchange: Exchange, value: object, cookie?: string, status = 200): Response {
  const text = JSON.stringify(value)
  const isLarge = text.length > LARGE_LENGTH && exchange.method !== 'HEAD'
  const body = isLarge ? largeAnswer(text, value, exchange, undefined) : text
  return replyOf(exchange, body, { status, headers: headersWith(JSON_TYPE, cookie) })
}

/** A reply with a body of any length. */
export function privateStream(body: ReadableStream, type: string, cookie: string | undefined): Response {
  return new Response(body, { headers: headersWith(type, cookie) })
}

/** The answer to OPTIONS: no page of another origin may call. */
export function privateOptions({ endpoint }: Exchange): Response {
  const headers = new Headers(PRIVATE)
  headers.set('Allow', allowedMethods(endpoint))
  return new Response(null, { status: 204, headers })
}

/** Errors as `{"error": text, "code": number}`: the text, and its number in the list of errors. */
export const adminErrors: ErrorFormat = {
  errorOf: knownError,
  reply: (exchange, error) => {
    const cookie = error.code === 'admin-session' ? NO_COOKIE : undefined
    const { errcode } = bodyOf(error)
    const reply = privateReply(exchange, { error: error.message, code: errcode }, cookie, statusOf(error.code))
    if (error.code === 'method-not-allowed') reply.headers.set('Allow', allowedMethods(exchange.endpoint))
    const seconds = retryAfter(error)
    if (seconds !== undefined) reply.headers.set('Retry-After', seconds)
    return withRequestId(reply, exchange)
  },
}

function headersWith(type: string, cookie: string | undefined): Headers {
  const headers = new Headers(PRIVATE)
  headers.set('Content-Type', type)
  if (cookie !== undefined) headers.set('Set-Cookie', cookie)
  return headers
}

/** @throws `method-not-allowed` */
export function checkMethod({ method, endpoint }: Exchange): void {
  if (!endpoint.methods.includes(method)) throw new DholeError('method-not-allowed')
}
