import { networkOf } from '../../auth/network.ts'
import { DholeError } from '../../error.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { confirmClose } from '../connection/connection-close.ts'
import { namesLoopback } from '../connection/own-machine.ts'
import type { Listener } from '../connection/peer.ts'
import { documentsOf } from '../docs/docs.ts'
import { Exchange, type Service } from '../exchange.ts'
import { FairQueue } from '../limits/fair-queue.ts'
import { discardBody } from '../request/body.ts'
import { preflightReply } from '../response/reply.ts'
import { addTrace } from '../rest/auth-debug.ts'
import { NO_TARGET } from '../url/target.ts'
import { AnsweredRequest } from './answered-request.ts'
import { Destinations } from './destinations.ts'
import { ENDPOINTS, OUTSIDE } from './endpoints.ts'

export interface RoutesOptions extends Omit<Service, 'documents'> {
  /** Whether the documents are served. */
  readonly docs: boolean
}

/** Status of requests that were aborted while they waited; only observers see it. */
const ABORTED: ResponseInit = { status: 499 }

/**
 * Answers every request below the mount point: the one place that finds the endpoint, turns thrown errors into replies,
 * adds the headers of every reply and reports to the observer.
 * @see docs/reference/protocol.md#methods
 */
export class Routes {
  readonly #service: Service
  readonly #destinations: Destinations
  readonly #turns = new FairQueue<Response>()

  constructor(options: RoutesOptions) {
    const { prefix, docs, metrics } = options
    const documents = docs ? documentsOf(prefix, metrics !== undefined, ENDPOINTS) : undefined
    this.#service = { ...options, documents }
    this.#destinations = new Destinations(prefix)
  }

  /** @param listener `null` where the request came by no connection */
  handle(request: Request, listener: Listener | null): Awaitable<Response> {
    const exchange = new Exchange(this.#service, request, listener, OUTSIDE)
    return this.#turns.isOver() ? this.#later(exchange) : this.#answer(exchange)
  }

  #later(exchange: Exchange): Promise<Response> {
    const { request, transport } = exchange
    return this.#turns.later({
      connection: () => transport.ownConnectionOf(exchange),
      network: () => networkOf(transport.addressOf(exchange) ?? ''),
      answer: () => {
        if (!request.signal.aborted) return this.#answer(exchange)
        exchange.locate(this.#destinations.of(request.url))
        return this.#report(exchange, new Response(null, ABORTED))
      },
    })
  }

  #answer(exchange: Exchange): Awaitable<Response> {
    let reply: Awaitable<Response>
    try {
      reply = this.#reply(exchange)
    } catch (thrown) {
      reply = refusal(exchange, thrown)
    }
    if (!(reply instanceof Promise)) return this.#finish(exchange, reply)
    return reply.then(
      (answered) => this.#finish(exchange, answered),
      (thrown) => this.#finish(exchange, refusal(exchange, thrown)),
    )
  }

  #reply(exchange: Exchange): Awaitable<Response> {
    exchange.locate(this.#destinations.of(exchange.request.url))
    const { target, endpoint, transport } = exchange
    if (target === NO_TARGET) throw new DholeError('json-suffix-missing')
    const isPreflight = exchange.method === 'OPTIONS'
    exchange.isSecure = transport.isSecure(target, exchange)
    if (!exchange.isSecure && (isPreflight || endpoint.isPlain !== true)) throw new DholeError('https-required')
    return isPreflight ? preflightReply() : endpoint.answer(exchange)
  }

  /** Reads what is left of the body first: over HTTP/2 a reply that precedes the end of its request can be lost. */
  #finish(exchange: Exchange, reply: Response): Awaitable<Response> {
    const { request, limits } = exchange
    if (!exchange.mayHaveBody || request.bodyUsed || limits.isCrowded) return this.#complete(exchange, reply)
    return discardBody(exchange).then(() => this.#complete(exchange, reply))
  }

  #complete(exchange: Exchange, reply: Response): Response {
    addTrace(exchange, reply)
    this.#report(exchange, reply)
    const { strictTransport } = this.#service
    if (strictTransport !== undefined && exchange.isSecure && !namesLoopback(exchange.request)) {
      reply.headers.set('Strict-Transport-Security', strictTransport)
    }
    return confirmClose(exchange.request, reply)
  }

  #report(exchange: Exchange, reply: Response): Response {
    const { observer } = this.#service
    if (observer.requestEnded !== undefined) observer.requestEnded(new AnsweredRequest(exchange, reply))
    return reply
  }
}

/** The reply to a request that failed. */
function refusal(exchange: Exchange, thrown: unknown): Response {
  return exchange.endpoint.errors.reply(exchange, exchange.reportError(thrown))
}
