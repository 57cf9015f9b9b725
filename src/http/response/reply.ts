import { drain, type Steps } from '../../scheduling/steps.ts'
import { prettyPrintInSteps } from '../../tree/json/pretty.ts'
import type { JsonText } from '../../tree/json/print.ts'
import { type AnyText, collected, joined, pieces, type TextSink } from '../../tree/json/text-pieces.ts'
import type { Exchange } from '../exchange.ts'
import { heldBody } from './held-body.ts'

/**
 * Headers of every reply, prepared once: a ready `Headers` is cheaper than an object literal.
 * @see docs/reference/protocol.md#ground-rules
 */
const COMMON: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-cache',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, X-Firebase-Auth-Debug, Idempotency-Replayed, X-Request-Id, X-Dhole-Position',
  'X-Content-Type-Options': 'nosniff',
}
const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' }
const SCRIPT_TYPE = { 'Content-Type': 'application/javascript; charset=utf-8' }

const jsonHeaders = new Headers({ ...COMMON, ...JSON_TYPE })
const scriptHeaders = new Headers({ ...COMMON, ...SCRIPT_TYPE })
const emptyHeaders = new Headers(COMMON)
const jsonInit: ResponseInit = { headers: jsonHeaders }

/** How the client asks for its reply to be formatted. */
export interface FormatOptions {
  readonly print?: string | undefined
  readonly callback?: string | undefined
  readonly download?: string | undefined
  readonly etag?: string | undefined
}

/** Header with the position of a commit, where reads may lag. @see docs/reference/protocol.md#positions */
const POSITION = 'X-Dhole-Position'
/** Headers with the last position: many replies in a row have the same. */
let positioned = { position: '', init: jsonInit }

/** The plain 200 of the hot path. @param position not older than the text; `undefined` where reads never lag */
export function jsonReply(exchange: Exchange, text: JsonText, position?: string): Response {
  if (position === undefined) return replyOf(exchange, text, jsonInit)
  if (positioned.position !== position) {
    const headers = new Headers(jsonHeaders)
    headers.set(POSITION, position)
    positioned = { position, init: { headers } }
  }
  exchange.isPositioned = true
  return replyOf(exchange, text, positioned.init)
}

/** Names a position that is not older than the reply. */
export function namePosition(reply: Response, position: string): Response {
  reply.headers.set(POSITION, position)
  return reply
}

/** As `jsonReply`, with a body that is still being written. */
export function jsonStreamReply(body: ReadableStream): Response {
  return new Response(body, jsonInit)
}

/** Rewrites the text of a reply in steps. */
export type Layout = (text: AnyText, sink: TextSink) => Steps<void>

/** Makes the body of a reply from its text. */
export type BodyOf = (text: AnyText, layout: Layout | undefined) => string | ReadableStream | null

/** The text as one string. */
export const asItIs: BodyOf = (text, layout) =>
  joined(layout === undefined ? text : drain(collected((sink) => layout(text, sink))))

/**
 * Any reply with a JSON body, formatted as the client asks. `print=silent` turns a success into 204.
 * @param bodyOf makes the body from the text
 */
export function formatReply(
  exchange: Exchange,
  text: AnyText,
  format: FormatOptions,
  status: number = 200,
  bodyOf: BodyOf = asItIs,
): Response {
  if (status === 200 && isPlain(format)) return replyOf(exchange, bodyOf(text, undefined), jsonInit)
  if (status === 200 && format.print === 'silent') return emptyReply(204, format.etag)
  const headers = new Headers(format.callback === undefined ? jsonHeaders : scriptHeaders)
  if (format.etag !== undefined) headers.set('ETag', format.etag)
  if (format.download !== undefined) headers.set('Content-Disposition', contentDisposition(format.download))
  return replyOf(exchange, bodyOf(text, layoutOf(format)), { status, headers })
}

function layoutOf({ print, callback }: FormatOptions): Layout | undefined {
  if (callback === undefined) return print === 'pretty' ? prettyPrintInSteps : undefined
  const layout = print === 'pretty' ? prettyPrintInSteps : pieces
  return function* (text, sink) {
    sink(`/**/${callback}(`)
    yield* layout(text, (piece) => sink(escapeForScript(piece)))
    sink(');')
  }
}

/** Records the text of the reply: its length is counted, and a reply with one is no stream. */
export function replyOf(exchange: Exchange, body: string | ReadableStream | null, init: ResponseInit): Response {
  if (typeof body !== 'string') return new Response(body, init)
  exchange.replyText = body
  // For HEAD the listener keeps nothing.
  const isHeld = exchange.method !== 'HEAD' && exchange.limits.mustCount(exchange.listener, body.length)
  return new Response(isHeld ? heldBody(body, exchange) : body, init)
}

function isPlain({ print, callback, download, etag }: FormatOptions): boolean {
  return print === undefined && callback === undefined && download === undefined && etag === undefined
}

/** Marks the reply to a repeated idempotent request. */
export function replayedReply(reply: Response): Response {
  reply.headers.set('Idempotency-Replayed', 'true')
  return reply
}

export function emptyReply(status: number, etag?: string): Response {
  const headers = new Headers(emptyHeaders)
  if (etag !== undefined) headers.set('ETag', etag)
  return new Response(null, { status, headers })
}

const streamHeaders = new Headers({
  ...COMMON,
  'Content-Type': 'text/event-stream; charset=utf-8',
  'X-Accel-Buffering': 'no',
})

/** An event stream. */
export function streamReply(body: ReadableStream): Response {
  return new Response(body, { headers: streamHeaders })
}

/** Redirects the same request to another URL. */
export function redirectReply(url: string): Response {
  const headers = new Headers(emptyHeaders)
  headers.set('Location', url)
  return new Response(null, { status: 307, headers })
}

export const ALLOWED_METHODS = 'GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS'
const preflightHeaders = new Headers({
  ...COMMON,
  'Access-Control-Allow-Methods': 'GET, HEAD, PUT, PATCH, POST, DELETE, OPTIONS',
  'Access-Control-Allow-Headers':
    'Content-Type, Authorization, X-Firebase-ETag, If-Match, If-None-Match, X-HTTP-Method-Override, X-Firebase-Decoding, Last-Event-ID, Cache-Control, Idempotency-Key, X-Request-Id, X-Dhole-After',
  'Access-Control-Max-Age': '3600',
  Allow: ALLOWED_METHODS,
})

export function preflightReply(): Response {
  return new Response(null, { status: 204, headers: preflightHeaders })
}

/** Keeps data from closing a script element, and from breaking older engines at a line separator. */
function escapeForScript(text: JsonText): string {
  return text.replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

/** Header with a file name that cannot leave its folder or the header. */
function contentDisposition(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  const clean = name.replace(/[/\\"\u0000-\u001f\u007f]/g, '') || 'data.json'
  const ascii = clean.replace(/[^\u0020-\u007e]/g, '_')
  const encoded = encodeURIComponent(clean.toWellFormed()).replace(/['()*]/g, escapeByte)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

function escapeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

const CLOSE = /(?:^|[\s,])close(?:$|[\s,])/i

/**
 * Answers `Connection: close` with the same header. The listener closes such a connection in any case; without the
 * header some clients reuse it for their next request, which then fails. HTTP/2 has no such header.
 * @see docs/reference/protocol.md#ground-rules
 */
export function confirmClose(request: Request, reply: Response): Response {
  const connection = request.headers.get('connection')
  if (connection !== null && CLOSE.test(connection)) reply.headers.set('Connection', 'close')
  return reply
}
