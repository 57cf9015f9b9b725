import { Applications } from '../../src/applications/applications.ts'
import { OwnMachine } from '../../src/http/connection/own-machine.ts'
import type { Listener } from '../../src/http/connection/peer.ts'
import { Transport } from '../../src/http/connection/transport.ts'
import { Exchange, type Service } from '../../src/http/exchange.ts'
import { ClientLimits } from '../../src/http/limits/client-limits.ts'
import { Destinations } from '../../src/http/routing/endpoints.ts'
import { OpenConnections } from '../../src/http/sdk/connection/open-connections.ts'
import { OpenStreams } from '../../src/http/streams/open-streams.ts'
import { silentObserver } from '../../src/observer.ts'

const destinations = new Destinations('')

/** What the requests of tests share: no application, no limits that matter. */
export function bareService(parts: Partial<Service> = {}): Service {
  return {
    applications: new Applications({
      find: () => undefined,
      defaultId: undefined,
      baseDomain: undefined,
      idleMs: Number.POSITIVE_INFINITY,
      maxOpen: 0,
      onError: () => {},
    }),
    transport: new Transport([], new OwnMachine()),
    limits: new ClientLimits(),
    streams: new OpenStreams(),
    connections: new OpenConnections(),
    observer: silentObserver,
    prefix: '',
    documents: undefined,
    admin: undefined,
    metrics: undefined,
    streamHost: undefined,
    strictTransport: undefined,
    ...parts,
  }
}

/** An exchange as the routes make it, outside of them. */
export function exchangeOf(request: Request, parts: Partial<Service> = {}, listener: Listener | null = null): Exchange {
  const { target, endpoint } = destinations.of(request.url)
  const exchange = new Exchange(bareService(parts), request, listener, endpoint)
  exchange.locate(target, endpoint)
  return exchange
}
