import { DholeError } from '../../../error.ts'
import type { Answer, Exchange } from '../../exchange.ts'
import { useBody } from '../../request/body.ts'
import type { Dialect } from '../session/messages.ts'
import { openSession } from '../session/open-session.ts'
import type { Session } from '../session/session.ts'
import { upgraded } from '../socket/farewell-socket.ts'
import { EngineConnection } from './engine-connection.ts'
import { connectionsOf, type PolledConnection } from './engine-connections.ts'
import { EnginePolling } from './engine-polling.ts'
import { packetsReply, receivedReply, unknownReply } from './engine-reply.ts'
import { EngineSocket, type EngineSocketService, EngineUpgradeSocket } from './engine-socket.ts'
import { codeOf } from './error-codes.ts'
import { FarewellEngineSocket, farewellOf, farewellPackets } from './farewell.ts'
import { packetsIn, packetsInText } from './payload.ts'

/** Version of Engine.IO. */
const ENGINE = '3'
const WILDDOG: Dialect = { version: '1.0', codeOf, endsWithCredential: true }
const BINARY = 'application/octet-stream'
/** Bytes of the text form for a byte of a message, and bytes around one message. */
const MOST_BYTES_PER_BYTE = 2
const ENVELOPE = 4096

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
 * Tells a client that names no application so: later SDKs then connect no more. Other refusals are answered as they are.
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
      return packetsReply(exchange, farewellPackets(text), formOf(parameters), callbackOf(parameters))
    }
  }
}

async function startPolling(exchange: Exchange, parameters: URLSearchParams): Promise<Response> {
  if (exchange.method !== 'GET') throw new DholeError('method-not-allowed')
  const callback = callbackOf(parameters)
  const connections = connectionsOf(exchange.application)
  const session = await openSession(exchange, parameters.get('s'), WILDDOG)
  const connection: EngineConnection = new EngineConnection(session, () => connections.delete(connection.id))
  const polling = new EnginePolling(connection, exchange.limits.reserve, () => session.abort())
  const form = formOf(parameters)
  connections.set(connection.id, { connection, polling, session, form })
  return packetsReply(exchange, polling.start(), form, callback)
}

async function poll(
  exchange: Exchange,
  { polling, form }: PolledConnection,
  parameters: URLSearchParams,
): Promise<Response> {
  if (exchange.method !== 'GET') throw new DholeError('method-not-allowed')
  const callback = callbackOf(parameters)
  exchange.awaitSilently()
  return packetsReply(exchange, await polling.poll(), form, callback)
}

async function takePackets(
  exchange: Exchange,
  { polling, session }: PolledConnection,
  parameters: URLSearchParams,
): Promise<Response> {
  const isScript = callbackOf(parameters) !== undefined
  const maxBytes = session.maxLength * MOST_BYTES_PER_BYTE + ENVELOPE
  return useBody(exchange, { maxBytes, malformed: 'bad-data', isTrusted: false }, async (bytes) => {
    await polling.receive(packetsOf(exchange.request, bytes, isScript))
    return receivedReply(exchange)
  })
}

function packetsOf({ headers }: Request, bytes: Uint8Array, isScript: boolean): Iterable<string> {
  const text = () => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  if (isScript) return packetsInText(formText(text()))
  return headers.get('content-type')?.startsWith(BINARY) === true ? packetsIn(bytes) : packetsInText(text())
}

/** The payload in a form, which a page without other means sends: line ends are written as `\n`, and `\n` as `\\n`. */
function formText(form: string): string {
  const payload = new URLSearchParams(form).get('d') ?? ''
  return payload.replace(/\\\\n|\\n/g, (written) => (written === '\\n' ? '\n' : '\\n'))
}

async function openSocket(exchange: Exchange, parameters: URLSearchParams): Promise<Response> {
  if (exchange.request.headers.get('upgrade')?.toLowerCase() !== 'websocket')
    throw new DholeError('sockets-not-offered')
  const session = await openSession(exchange, parameters.get('s'), WILDDOG)
  try {
    return socketReply(exchange, new EngineSocket(new EngineConnection(session), serviceOf(exchange, session)))
  } catch (error) {
    session.close()
    throw error
  }
}

function upgrade(exchange: Exchange, { connection, polling, session }: PolledConnection): Response {
  return socketReply(exchange, new EngineUpgradeSocket(connection, polling, serviceOf(exchange, session)))
}

function serviceOf({ limits, service }: Exchange, session: Session): EngineSocketService {
  return {
    reserve: limits.reserve,
    onSent: (length) => service.observer.streamSent?.(length),
    abort: () => session.abort(),
  }
}

/** @throws `sockets-not-offered` when the request asks for no socket, or the connection is gone */
function socketReply(exchange: Exchange, data: object): Response {
  const reply = upgraded(exchange, data)
  if (reply === undefined) throw new DholeError('sockets-not-offered')
  return reply
}

function formOf(parameters: URLSearchParams): 'binary' | 'text' {
  return parameters.get('b64') === '1' || parameters.has('j') ? 'text' : 'binary'
}

/** @throws `bad-parameter` */
function callbackOf(parameters: URLSearchParams): string | undefined {
  const callback = parameters.get('j')
  if (callback === null) return undefined
  // It becomes part of a script.
  if (!/^\d{1,6}$/.test(callback)) throw new DholeError('bad-parameter')
  return callback
}
