import { DholeError } from '../../../error.ts'
import { defaultStreams } from '../../../hub/hub.ts'
import type { Exchange } from '../../exchange.ts'
import type { ClientPlace } from './identity.ts'
import { type Dialect, FIREBASE } from './messages.ts'
import { Session } from './session.ts'
import { sessionsOf } from './sessions.ts'

/**
 * Opens a session for the client of a request. A former session of it that is still open is ended first.
 * @throws `quota`, `too-busy`
 */
export async function openSession(
  exchange: Exchange,
  former: string | null,
  dialect: Dialect = FIREBASE,
): Promise<Session> {
  const { application, target, limits, service } = exchange
  // Known now: a request that has become a socket has no address any more.
  const place = placeOf(exchange)
  const sessions = sessionsOf(application)
  if (former !== null) await sessions.end(former)
  const leave = limits.enterStream(exchange, application.id)
  const session = new Session({
    application,
    host: target.host,
    dialect,
    place,
    streams: service.streams,
    reserve: limits.reserve,
    maxWaiting: defaultStreams.maxWaiting,
    onFailed: (error) => exchange.reportFailure(error),
    onEnded: () => {
      leave()
      sessions.remove(session)
    },
  })
  sessions.add(session)
  return session
}

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
