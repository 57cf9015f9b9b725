import type { ConnectionCarrier, EndedConnection, Observer } from '../../../observer.ts'
import type { OpenStreams } from '../../streams/open-streams.ts'
import type { Session } from '../session/session.ts'
import type { ConnectionFacts, OpenConnections } from './open-connections.ts'

/** What connections share. */
interface ConnectionService {
  readonly observer: Observer
  readonly streams: OpenStreams
  readonly connections: OpenConnections
}

type Stream = Parameters<OpenStreams['add']>[0]

/** The connection of one session, as lists, metrics and the log have it. A session keeps it when it changes its carrier. */
export class Connection implements ConnectionFacts {
  readonly since = Date.now()
  readonly applicationId: string
  readonly address: string | undefined
  carrier: ConnectionCarrier
  listens = 0
  messagesReceived = 0
  messagesSent = 0
  bytesReceived = 0
  bytesSent = 0
  readonly #service: ConnectionService
  readonly #number: number
  #session: Session | undefined
  #cause: EndedConnection['cause'] | undefined
  #reason = ''

  constructor(service: ConnectionService, facts: Pick<ConnectionFacts, 'applicationId' | 'address' | 'carrier'>) {
    this.#service = service
    this.applicationId = facts.applicationId
    this.address = facts.address
    this.carrier = facts.carrier
    this.#number = service.connections.add(this)
    service.observer.connectionOpened?.(this.carrier)
  }

  /** The session. Must be set before anything else is used. */
  set session(session: Session) {
    this.#session = session
  }

  get session(): Session {
    if (this.#session === undefined) throw new Error('the connection has no session yet')
    return this.#session
  }

  get uid(): string | undefined {
    return this.#session?.uid
  }

  /** The operator ends it. */
  end(): void {
    this.session.end()
  }

  /** A message of the client has come. @param bytes in the form in which it came */
  received(bytes: number): void {
    this.messagesReceived++
    this.bytesReceived += bytes
    this.#service.observer.messageReceived?.(bytes)
  }

  /** A message was passed to the client. */
  sent(bytes: number): void {
    this.messagesSent++
    this.bytesSent += bytes
    this.#service.observer.messageSent?.(bytes)
  }

  /** The session is carried in another way from now on. */
  changeCarrier(carrier: ConnectionCarrier): void {
    this.#service.observer.carrierChanged?.(this.carrier, carrier)
    this.carrier = carrier
  }

  /** Why the connection ends. The first cause counts. */
  endsFor(cause: EndedConnection['cause'], reason = ''): void {
    if (this.#cause !== undefined) return
    this.#cause = cause
    this.#reason = reason
  }

  /** The session has ended. */
  ended(): void {
    const { applicationId, address, carrier, since } = this
    const { connections, observer } = this.#service
    connections.delete(this.#number)
    observer.connectionEnded?.({
      ...{ applicationId, address, carrier, cause: this.#cause ?? 'away', reason: this.#reason },
      ...{ milliseconds: Date.now() - since, bytesIn: this.bytesReceived, bytesOut: this.bytesSent },
    })
  }

  /** Enters a listen in the list of open streams. @returns its number, for `delete` */
  add(listen: Stream): number {
    this.listens++
    this.#service.observer.listenOpened?.()
    return this.#service.streams.add(listen)
  }

  /** A listen has ended. Does nothing for 0, the number of one that was not entered. */
  delete(number: number): void {
    if (number === 0) return
    this.listens--
    this.#service.observer.listenClosed?.()
    this.#service.streams.delete(number)
  }
}
