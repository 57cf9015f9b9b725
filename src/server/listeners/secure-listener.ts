import type { Elysia } from 'elysia'
import type { Certificate } from '../tls/certificate.ts'
import { ListeningSocket } from './listening-socket.ts'

/** A listener of the runtime. */
export type Listening = NonNullable<Elysia['server']>

/**
 * Listens with a certificate.
 * @param port 0 for a free one
 * @param shared allows other sockets on the same port
 * @throws Error when the port is in use or the certificate is wrong
 */
export type Listen = (certificate: Certificate, port: number, shared: boolean) => Listening

/** Maximum time until a connection that the system has assigned to the old listener arrives, even with a lost packet. */
const ARRIVAL_MS = 3000
/** Maximum old listeners with open connections; the oldest is stopped beyond that. */
const MAX_RETIRED = 4

/**
 * The HTTPS listener. The certificate of a listener cannot be changed, so a renewal opens a second listener on the same
 * port. The system sends every new connection to the second one; the first one serves its open connections.
 * @see docs/explanation/server.md#renewing-the-certificate
 */
export class SecureListener {
  readonly #listen: Listen
  readonly #arrivalMs: number
  #current: Listening
  #socket: ListeningSocket | undefined
  #certificate: Certificate
  /** Old listeners, oldest first. */
  readonly #retired = new Set<Listening>()
  #changing: Promise<unknown> = Promise.resolve()
  readonly #stopped = Promise.withResolvers<void>()
  #stopping = false

  /**
   * @param arrivalMs how long an old listener accepts connections that were assigned to it
   * @throws Error as `listen`
   */
  constructor(certificate: Certificate, port: number, listen: Listen, arrivalMs = ARRIVAL_MS) {
    this.#listen = listen
    this.#arrivalMs = arrivalMs
    this.#certificate = certificate
    // Not shared: a port of another process is an error, and no other process may join.
    this.#current = listen(certificate, port, false)
  }

  get url(): URL {
    return this.#current.url
  }

  /**
   * Uses a certificate for all new connections from the moment this resolves.
   * @returns whether the certificate has changed
   * @throws Error when the certificate is wrong; the old one stays
   */
  renew(certificate: Certificate): Promise<boolean> {
    const renewed = this.#changing.then(() => this.#renew(certificate))
    // The old listener must leave the port before the next renewal: the system identifies listeners by their index.
    this.#changing = renewed.then(
      (old) => old && this.#retire(old),
      () => {},
    )
    return renewed.then((old) => old !== undefined)
  }

  /** @returns the previous listener; `undefined` without a change */
  #renew(certificate: Certificate): Listening | undefined {
    const { cert, key } = this.#certificate
    if (this.#stopping || (cert === certificate.cert && key === certificate.key)) return undefined
    const old = this.#current
    const port = Number(old.port)
    const socket = this.#socket ?? ListeningSocket.on(port)
    socket.sharePort()
    const fresh = this.#listen(certificate, port, true)
    this.#current = fresh
    this.#certificate = certificate
    this.#retired.add(old)
    this.#socket = undefined
    try {
      this.#socket = ListeningSocket.on(port, socket)
      this.#socket.sendAllTo(1)
    } catch {
      // The system distributes connections over both listeners until the old one stops, which is soon.
    }
    return old
  }

  /** Stops an old listener after its assigned connections have arrived. Open connections end by themselves. */
  async #retire(old: Listening): Promise<void> {
    const arrived = Promise.withResolvers<void>()
    const timer = setTimeout(arrived.resolve, this.#arrivalMs)
    await Promise.race([arrived.promise, this.#stopped.promise])
    clearTimeout(timer)
    old.stop().then(() => this.#retired.delete(old))
    const [oldest] = this.#retired
    if (this.#retired.size > MAX_RETIRED && oldest !== undefined) {
      this.#retired.delete(oldest)
      await oldest.stop(true)
    }
  }

  /**
   * Accepts no new connections. Resolves when the last connection of every listener has ended.
   * @param now aborts the open connections
   */
  async stop(now = false): Promise<void> {
    this.#stopping = true
    this.#stopped.resolve()
    // In the same turn of the event loop: streams that have just ended must find their listener stopping, or it waits for
    // clients that do not read.
    const stopped = this.#stopAll(now)
    await this.#changing
    await Promise.all([stopped, this.#stopAll(now)])
  }

  #stopAll(now: boolean): Promise<unknown> {
    return Promise.all([this.#current, ...this.#retired].map((listener) => listener.stop(now)))
  }
}
