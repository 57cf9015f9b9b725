import { inTurns } from '../../../scheduling/turns.ts'
import type { Exchange } from '../../exchange.ts'
import { heldBody } from '../../response/held-body.ts'
import { type PayloadForm, payloadInSteps } from './payload.ts'

const TYPES: Readonly<Record<PayloadForm, string>> = {
  binary: 'application/octet-stream',
  text: 'text/plain; charset=UTF-8',
  script: 'application/javascript; charset=UTF-8',
}

/** How a client wants its packets. */
export interface Wanted {
  readonly form: PayloadForm
  /** Number of the function that a script calls. */
  readonly callback: string | undefined
}

/** A reply with packets. Long ones take several turns of the event loop. */
export async function packetsReply(
  exchange: Exchange,
  packets: readonly string[],
  { form, callback }: Wanted,
): Promise<Response> {
  const payload = await inTurns(payloadInSteps(packets, form))
  const body =
    callback === undefined
      ? payload
      : Buffer.concat([Buffer.from(`___eio[${callback}]("`), payload, Buffer.from('");')])
  return reply(exchange, body, TYPES[form])
}

/** The reply to packets. */
export function receivedReply(exchange: Exchange): Response {
  return reply(exchange, Buffer.from('ok'), 'text/html')
}

/** Answers a client that its connection is not known. @see https://github.com/socketio/engine.io-protocol/tree/v3 */
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
