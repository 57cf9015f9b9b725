import { DholeError } from '../../error.ts'
import { defaultStreams } from '../../hub/hub.ts'
import type { Exchange } from '../exchange.ts'
import type { ClientPlace } from './identity.ts'
import { Session } from './session.ts'
import { sessionsOf } from './sessions.ts'
import { Socket } from './socket.ts'

const SWITCHING: ResponseInit = { status: 200 }

/**
 * Makes the connection of a request a WebSocket for SDKs. A session of the same client that is still open is ended first.
 * @throws `sockets-not-offered` for a request that asks for none, `quota`, `too-busy`
 * @see docs/reference/websocket.md
 */
export async function openSocket(exchange: Exchange): Promise<Response> {
  const { request, listener, application, target, limits, service } = exchange
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket' || listener?.upgrade === undefined) {
    throw new DholeError('sockets-not-offered')
  }
  const sessions = sessionsOf(application)
  const former = new URLSearchParams(target.search).get('ls')
  if (former !== null) await sessions.end(former)
  const leave = limits.enterStream(exchange, application.id)
  const { reserve } = limits
  const session = new Session({
    application,
    host: target.host,
    place: placeOf(exchange),
    reserve,
    maxWaiting: defaultStreams.maxWaiting,
    onFailed: (error) => exchange.reportFailure(error),
    onEnded: () => {
      leave()
      sessions.remove(session)
    },
  })
  sessions.add(session)
  const socket = new Socket(session, { reserve, onSent: (length) => service.observer.streamSent?.(length) })
  if (listener.upgrade(request, { data: socket as never })) return new Response(null, SWITCHING)
  session.close()
  throw new DholeError('sockets-not-offered')
}

/** Where a client is. Known now: a request that has become a socket has no address any more. */
function placeOf(exchange: Exchange): ClientPlace {
  const { application, request, transport } = exchange
  const isForeign = isRefused(() => transport.refuseForeign(request))
  return {
    address: transport.addressOf(exchange),
    isLocal: !isForeign && transport.isLocal(exchange),
    checkAnonymous: () => {
      if (isForeign && application.isLoopbackOnly && !application.database.hasOwnRules) {
        throw new DholeError('permission-denied')
      }
    },
  }
}

/** Whether a check refuses. */
function isRefused(check: () => void): boolean {
  try {
    check()
    return false
  } catch {
    return true
  }
}
