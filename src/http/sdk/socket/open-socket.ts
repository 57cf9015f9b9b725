import { DholeError } from '../../../error.ts'
import type { Exchange } from '../../exchange.ts'
import type { Connection } from '../connection/connection.ts'
import { openSession } from '../session/open-session.ts'
import { sessionsOf } from '../session/sessions.ts'
import { resetting, upgraded } from './farewell-socket.ts'
import { Socket, type SocketService } from './socket.ts'
import { UpgradeSocket } from './upgrade-socket.ts'

const MS = 1000

/**
 * Makes the connection of a request a WebSocket for SDKs: of a new session, or of one that long polling has begun.
 * @throws `sockets-not-offered` for a request that asks for none, `quota`, `too-busy`
 * @see docs/reference/sdk-protocol.md
 */
export async function openSocket(exchange: Exchange): Promise<Response> {
  const { request, application, target, limits } = exchange
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') throw new DholeError('sockets-not-offered')
  const parts: SocketService = {
    reserve: limits.reserve,
    timeoutMs: limits.settings.socketSeconds * MS,
  }
  const parameters = new URLSearchParams(target.search)
  const polled = parameters.get('s')
  if (polled !== null) {
    const connection = sessionsOf(application).find(polled)
    return connection === undefined ? replyOf(exchange, resetting(exchange)) : takingOver(exchange, connection, parts)
  }
  const connection = await openSession(exchange, parameters.get('ls'), { carrier: 'websocket' })
  try {
    return replyOf(exchange, new Socket(connection, parts))
  } catch (error) {
    connection.session.close()
    throw error
  }
}

/** @throws `quota`, `too-busy` */
function takingOver(exchange: Exchange, connection: Connection, parts: SocketService): Response {
  const leave = exchange.limits.enterSocket(exchange, exchange.application.id)
  const socket = new UpgradeSocket(connection, parts, leave)
  try {
    return replyOf(exchange, socket)
  } catch (error) {
    socket.end('away', '')
    throw error
  }
}

/** @throws `sockets-not-offered` when the connection is gone or cannot become a socket */
function replyOf(exchange: Exchange, data: object): Response {
  const reply = upgraded(exchange, data)
  if (reply === undefined) throw new DholeError('sockets-not-offered')
  return reply
}
