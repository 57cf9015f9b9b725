import type { Application } from '../applications/application.ts'
import type { Applications } from '../applications/applications.ts'
import type { Stay } from '../applications/stay.ts'
import { ANONYMOUS, type Caller } from '../auth/caller.ts'
import type { ReadOptions } from '../database/read-types.ts'
import type { DholeError } from '../error.ts'
import type { EndedRequest, Observer, Operation, Refusal } from '../observer.ts'
import type { Query } from '../query/query.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import type { Admission } from './admin/admission.ts'
import type { Connected, Listener, Peer } from './connection/peer.ts'
import type { Transport } from './connection/transport.ts'
import type { ClientLimits } from './limits/client-limits.ts'
import { refusalOf } from './response/refusal.ts'
import type { OpenConnections } from './sdk/connection/open-connections.ts'
import type { OpenStreams } from './streams/open-streams.ts'
import type { MetricsPage } from './system/metrics-page.ts'
import { loggedPath } from './url/logged-path.ts'
import { NO_TARGET, type Target } from './url/target.ts'

/** Everything that the requests of one mount point share. */
export interface Service {
  readonly applications: Applications
  readonly transport: Transport
  readonly limits: ClientLimits
  readonly streams: OpenStreams
  readonly connections: OpenConnections
  readonly observer: Observer
  /** Path of the mount point, without a slash at the end. */
  readonly prefix: string
  /** Answers of the documents by path; `undefined` where they are not served. */
  readonly documents: ReadonlyMap<string, Answer> | undefined
  /** Admin API; `undefined` where neither it nor the console is served. */
  readonly admin: Admission | undefined
  /** Served at `/metrics`; `undefined` leaves the path unknown. */
  readonly metrics: MetricsPage | undefined
  /** Origin that serves event streams, when it is another one. */
  readonly streamHost: string | undefined
  /** Value of the header `Strict-Transport-Security` of replies over TLS; `undefined` sends none. */
  readonly strictTransport: string | undefined
}

/** Answers a request; what it throws becomes an error reply. */
export type Answer = (exchange: Exchange) => Awaitable<Response>

/** How an endpoint words its errors. */
export interface ErrorFormat {
  /** Maps what was thrown to an error of the closed list. */
  readonly errorOf: (thrown: unknown) => DholeError
  readonly reply: (exchange: Exchange, error: DholeError) => Response
}

/** One row of the endpoint table. */
export interface Endpoint {
  /** Path below the mount point; `{app}` stands for one segment, `*` at the end for any rest. */
  readonly path: string
  /** Methods it takes, in the order of the header `Allow`; OPTIONS is taken everywhere. */
  readonly methods: readonly string[]
  /** Name that metrics count its requests under. */
  readonly operation: Operation | ((exchange: Exchange, mayStream: boolean) => Operation)
  readonly answer: Answer
  readonly errors: ErrorFormat
  /** The answer to OPTIONS. Default: pages of every origin may call. */
  readonly options?: (exchange: Exchange) => Response
  /** Whether it answers without encryption too, unless it refuses that itself. */
  readonly isPlain?: boolean
}

const OK = 200
const REQUEST_ID = 'X-Request-Id'
const GIVEN_ID = /^[A-Za-z0-9._-]{1,128}$/

/**
 * One request and everything that is known of it, from arrival to reply. All fields are set in the constructor, so that
 * every exchange has the same shape.
 */
export class Exchange implements Connected, ReadOptions, EndedRequest {
  readonly service: Service
  readonly request: Request
  readonly listener: Listener | null
  target: Target
  endpoint: Endpoint
  /** Method as sent. */
  readonly method: string
  readonly startedAt: number
  /** Whether the request was encrypted all the way, or need not be. */
  isSecure = false
  /** Keeps the application open, except while the body is awaited. */
  stay: Stay | undefined = undefined
  /** The caller that the rules decide for: one without a credential, until the credential was checked. */
  as: Caller = ANONYMOUS
  /** Keys that the caller was identified by; `undefined` for one without a credential. */
  keys: { readonly isReplaced: boolean } | undefined = undefined
  /** Receives the lines of a rule trace; `undefined` unless the credential asks for debugging. */
  onTrace: ((lines: readonly string[]) => void) | undefined = undefined
  /** Lines of the rule trace. */
  trace: Set<string> | undefined = undefined
  query: Query | undefined = undefined
  isStream = false
  /** Whether its reply names a position already. */
  isPositioned = false
  /** Whether the idle timeout is disabled until the reply is made. */
  #isSilent = false
  idempotencyKey: string | undefined = undefined
  peer: Peer | null | undefined = undefined
  /** Length of the body as it was received, in bytes. */
  bytesIn = 0
  /** Body of the reply, where it is one text. */
  replyText: string | undefined = undefined
  /** Length of the reply's body in bytes, where it is known and the body is not one text. */
  replyBytes = 0
  /** Operation, status and time of the reply, set when it is reported. */
  operation: Operation = 'other'
  status = 0
  milliseconds = 0
  /** The error that it is refused with. */
  #error: DholeError | undefined = undefined
  #chosen: Application | undefined = undefined
  #id: string | undefined = undefined

