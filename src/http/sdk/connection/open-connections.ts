import type { ConnectionCarrier } from '../../../observer.ts'
import { OpenList } from '../../streams/open-list.ts'

/** What is known of a connection of an SDK. Members are computed on access. */
export interface ConnectionFacts {
  readonly applicationId: string
  /** What carries it now. */
  readonly carrier: ConnectionCarrier
  /** When it was opened, in milliseconds since 1970. */
  readonly since: number
  readonly address: string | undefined
  /** `auth.uid` of the caller. */
  readonly uid: string | undefined
  /** Number of its listens. */
  readonly listens: number
  /** Messages and bytes in both directions. */
  readonly messagesReceived: number
  readonly messagesSent: number
  readonly bytesReceived: number
  readonly bytesSent: number
}

/** A connection in a list; see `ConnectionFacts`. */
interface ListedConnection extends Omit<ConnectionFacts, 'applicationId' | 'address' | 'uid'> {
  readonly id: string
  readonly application: string
  readonly address?: string
  readonly uid?: string
}

interface ConnectionList {
  /** Number of all. */
  readonly total: number
  readonly connections: ListedConnection[]
}

/** A connection that can be ended. */
interface EndableConnection extends ConnectionFacts {
  end(): void
}

/** The open connections of SDKs, oldest first. All listeners of a service share one. */
export class OpenConnections {
  readonly #connections = new OpenList<EndableConnection>()

  /** @returns the number of the connection, for `delete` */
  add(connection: EndableConnection): number {
    return this.#connections.add(connection)
  }

  /** The connection has ended. */
  delete(number: number): void {
    this.#connections.delete(number)
  }

  /** The first open connections, and the number of all. @param applicationId only those of one application */
  async list(applicationId: string | undefined, limit: number): Promise<ConnectionList> {
    const { total, listed: connections } = await this.#connections.list(applicationId, limit, listed)
    return { total, connections }
  }

  /**
   * Ends a connection; its client may connect again.
   * @param applicationId only when it is one of that application
   * @returns whether there is such a connection
   */
  end(id: string, applicationId?: string): boolean {
    const connection = this.#connections.find(id, applicationId)
    connection?.end()
    return connection !== undefined
  }
}

function listed(number: number, connection: ConnectionFacts): ListedConnection {
  const { applicationId: application, carrier, since, address, uid, listens } = connection
  const { messagesReceived, messagesSent, bytesReceived, bytesSent } = connection
  return {
    ...{ id: String(number), application, carrier, since, listens },
    ...{ messagesReceived, messagesSent, bytesReceived, bytesSent },
    ...(address === undefined ? {} : { address }),
    ...(uid === undefined ? {} : { uid }),
  }
}
