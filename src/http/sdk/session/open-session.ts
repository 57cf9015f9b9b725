import { DholeError } from '../../../error.ts'
import { defaultStreams } from '../../../hub/hub.ts'
import type { ConnectionCarrier } from '../../../observer.ts'
import type { Exchange } from '../../exchange.ts'
import { Connection } from '../connection/connection.ts'
import { endElsewhere } from '../on-disconnect/left-sessions.ts'
import type { ClientPlace } from './identity.ts'
import { type Dialect, FIREBASE } from './messages.ts'
import { Session } from './session.ts'
import { sessionsOf } from './sessions.ts'

/** How a client speaks. */
interface SessionForm {
  readonly carrier: ConnectionCarrier
  readonly dialect?: Dialect
}

/**
 * Opens a session for the client of a request. A former session of it that is still open is ended first.
 * @throws `quota`, `too-busy`; `unavailable` when it is not known whether the former one has left something to be written
 */
export async function openSession(
  exchange: Exchange,
  former: string | null,
  { carrier, dialect = FIREBASE }: SessionForm,
): Promise<Connection> {
  const { application, target, limits, service } = exchange
  // Known now: a request that has become a socket has no address any more.
  const place = placeOf(exchange)
  const sessions = sessionsOf(application)
  if (former !== null && !(await sessions.end(former))) await endElsewhere(application.database, former)
  const leave = limits.enterSocket(exchange, application.id)
  const { maxListens, ratePerSocket, byteRatePerSocket, maxSocketBytes } = limits.settings
  const connection = new Connection(service, { applicationId: application.id, address: place.address, carrier })
  connection.session = new Session({
    application,
    host: target.host,
    dialect,
    place,
    streams: connection,
    reserve: limits.reserve,
    maxWaiting: defaultStreams.maxWaiting,
    maxListens,
    pace: { messages: ratePerSocket, bytes: byteRatePerSocket },
    maxWaitingBytes: maxSocketBytes,
    onAnswered: (status) => service.observer.messageAnswered?.(status),
    onFailed: (error) => exchange.reportFailure(error),
    onEnded: () => {
      leave()
      sessions.remove(connection)
      connection.ended()
    },
  })
  sessions.add(connection)
  return connection
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
