import { DholeError } from '../../error.ts'
import { defaultStreams } from '../../hub/hub.ts'
import type { Exchange } from '../exchange.ts'
import { Connection } from './connection.ts'
import { sessionsOf } from './sessions.ts'

const SWITCHING: ResponseInit = { status: 200 }

/**
 * Makes the connection of a request a WebSocket for SDKs. A session of the same client that is still open is ended first.
 * @throws `sockets-not-offered` for a request that asks for none, `quota`, `too-busy`
 * @see docs/reference/websocket.md
 */
export async function openSocket(exchange: Exchange): Promise<Response> {
  const { request, listener, application, target, transport, limits, service } = exchange
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket' || listener?.upgrade === undefined) {
    throw new DholeError('sockets-not-offered')
  }
  const sessions = sessionsOf(application)
  const former = new URLSearchParams(target.search).get('ls')
  if (former !== null) await sessions.end(former)
  const leave = limits.enterStream(exchange, application.id)
  const isForeign = isFrom(() => transport.refuseForeign(request))
  const isLocal = transport.isLocal(exchange)
  const connection = new Connection({
    application,
    host: target.host,
    address: transport.addressOf(exchange),
    isLocal: () => isLocal && !isForeign,
    checkAnonymous: () => {
      const isRefused = isForeign && application.isLoopbackOnly && !application.database.hasOwnRules
      if (isRefused) throw new DholeError('permission-denied')
    },
    reserve: limits.reserve,
    maxWaiting: defaultStreams.maxWaiting,
    onSent: (bytes) => service.observer.streamSent?.(bytes),
    onFailed: (error) => exchange.reportFailure(error),
    onEnded: () => {
      leave()
      sessions.remove(connection)
    },
  })
  sessions.add(connection)
  if (listener.upgrade(request, { data: connection as never })) return new Response(null, SWITCHING)
  connection.close()
  throw new DholeError('sockets-not-offered')
}

/** Whether a check refuses. */
function isFrom(check: () => void): boolean {
  try {
    check()
    return false
  } catch {
    return true
  }
}
