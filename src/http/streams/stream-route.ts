import type { Authenticator } from '../../auth/authenticator.ts'
import type { Caller } from '../../auth/caller.ts'
import type { WatchOptions } from '../../database/read-types.ts'
import type { Subscription } from '../../database/streams/subscription.ts'
import { DholeError } from '../../error.ts'
import type { ReserveMemory } from '../../hub/mailbox.ts'
import type { EndReason } from '../../hub/sink.ts'
import { endsInPriority } from '../../tree/path.ts'
import type { Connected, Listener, Peer } from '../connection/peer.ts'
import type { Exchange, Service } from '../exchange.ts'
import { redirectReply, streamReply } from '../response/reply.ts'
import { loggedPath, loggedQuery } from '../url/logged-path.ts'
import { EventStream, type StreamConnection } from './event-stream.ts'
import type { StreamFacts } from './open-streams.ts'
import { type SseEncoder, sseEncoder } from './sse-encoder.ts'

const BYTES_PER_UNIT = 2

const unnumbered = sseEncoder()

/** Encoders of events with ids, shared by all streams of one tree. */
const numbered = new WeakMap<Authenticator, { readonly epoch: string; readonly encoder: SseEncoder }>()

function numberedEncoder(authenticator: Authenticator, epoch: string): SseEncoder {
  const known = numbered.get(authenticator)
  if (known?.epoch === epoch) return known.encoder
  const encoder = sseEncoder((seq) => authenticator.positions.idOf({ epoch, seq }))
  numbered.set(authenticator, { epoch, encoder })
  return encoder
}

/**
 * Opens an event stream of the node, or redirects to the host that serves streams. A failure before the first event is
 * an ordinary error reply.
 * @throws `bad-parameter` for a priority, `quota`, `too-busy`, and as `Database.watch`
 * @see docs/reference/protocol.md#streams
 */
export async function openStream(exchange: Exchange): Promise<Response> {
  const { request, target, service } = exchange
  if (endsInPriority(target.path)) throw new DholeError('bad-parameter', 'Streams of a priority are not supported')
  const elsewhere = service.streamHost && elsewhereUrl(request, service.streamHost)
  if (elsewhere) return redirectReply(elsewhere)
  const { limits, application } = exchange
  const leave = limits.enterStream(exchange, application.id)
  // An event stream may be silent.
  limits.disableIdleTimeout(exchange)
  const connection = new Connection(exchange, leave)
  try {
    return streamReply(await subscribe(exchange, connection))
  } catch (error) {
    connection.ended()
    throw error
  }
}

/**
 * The connection of one stream, as the limits know it. It keeps the request, but not what else was read of it, and has no
 * closures: see `EventStream`.
 */
class Connection implements StreamConnection, StreamFacts, Connected {
  readonly request: Request
  readonly listener: Listener | null
  peer: Peer | null | undefined
  readonly reserve: ReserveMemory
  readonly applicationId: string
  readonly since = Date.now()
  readonly uid: string | undefined
  bytesSent = 0
  readonly #service: Service
  readonly #leave: () => void
  #subscription: Subscription | undefined
  /** Its number among the open streams; 0 before it is open. */
  #number = 0
  #isClosed = false
  #hasEnded = false

  /** @param leave called at least once, when no more events follow and before the response ends */
  constructor({ request, listener, service, application, as }: Exchange, leave: () => void) {
    this.request = request
    this.listener = listener
    this.reserve = service.limits.reserve
    this.applicationId = application.id
    this.uid = uidOf(as)
    this.#service = service
    this.#leave = leave
    // A connection that is closed cancels the body. A signal would be one more object for as long as the stream lives.
    if (listener !== null) return
    request.signal.addEventListener('abort', () => this.closed())
    this.#isClosed = request.signal.aborted
  }

  get path(): string {
    return loggedPath(this.request.url)
  }

  get query(): string | undefined {
    return loggedQuery(this.request.url)
  }

  get address(): string | undefined {
    return this.#service.transport.addressOf(this)
  }

  get waitingBytes(): number {
    return (this.#subscription?.waitingLength ?? 0) * BYTES_PER_UNIT
  }

  /** @param subscription closed when the connection is closed, or has been */
  subscribed(subscription: Subscription): void {
    this.#subscription = subscription
    if (this.#isClosed) this.closed()
    else if (!this.#hasEnded) this.#number = this.#service.streams.add(this)
  }

  end(reason: EndReason): void {
    this.#subscription?.end(reason)
  }

  closed(): void {
    this.#isClosed = true
    this.ended()
    this.#subscription?.close()
  }

  ended(): void {
    this.#hasEnded = true
    this.#service.streams.delete(this.#number)
    this.#leave()
    this.#service.limits.enableIdleTimeout(this)
  }

  abort(): void {
    this.#service.limits.abortConnection(this)
  }

  sent(bytes: number): void {
    this.bytesSent += bytes
    this.#service.observer.streamSent?.(bytes)
  }
}

function uidOf({ auth }: Caller): string | undefined {
  const uid = auth?.['uid']
  return typeof uid === 'string' ? uid : undefined
}

/** Body of the stream. */
async function subscribe(exchange: Exchange, connection: Connection): Promise<ReadableStream> {
  const { request, target, query, as, keys, onTrace, application } = exchange
  const { database, authenticator } = application
  const { path, parameters } = target
  const fresh = database.fresh()
  if (fresh !== undefined) await fresh
  const { epoch } = database.position()
  const lastEventId = request.headers.get('last-event-id') ?? undefined
  const isNumbered = parameters.resume === 'true' || lastEventId !== undefined
  const stream = new EventStream(isNumbered ? numberedEncoder(authenticator, epoch) : unnumbered, connection)
  // An id of another tree, or a made-up one, is ignored: the stream begins with all data.
  const seq = lastEventId === undefined ? undefined : authenticator.positions.seqOf(lastEventId, epoch)
  const from = seq === undefined ? undefined : { epoch, seq }
  const options: WatchOptions = { query, as, keys, onTrace, export: parameters.format === 'export', from }
  connection.subscribed(await database.subscribe(path, options, stream))
  return new ReadableStream(stream)
}

/** URL of the stream on the host that serves streams; `undefined` where that is this one. */
function elsewhereUrl({ url }: Request, streamHost: string): string | undefined {
  // The URL of a request without a host is its path alone.
  const [, here = '', target = url] = /^([a-z]+:\/\/[^/?#]*)(.*)$/is.exec(url) ?? []
  return here.toLowerCase() === streamHost.toLowerCase() ? undefined : streamHost + target
}
