import type { Elysia } from 'elysia'
import type { Certificate } from '../tls/certificate.ts'
import { ListeningSocket } from './listening-socket.ts'

/** A listener of the runtime. */
export type Listening = NonNullable<Elysia['server']>

/**
 * Listens with a certificate.
 * @param port 0 for a free one
 * @param shared whether others may listen there too
 * @throws Error when the port is in use, or nobody can listen with this certificate
 */
export type Listen = (certificate: Certificate, port: number, shared: boolean) => Listening

/** A connection that the system has begun for the old listener is there by then, also if a packet was lost. */
const ARRIVAL_MS = 3000
/** Old listeners that may still have connections; beyond that the oldest is ended. */
const MOST_RETIRED = 4

/**
 * The listener on the encrypted port. Nobody can give a listener another certificate, so a second one is put beside it
 * on the same port. The system is told to hand it every new connection; the first one serves those that it has.
 * @see docs/explanation/server.md#renewing-the-certificate
 */
export class SecureListener {
  readonly #listen: Listen
  readonly #arrivalMs: number
  #current: Listening
  #socket: ListeningSocket | undefined
  #certificate: Certificate
  /** In the order in which they were current. */
  readonly #retired = new Set<Listening>()
  #changing: Promise<unknown> = Promise.resolve()
  readonly #stopped = Promise.withResolvers<void>()
  #stopping = false

  /**
   * @param arrivalMs how long an old listener still takes connections that were on their way to it
   * @throws Error as `listen` does
   */
  constructor(certificate: Certificate, port: number, listen: Listen, arrivalMs = ARRIVAL_MS) {
    this.#listen = listen
    this.#arrivalMs = arrivalMs
    this.#certificate = certificate
    // Not shared: a port that another process has is an error, and none may join before we ask it to.
    this.#current = listen(certificate, port, false)
  }

  get url(): URL {
    return this.#current.url
  }

  /**
   * New connections see this certificate from the moment this returns; one that is in use already changes nothing.
   * @returns whether it is another one
   * @throws Error when nobody can listen with it; the old one stays
   */
  renew(certificate: Certificate): Promise<boolean> {
    const renewed = this.#changing.then(() => this.#renew(certificate))
    // The old listener must have gone from the port before the next one comes: the system knows them by their places.
    this.#changing = renewed.then(
      (old) => old && this.#retire(old),
      () => {},
    )
    return renewed.then((old) => old !== undefined)
  }

  /** @returns the listener that was current before */
  #renew(certificate: Certificate): Listening | undefined {
    const { cert, key } = this.#certificate
    if (this.#stopping || (cert === certificate.cert && key === certificate.key)) return undefined
    const old = this.#current
    const port = Number(old.port)
    const socket = this.#socket ?? ListeningSocket.on(port)
    socket.letOthersIn()
    const fresh = this.#listen(certificate, port, true)
    this.#current = fresh
    this.#certificate = certificate
    this.#retired.add(old)
    this.#socket = undefined
    try {
      this.#socket = ListeningSocket.on(port, socket)
      this.#socket.sendAllTo(1)
    } catch {
      // Then the system goes on to share out connections until the old listener is gone, which is soon.
    }
    return old
  }

  /** Ends a listener once those that were on their way to it have arrived; its connections end by themselves. */
  async #retire(old: Listening): Promise<void> {
    const arrived = Promise.withResolvers<void>()
    const timer = setTimeout(arrived.resolve, this.#arrivalMs)
    await Promise.race([arrived.promise, this.#stopped.promise])
    clearTimeout(timer)
    old.stop().then(() => this.#retired.delete(old))
    const [oldest] = this.#retired
    if (this.#retired.size > MOST_RETIRED && oldest !== undefined) {
      this.#retired.delete(oldest)
      await oldest.stop(true)
    }
  }

  /**
   * Takes no new connections. Resolves when the last one has ended, of old listeners too.
   * @param now breaks them off
   */
  async stop(now = false): Promise<void> {
    this.#stopping = true
    this.#stopped.resolve()
    // In this very turn: streams that have just been ended must find their listener stopping, or it goes on to wait for
    // whoever does not read.
    const stopped = this.#stopAll(now)
    await this.#changing
    await Promise.all([stopped, this.#stopAll(now)])
  }

  #stopAll(now: boolean): Promise<unknown> {
    return Promise.all([this.#current, ...this.#retired].map((listener) => listener.stop(now)))
  }
}
