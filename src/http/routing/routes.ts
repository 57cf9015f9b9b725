import type { Application } from '../../applications/application.ts'
import { Stay } from '../../applications/stay.ts'
import { networkOf } from '../../auth/network.ts'
import { DholeError } from '../../error.ts'
import type { Observer } from '../../observer.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { confirmClose } from '../connection/connection-close.ts'
import { namesLoopback } from '../connection/own-machine.ts'
import type { Listener, Transport } from '../connection/transport.ts'
import type { ClientLimits } from '../limits/client-limits.ts'
import { FairQueue } from '../limits/fair-queue.ts'
import { discardBody } from '../request/body.ts'
import { isText } from '../request/body-size.ts'
import type { Origin } from '../request/caller.ts'
import { speaksFirebase } from '../request/dialect.ts'
import { methodOf } from '../request/method.ts'
import { withRequestId } from '../request/request-id.ts'
import { allowedMethods, errorReply, knownError } from '../response/error-reply.ts'
import { type Dress, preflightReply } from '../response/reply.ts'
import { withStrictTransport } from '../response/strict-transport.ts'
import { DataRoutes, type DataRoutesOptions } from '../rest/data-routes.ts'
import { answerSettings, isSettings } from '../rest/settings-routes.ts'
import { exchangeToken, isTokenExchange, tokenRefusal } from '../rest/token-route.ts'
import { isSms, SmsRoutes, type SmsRoutesOptions } from '../sms/sms-routes.ts'
import { answerSystem, isSystem, type SystemRoutesOptions } from '../system/system-routes.ts'
import { isCallbackName, NO_RAW_PARAMETERS, type RawParameters } from '../url/parameters.ts'
import { splitTarget, type Target } from '../url/target.ts'
import { KeptTargets } from '../url/target-cache.ts'
import { AnsweredRequest } from './answered-request.ts'
import { operationOf } from './operation.ts'

/** What the routes need to answer. */
export interface RoutesOptions extends DataRoutesOptions, SmsRoutesOptions, SystemRoutesOptions {
  readonly transport: Transport
  readonly limits: ClientLimits
  readonly observer: Observer
  /** Path the routes are mounted under, without a slash at the end. */
  readonly prefix: string
  /** Value of the header `Strict-Transport-Security` of answers over TLS; `undefined`: not sent. */
  readonly strictTransport: string | undefined
}

const OK = 200
/** Where SDKs of Firebase and Wilddog open a WebSocket, or poll. */
const SOCKETS: ReadonlySet<string> = new Set(['/.ws', '/.lp'])
/** Thrown for hundreds of requests at once, so it is made but once. */
const TOO_BUSY = new DholeError('too-busy')
/** Of what nobody gets any more; told to observers alone. */
const BROKEN_OFF: ResponseInit = { status: 499 }

/**
 * Takes every request below the prefix to where it is answered.
 * @see docs/reference/protocol.md#methods
 */
export class Routes {
  readonly #options: RoutesOptions
  readonly #data: DataRoutes
  readonly #sms: SmsRoutes
  readonly #targets: KeptTargets
  readonly #turns = new FairQueue<Response>()