  /** @param endpoint until `locate` is called */
  constructor(service: Service, request: Request, listener: Listener | null, endpoint: Endpoint) {
    this.service = service
    this.request = request
    this.listener = listener
    this.target = NO_TARGET
    this.endpoint = endpoint
    this.method = request.method
    this.startedAt = performance.now()
  }

  get transport(): Transport {
    return this.service.transport
  }

  get limits(): ClientLimits {
    return this.service.limits
  }

  /** Whether the method may have a body. Bodies of GET and HEAD are ignored: looking for one costs. */
  get mayHaveBody(): boolean {
    return this.method !== 'GET' && this.method !== 'HEAD'
  }

  /**
   * The application that the request is for, as it is open now: awaiting a body may close and reopen it.
   * @throws Error before one was chosen
   */
  get application(): Application {
    const application = this.knownApplication
    if (application === undefined) throw new Error('the request has no application yet')
    return application
  }

  /** As `application`; `undefined` before one was chosen. */
  get knownApplication(): Application | undefined {
    return this.stay === undefined ? this.#chosen : this.stay.application
  }

  /** Disables the idle timeout until the reply is made. */
  awaitSilently(): void {
    this.#isSilent = true
    this.limits.disableIdleTimeout(this)
  }

  /** Ends what lasts until the reply is made. */
  endWork(): void {
    if (this.#isSilent) this.limits.enableIdleTimeout(this)
    this.stay?.end()
  }

  /** Sets what the URL names. */
  locate(target: Target, endpoint: Endpoint): void {
    this.target = target
    this.endpoint = endpoint
  }

  choose(application: Application): void {
    this.#chosen = application
  }

  /**
   * Id of the request in the log and in error replies: the one it came with if that is well formed, else a new one.
   * @see docs/reference/protocol.md#request-ids
   */
  get id(): string {
    if (this.#id === undefined) {
      const given = this.request.headers.get(REQUEST_ID)
      this.#id = given !== null && GIVEN_ID.test(given) ? given : crypto.randomUUID()
    }
    return this.#id
  }

  /** Longest time for the read. @throws as `Target.timeoutMs` */
  get timeoutMs(): number | undefined {
    return this.target.timeoutMs
  }

  /** Length of the reply's body in bytes; 0 for a stream. */
  get bytesOut(): number {
    if (this.method === 'HEAD') return 0
    return this.replyText === undefined ? this.replyBytes : Buffer.byteLength(this.replyText)
  }

  get path(): string {
    // Unknown paths may hold anything.
    return this.operation === 'other' ? '' : loggedPath(this.request.url)
  }

  get address(): string | undefined {
    return this.transport.addressOf(this)
  }

  get applicationId(): string | undefined {
    return this.knownApplication?.id
  }

  get refusal(): Refusal | undefined {
    return this.#error && refusalOf(this.#error)
  }

  /** Reports the reply to the observer. */
  reportReply({ status }: Response): void {
    const { observer } = this.service
    if (observer.requestEnded === undefined) return
    this.operation = this.operationOf(status !== OK || this.replyText === undefined)
    this.status = status
    this.milliseconds = performance.now() - this.startedAt
    observer.requestEnded(this)
  }

  /** Maps what was thrown to an error of the closed list, and reports it to the observer. */
  reportError(thrown: unknown): DholeError {
    const error = this.endpoint.errors.errorOf(thrown)
    this.#error = error
    if (error.code === 'internal' || error.code === 'sms-failed') this.reportFailure(thrown)
    this.service.observer.requestRefused?.(this.operationOf(true), error.code)
    return error
  }

  /** Reports an unforeseen error for the log. */
  reportFailure(error: unknown): void {
    this.service.observer.requestFailed(this.method, loggedPath(this.request.url), error, this.id)
  }

  /** @param mayStream whether the reply may be a stream, or the refusal of one: looking for that costs */
  operationOf(mayStream: boolean): Operation {
    if (this.method === 'OPTIONS' && this.target !== NO_TARGET) return 'options'
    const { operation } = this.endpoint
    return typeof operation === 'string' ? operation : operation(this, mayStream)
  }
}

/** Names the request in a reply. */
export function withRequestId(reply: Response, exchange: Exchange): Response {
  reply.headers.set(REQUEST_ID, exchange.id)
  return reply
}
