import { Elysia } from 'elysia'
import { networkOf } from '../auth/network.ts'
import { DholeError } from '../error.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import type { AdminService } from './admin/admin-service.ts'
import { Sessions } from './admin/sessions.ts'
import { namesLoopback } from './connection/own-machine.ts'
import type { Listener } from './connection/peer.ts'
import { DOCUMENT_PATHS, documentsOf } from './docs/docs.ts'
import { Exchange, type Service } from './exchange.ts'
import { FairQueue } from './limits/fair-queue.ts'
import { discardBody } from './request/body.ts'
import { confirmClose, preflightReply } from './response/reply.ts'
import { addTrace } from './rest/auth-debug.ts'
import { Destinations, ENDPOINTS, OUTSIDE } from './routing/endpoints.ts'
import { NO_TARGET } from './url/target.ts'

export interface RoutesOptions extends Omit<Service, 'documents' | 'admin'> {
  /** What the admin API is made of; `undefined` where it is not served. */
  readonly admin: AdminService | undefined
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
  readonly #turns: FairQueue<Exchange, Response>

  constructor(options: RoutesOptions) {
    const { prefix, docs, metrics, applications, admin: service } = options
    const admin = service && { service, sessions: new Sessions(applications, service) }
    const documents = docs ? documentsOf(prefix, metrics !== undefined, ENDPOINTS, service?.operations) : undefined
    this.#service = { ...options, documents, admin }
    this.#destinations = new Destinations(prefix)
    this.#turns = new FairQueue({
      connection: (exchange) => exchange.transport.ownConnectionOf(exchange),
      network: (exchange) => networkOf(exchange.transport.addressOf(exchange) ?? ''),
      answer: (exchange) => (exchange.request.signal.aborted ? this.#drop(exchange) : this.#answer(exchange)),
    })
  }

  /** @param listener `null` where the request came by no connection */
  handle(request: Request, listener: Listener | null): Awaitable<Response> {
    const exchange = new Exchange(this.#service, request, listener, OUTSIDE)
    return this.#turns.isOver(exchange) ? this.#turns.later(exchange) : this.#answer(exchange)
  }

  /** Ends a request that was aborted while it waited. */
  #drop(exchange: Exchange): Response {
    this.#locate(exchange)
    const reply = new Response(null, ABORTED)
    exchange.reportReply(reply)
    return reply
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

  #locate(exchange: Exchange): void {
    const { target, endpoint } = this.#destinations.of(exchange.request.url)
    exchange.locate(target, endpoint)
  }

  #reply(exchange: Exchange): Awaitable<Response> {
    this.#locate(exchange)
    const { target, endpoint, transport } = exchange
    if (target === NO_TARGET) throw new DholeError('json-suffix-missing')
    const isPreflight = exchange.method === 'OPTIONS'
    exchange.isSecure = transport.isSecure(target, exchange)
    if (!exchange.isSecure && (isPreflight || endpoint.isPlain !== true)) throw new DholeError('https-required')
    if (isPreflight) return endpoint.options?.(exchange) ?? preflightReply()
    return endpoint.answer(exchange)
  }

  /** Reads what is left of the body first: over HTTP/2 a reply that precedes the end of its request can be lost. */
  #finish(exchange: Exchange, reply: Response): Awaitable<Response> {
    const { request, limits } = exchange
    exchange.endWork()
    if (!exchange.mayHaveBody || request.bodyUsed || limits.isCrowded) return this.#complete(exchange, reply)
    return discardBody(exchange).then(() => this.#complete(exchange, reply))
  }

  #complete(exchange: Exchange, reply: Response): Response {
    if (exchange.trace !== undefined) addTrace(exchange.trace, reply)
    exchange.reportReply(reply)
    const { strictTransport } = this.#service
    if (strictTransport !== undefined && exchange.isSecure && !namesLoopback(exchange.request)) {
      reply.headers.set('Strict-Transport-Security', strictTransport)
    }
    return confirmClose(exchange.request, reply)
  }
}

/** The reply to a request that failed. */
function refusal(exchange: Exchange, thrown: unknown): Response {
  return exchange.endpoint.errors.reply(exchange, exchange.reportError(thrown))
}

/** What the plugin is made of. */
export interface TreePluginOptions {
  readonly routes: Routes
  /** Path it is mounted under, without a slash at the end. */
  readonly prefix: string
  /** Whether the documents are served. */
  readonly docs: boolean
  /** Called when the host stops. */
  readonly onStop: () => Promise<void>
}

/**
 * Passes every path below the prefix to the routes. They read the request themselves: bodies are JSON whatever their
 * type, and paths keep their percent escapes.
 */
export function treePlugin({ routes, prefix, docs, onStop }: TreePluginOptions): Elysia {
  // The framework drops the hooks of plugins that look like copies of another; the seed makes this one distinct.
  const tree = new Elysia({ name: 'dhole', seed: crypto.randomUUID(), prefix }).onStop(onStop)
  // The context has the listener too, but defines it anew for every request, and reads rarely need it.
  let host: Pick<Elysia, 'server'> | undefined
  tree.onStart((started) => {
    // Listeners only differ in whether they encrypt; with several, one that does not is kept.
    if (host?.server?.protocol !== 'http') host = started
  })
  // The framework awaits a handler whose source is a bare call, even when the reply is synchronous; not a conditional.
  const answer = ({ request }: { request: Request }) =>
    host === undefined ? routes.handle(request, null) : routes.handle(request, host.server)
  const hook = { parse: 'none', detail: { hide: true } } as const
  // Named one by one, the documents are found whatever path the framework reads out of a URL.
  if (docs) for (const path of DOCUMENT_PATHS) if (path !== '') tree.get(path, answer, hook)
  return tree.all('/*', answer, hook) as unknown as Elysia
}