  constructor(options: RoutesOptions) {
    this.#options = options
    this.#targets = new KeptTargets(options.prefix)
    this.#data = new DataRoutes(options, ({ request, target, application }, thrown) =>
      this.#error(request, thrown, target.raw, application),
    )
    this.#sms = new SmsRoutes(options, (request, error) => this.#refused(request, error))
  }

  /** @param listener asked who is speaking, only when the request itself does not tell */
  handle(request: Request, listener: Listener | null): Awaitable<Response> {
    return this.#finished(request, listener, this.#inTurn(request, listener))
  }

  /** Adds the headers that belong to the connection and not to the answer. */
  #finished(request: Request, listener: Listener | null, reply: Awaitable<Response>): Awaitable<Response> {
    const { strictTransport } = this.#options
    const isPromised = strictTransport !== undefined && this.#promisesTls(request, listener)
    return confirmClose(request, isPromised ? withStrictTransport(reply, strictTransport) : reply)
  }

  /** Whether a browser may be told to use nothing but TLS: a name of loopback is shared with servers of other ports. */
  #promisesTls(request: Request, listener: Listener | null): boolean {
    const target = this.#targetOf(request)
    return (
      target !== undefined && this.#options.transport.isSecure(target, request, listener) && !namesLoopback(request)
    )
  }

  #inTurn(request: Request, listener: Listener | null): Awaitable<Response> {
    const startedAt = performance.now()
    if (!this.#turns.isOver()) return this.#timed(request, listener, this.#handle(request, listener), startedAt)
    const { transport } = this.#options
    return this.#turns.later({
      connection: () => transport.ownConnectionOf(request, listener),
      network: () => networkOf(transport.addressOf(request, listener) ?? ''),
      answer: () => {
        // Nobody waits for the answer to what was broken off meanwhile, and nothing of it was promised.
        const reply = request.signal.aborted ? new Response(null, BROKEN_OFF) : this.#handle(request, listener)
        return this.#timed(request, listener, reply, startedAt)
      },
    })
  }

  /** Answers with a document, where data would be told too: over TLS. */
  document(request: Request, listener: Listener | null, make: () => Awaitable<Response>): Awaitable<Response> {
    const startedAt = performance.now()
    const reply = this.#document(request, listener, make)
    return this.#finished(request, listener, this.#timed(request, listener, reply, startedAt))
  }

  #timed(
    request: Request,
    listener: Listener | null,
    reply: Awaitable<Response>,
    startedAt: number,
  ): Awaitable<Response> {
    if (this.#options.observer.requestEnded === undefined) return reply
    if (!(reply instanceof Promise)) return this.#told(request, listener, reply, startedAt)
    return reply.then((answered) => this.#told(request, listener, answered, startedAt))
  }

  /** Tells the observer how a request has ended. */
  #told(request: Request, listener: Listener | null, reply: Response, startedAt: number): Response {
    const { observer, transport } = this.#options
    const mayStream = reply.status !== OK || !isText(reply)
    const operation = operationOf(request, this.#targetOf(request), mayStream)
    const milliseconds = performance.now() - startedAt
    observer.requestEnded?.(new AnsweredRequest(request, listener, transport, { operation, reply, milliseconds }))
    return reply
  }

  #handle(request: Request, listener: Listener | null): Awaitable<Response> {
    const reply = this.#reply(request, listener)
    if (mayHaveBody(request) && !request.bodyUsed && !this.#options.limits.isCrowded) {
      return this.#afterBody(request, listener, reply)
    }
    return reply
  }

  async #afterBody(request: Request, listener: Listener | null, reply: Awaitable<Response>): Promise<Response> {
    const answered = await reply
    await discardBody({ request, listener, limits: this.#options.limits })
    return answered
  }

  #reply(request: Request, listener: Listener | null): Awaitable<Response> {
    const { transport, limits } = this.#options
    let raw: RawParameters = NO_RAW_PARAMETERS
    try {
      const target = this.#targets.of(request.url)
      const isSecure = transport.isSecure(target, request, listener)
      const origin: Origin = { request, listener, transport, limits }
      // Whoever watches over the service is answered also when clients ask too much of it.
      if (isSystem(target.rawPath) && request.method !== 'OPTIONS') return this.#system(origin, target, isSecure)
      if (!isSecure) throw new DholeError('https-required')
      if (request.method === 'OPTIONS') return preflightReply()
      if (isSms(target.rawPath)) return this.#sms.answer(origin, target)
      raw = target.raw
      if (mayHaveBody(request) && limits.refusesBody(origin)) throw TOO_BUSY
      const reply = limits.within(origin, () => this.#choose(origin, target))
      return reply instanceof Promise ? reply.catch((thrown) => this.#error(request, thrown, raw)) : reply
    } catch (thrown) {
      return this.#error(request, thrown, raw)
    }
  }

  #document(request: Request, listener: Listener | null, make: () => Awaitable<Response>): Awaitable<Response> {
    try {
      const target = this.#targets.of(request.url)
      if (!this.#options.transport.isSecure(target, request, listener)) throw new DholeError('https-required')
      const reply = make()
      if (!(reply instanceof Promise)) return reply
      return reply.catch((thrown) => this.#error(request, thrown, NO_RAW_PARAMETERS))
    } catch (thrown) {
      return this.#error(request, thrown, NO_RAW_PARAMETERS)
    }
  }

  #system(origin: Origin, target: Target, isSecure: boolean): Awaitable<Response> {
    const reply = answerSystem(this.#options, origin, target, isSecure)
    if (!(reply instanceof Promise)) return reply
    return reply.catch((thrown) => this.#error(origin.request, thrown, NO_RAW_PARAMETERS))
  }

  #choose(origin: Origin, target: Target): Awaitable<Response> {
    const { raw, host, rawPath } = target
    // Clients of these protocols name an application of their own; which one does not matter.
    if (SOCKETS.has(rawPath)) throw new DholeError('sockets-not-offered')
    const application = this.#options.applications.choose({ name: nameIn(raw), host })
    if (application instanceof Promise) return application.then((opened) => this.#answer(opened, origin, target))
    return this.#answer(application, origin, target)
  }

  /** What takes its time keeps the application open, but for the time in which a body is awaited. */
  #answer(application: Application, origin: Origin, target: Target): Awaitable<Response> {
    if (mayHaveBody(origin.request)) return this.#answerBody(application, origin, target)
    try {
      const reply = origin.limits.withinApplication(application.id, () => this.#route(application, origin, target))
      if (!(reply instanceof Promise)) return reply
      const refusal = (thrown: unknown) => this.#error(origin.request, thrown, target.raw, application)
      return reply.catch(refusal).finally(application.hold())
    } catch (thrown) {
      return this.#error(origin.request, thrown, target.raw, application)
    }
  }

  async #answerBody(application: Application, origin: Origin, target: Target): Promise<Response> {
    const stay = new Stay(this.#options.applications, application)
    const { request, listener, transport, limits } = origin
    const route = () => this.#route(application, { request, listener, transport, limits, stay }, target)
    try {
      return await limits.withinApplication(application.id, route)
    } catch (thrown) {
      return this.#error(request, thrown, target.raw, application)
    } finally {
      stay.end()
    }
  }

  #route(application: Application, origin: Origin, target: Target): Awaitable<Response> {
    const { rawPath, raw } = target
    if (isTokenExchange(rawPath)) {
      return exchangeToken(rawPath, raw, application, origin, (error) => this.#refused(origin.request, error))
    }
    if (isSettings(rawPath)) return answerSettings(rawPath, raw, application, origin)
    const { request, listener, transport, limits, stay } = origin
    return this.#data.answer({ request, listener, transport, limits, stay, application, target })
  }

  #error(request: Request, thrown: unknown, raw: RawParameters, application?: Application): Response {
    const error = knownError(thrown)
    if (error.code === 'internal') this.#options.onUnforeseen(request, thrown)
    this.#refused(request, error)
    if (error.code === 'quota' && isTokenExchange(this.#pathOf(request))) return tokenRefusal(error, request)
    const isFirebase = speaksFirebase(request, raw) || application?.database.profile === 'firebase'
    const allowed = error.code === 'method-not-allowed' ? this.#allowed(request) : undefined
    return withRequestId(errorReply(error, dressOf(request, raw), isFirebase, allowed), request)
  }

  #refused(request: Request, { code }: DholeError): void {
    const { observer } = this.#options
    observer.requestRefused?.(operationOf(request, this.#targetOf(request), true), code)
  }

  /** `undefined` where the path is none below the mount point. */
  #targetOf({ url }: Request): Target | undefined {
    try {
      return this.#targets.of(url)
    } catch {
      return undefined
    }
  }

  #allowed(request: Request): string {
    return allowedMethods(this.#pathOf(request))
  }

  #pathOf({ url }: Request): string {
    return splitTarget(url, this.#options.prefix).rawPath
  }
}

/** Bodies of other requests are so rare that looking for one is not worth it. */
function mayHaveBody({ method }: Request): boolean {
  return method !== 'GET' && method !== 'HEAD'
}

/** Name of the application: `ns` is that of Firebase's clients, and marks a request as theirs. */
function nameIn({ values }: RawParameters): string | undefined {
  return values['app'] ?? values['ns']
}

/** What of the raw parameters an error can be dressed with: only what a success would have worn. */
function dressOf(request: Request, raw: RawParameters): Dress {
  const { callback, print } = raw.values
  const wrapped = callback !== undefined && isCallbackName(callback) && isRead(request, raw)
  return { callback: wrapped ? callback : undefined, print }
}

function isRead(request: Request, raw: RawParameters): boolean {
  try {
    return methodOf(request, raw) === 'GET'
  } catch {
    return false
  }
}
