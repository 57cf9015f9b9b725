import { DholeError } from '../../../error.ts'
import { inTurns } from '../../../scheduling/turns.ts'
import type { Answer, Exchange } from '../../exchange.ts'
import { useBody } from '../../request/body.ts'
import type { Dialect } from '../session/messages.ts'
import { openSession } from '../session/open-session.ts'
import type { Session } from '../session/session.ts'
import { upgraded } from '../socket/farewell-socket.ts'
import { EngineConnection } from './engine-connection.ts'
import { connectionsOf, type PolledConnection } from './engine-connections.ts'
import { EnginePolling } from './engine-polling.ts'
import { packetsReply, receivedReply, unknownReply, type Wanted } from './engine-reply.ts'
import { EngineSocket, type EngineSocketService, EngineUpgradeSocket } from './engine-socket.ts'
import { codeOf } from './error-codes.ts'
import { FarewellEngineSocket, farewellOf, farewellPackets } from './farewell.ts'
import { SILENCE_MS } from './packets.ts'
import { bytesOfText, type PayloadForm, packetsIn } from './payload.ts'

/** Version of Engine.IO. */
const ENGINE = '3'
const WILDDOG: Dialect = { version: '1.0', codeOf, endsWithCredential: true }
const MS = 1000
const BINARY = 'application/octet-stream'
/** Bytes of the text form for a byte of a message, and bytes around one message. */
const MOST_BYTES_PER_BYTE = 2
const ENVELOPE = 4096
/** Longest form; pages that have other means send none. */
const MOST_FORM_BYTES = 1024 * 1024

/**
 * Answers a request of an SDK of Wilddog: opens a connection, fetches or takes packets by long polling, or makes it a WebSocket.
 * @throws `bad-parameter`, `method-not-allowed`, `sockets-not-offered` for a WebSocket that cannot be made, `quota`, `too-busy`
 * @see docs/reference/sdk-protocol.md#wilddogs-sdks
 */
export async function answerEngine(exchange: Exchange): Promise<Response> {
  const parameters = new URLSearchParams(exchange.target.search)
  const transport = parameters.get('transport')
  if (parameters.get('EIO') !== ENGINE || (transport !== 'polling' && transport !== 'websocket')) {
    throw new DholeError('bad-parameter')
  }
  const id = parameters.get('sid')
  const polled = id === null ? undefined : connectionsOf(exchange.application).get(id)
  if (id !== null && polled === undefined) return unknownReply(exchange)
  if (transport === 'websocket') return polled ? upgrade(exchange, polled) : openSocket(exchange, parameters)
  if (polled === undefined) return startPolling(exchange, parameters)
  return exchange.method === 'POST' ? takePackets(exchange, polled, parameters) : poll(exchange, polled, parameters)
}

/**
 * Has a client that names no application connect no more, as later SDKs do. Other refusals are answered as they are.
 */
export function orEngineFarewell(answer: Answer): Answer {
  return async (exchange) => {
    try {
      return await answer(exchange)
    } catch (error) {
      const text = farewellOf(error)
      if (text === undefined) throw error
      const socket = upgraded(exchange, new FarewellEngineSocket(text))
      if (socket !== undefined) return socket
      const parameters = new URLSearchParams(exchange.target.search)
      return packetsReply(exchange, farewellPackets(text), wantedBy(parameters))
    }
  }
}

async function startPolling(exchange: Exchange, parameters: URLSearchParams): Promise<Response> {
  if (exchange.method !== 'GET') throw new DholeError('method-not-allowed')
  const wanted = wantedBy(parameters)
  const connections = connectionsOf(exchange.application)
  const opened = await openSession(exchange, parameters.get('s'), { carrier: 'polling', dialect: WILDDOG })
  const { session } = opened
  const connection: EngineConnection = new EngineConnection(opened, () => connections.delete(connection.id))
  const polling = new EnginePolling(connection, serviceOf(exchange, session))
  const form = wanted.form === 'script' ? 'text' : wanted.form
  connections.set(connection.id, { connection, polling, session, form })
  return packetsReply(exchange, polling.start(), wanted)
}

async function poll(
  exchange: Exchange,
  { polling, form }: PolledConnection,
  parameters: URLSearchParams,
): Promise<Response> {
  if (exchange.method !== 'GET') throw new DholeError('method-not-allowed')
  const wanted = wantedBy(parameters, form)
  exchange.awaitSilently()
  return packetsReply(exchange, await polling.poll(), wanted)
}

async function takePackets(
  exchange: Exchange,
  { polling, session }: PolledConnection,
  parameters: URLSearchParams,
): Promise<Response> {
  const isScript = parameters.has('j')
  const isBinary = !isScript && exchange.request.headers.get('content-type')?.startsWith(BINARY) === true
  const maxBytes = isScript ? MOST_FORM_BYTES : session.maxLength * MOST_BYTES_PER_BYTE + ENVELOPE
  return useBody(exchange, { maxBytes, malformed: 'bad-data', isTrusted: false }, async (body) => {
    const text = isScript ? payloadOfForm(body) : body
    const bytes = isBinary ? body : await inTurns(bytesOfText(text))
    await polling.receive(packetsIn(bytes, isBinary))
    return receivedReply(exchange)
  })
}

/** The payload in a form, which a page without other means sends: line ends are written as `\n`, and `\n` as `\\n`. */
function payloadOfForm(body: Uint8Array): Uint8Array {
  const payload = new URLSearchParams(new TextDecoder().decode(body)).get('d') ?? ''
  return Buffer.from(payload.replace(/\\\\n|\\n/g, (written) => (written === '\\n' ? '\n' : '\\n')))
}

async function openSocket(exchange: Exchange, parameters: URLSearchParams): Promise<Response> {
  if (exchange.request.headers.get('upgrade')?.toLowerCase() !== 'websocket')
    throw new DholeError('sockets-not-offered')
  const opened = await openSession(exchange, parameters.get('s'), { carrier: 'websocket', dialect: WILDDOG })
  const { session } = opened
  try {
    return socketReply(exchange, new EngineSocket(new EngineConnection(opened), serviceOf(exchange, session)))
  } catch (error) {
    session.close()
    throw error
  }
}

/** @throws `quota`, `too-busy`, `sockets-not-offered` */
function upgrade(exchange: Exchange, polled: PolledConnection): Response {
  const leave = exchange.limits.enterSocket(exchange, exchange.application.id)
  try {
    return socketReply(exchange, new EngineUpgradeSocket(polled, serviceOf(exchange, polled.session), leave))
  } catch (error) {
    leave()
    throw error
  }
}

function serviceOf({ limits }: Exchange, session: Session): EngineSocketService {
  return {
    reserve: limits.reserve,
    timeoutMs: limits.settings.socketSeconds * MS,
    abort: () => session.abort(),
  }
}

/** @throws `sockets-not-offered` when the request asks for no socket, or the connection is gone */
function socketReply(exchange: Exchange, data: object): Response {
  const reply = upgraded(exchange, data, SILENCE_MS)
  if (reply === undefined) throw new DholeError('sockets-not-offered')
  return reply
}

/** @param form without a callback, where it is known @throws `bad-parameter` */
function wantedBy(parameters: URLSearchParams, form?: PayloadForm): Wanted {
  const callback = parameters.get('j') ?? undefined
  if (callback === undefined) {
    return { form: form ?? (parameters.get('b64') === '1' ? 'text' : 'binary'), callback }
  }
  // It becomes part of a script.
  if (!/^\d{1,6}$/.test(callback)) throw new DholeError('bad-parameter')
  return { form: 'script', callback }
}
