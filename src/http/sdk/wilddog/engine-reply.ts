import type { Exchange } from '../../exchange.ts'
import { heldBody } from '../../response/held-body.ts'
import { type PayloadForm, payloadOf, textPayloadOf } from './payload.ts'

const TYPES: Readonly<Record<PayloadForm, string>> = {
  binary: 'application/octet-stream',
  text: 'text/plain; charset=UTF-8',
}

/** A reply with packets. @param callback number of the function that a script calls; `undefined` for a plain payload */
export function packetsReply(
  exchange: Exchange,
  packets: readonly string[],
  form: PayloadForm,
  callback: string | undefined,
): Response {
  return callback === undefined
    ? reply(exchange, payloadOf(packets, form), TYPES[form])
    : reply(
        exchange,
        Buffer.from(`___eio[${callback}](${scriptText(textPayloadOf(packets))});`),
        'application/javascript; charset=UTF-8',
      )
}

/** The reply to packets. */
export function receivedReply(exchange: Exchange): Response {
  return reply(exchange, Buffer.from('ok'), 'text/html')
}

/** Tells a client that its connection is not known. @see https://github.com/socketio/engine.io-protocol/tree/v3 */
export function unknownReply(exchange: Exchange): Response {
  const body = Buffer.from(JSON.stringify({ code: 1, message: 'Session ID unknown' }))
  return reply(exchange, body, 'application/json', 400)
}

/** Allows pages of every origin to poll. Browsers ask before they send bytes. */
export function enginePreflight({ request }: Exchange): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...originHeaders(request),
      'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
      'Access-Control-Allow-Headers': 'Content-Type',
      'Access-Control-Max-Age': '3600',
    },
  })
}

/** The client sends its requests with cookies, of which none is read here; browsers then want the origin by its name. */
function originHeaders({ headers }: Request): Record<string, string> {
  const origin = headers.get('origin')
  if (origin === null) return { 'Access-Control-Allow-Origin': '*', Vary: 'Origin' }
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    Vary: 'Origin',
  }
}

function reply(exchange: Exchange, body: Uint8Array<ArrayBuffer>, type: string, status = 200): Response {
  const { request, limits, listener } = exchange
  exchange.replyBytes = body.byteLength
  const headers = {
    ...originHeaders(request),
    'Content-Type': type,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  }
  const isHeld = limits.mustCount(listener, body.byteLength)
  return new Response(isHeld ? heldBody(body, exchange) : body, { status, headers })
}

/** A string in a script. Its characters are below U+0100. */
function scriptText(text: string): string {
  return JSON.stringify(text).replaceAll('<', '\\u003c')
}
