import { DholeError } from '../../../error.ts'
import type { Exchange } from '../../exchange.ts'
import { openSession } from '../session/open-session.ts'
import { sessionsOf } from '../session/sessions.ts'
import { resetting, upgraded } from './farewell-socket.ts'
import { Socket, type SocketService } from './socket.ts'
import { UpgradeSocket } from './upgrade-socket.ts'

/**
 * Makes the connection of a request a WebSocket for SDKs: of a new session, or of one that long polling has begun.
 * @throws `sockets-not-offered` for a request that asks for none, `quota`, `too-busy`
 * @see docs/reference/sdk-protocol.md
 */
export async function openSocket(exchange: Exchange): Promise<Response> {
  const { request, application, target, limits, service } = exchange
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') throw new DholeError('sockets-not-offered')
  const parts: SocketService = {
    reserve: limits.reserve,
    onSent: (length) => service.observer.streamSent?.(length),
  }
  const parameters = new URLSearchParams(target.search)
  const polled = parameters.get('s')
  if (polled !== null) {
    const session = sessionsOf(application).find(polled)
    return replyOf(exchange, session === undefined ? resetting(exchange) : new UpgradeSocket(session, parts))
  }
  const session = await openSession(exchange, parameters.get('ls'))
  try {
    return replyOf(exchange, new Socket(session, parts))
  } catch (error) {
    session.close()
    throw error
  }
}

/** @throws `sockets-not-offered` when the connection is gone or cannot become a socket */
function replyOf(exchange: Exchange, data: object): Response {
  const reply = upgraded(exchange, data)
  if (reply === undefined) throw new DholeError('sockets-not-offered')
  return reply
}
