import type { Authenticator } from '../../auth/authenticator.ts'
import type { WatchOptions } from '../../database/read-types.ts'
import { DholeError } from '../../error.ts'
import type { EventEncoder } from '../../hub/event-batch.ts'
import { endsInPriority } from '../../tree/path.ts'
import type { Exchange } from '../exchange.ts'
import { redirectReply, streamReply } from '../response/reply.ts'
import { EventStream } from './event-stream.ts'
import { sseEncoder } from './sse-encoder.ts'

const unnumbered = sseEncoder()

/** Encoders of events with ids, shared by all streams of one tree. */
const numbered = new WeakMap<Authenticator, { readonly epoch: string; readonly encoder: EventEncoder }>()

function numberedEncoder(authenticator: Authenticator, epoch: string): EventEncoder {
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
  const giveBack = limits.enterStream(exchange, application.id)
  // An event stream may be silent.
  limits.disableIdleTimeout(exchange)
  const leave = () => {
    giveBack()
    limits.enableIdleTimeout(exchange)
  }
  try {
    return streamReply(await subscribe(exchange, leave))
  } catch (error) {
    leave()
    throw error
  }
}

/** Body of the stream. @param leave called at least once, when no more events follow and before the response ends */
async function subscribe(exchange: Exchange, leave: () => void): Promise<ReadableStream> {
  const { request, limits, target, query, as, onTrace, application } = exchange
  const { database, authenticator } = application
  const { observer } = exchange.service
  const { path, parameters } = target
  const { signal, headers } = request
  const fresh = database.fresh()
  if (fresh !== undefined) await fresh
  const { epoch } = database.position()
  let unsubscribe: (() => void) | undefined
  let isClosed = signal.aborted
  const close = () => {
    isClosed = true
    leave()
    unsubscribe?.()
  }
  signal.addEventListener('abort', close)
  const lastEventId = headers.get('last-event-id') ?? undefined
  const isNumbered = parameters.resume === 'true' || lastEventId !== undefined
  const encoder = isNumbered ? numberedEncoder(authenticator, epoch) : unnumbered
  const stream = new EventStream(encoder, {
    closed: close,
    ended: leave,
    abort: () => limits.abortConnection(exchange),
    reserve: (what, bytes, give, isSpare) => limits.reserve(what, bytes, give, isSpare),
    sent: observer.streamSent?.bind(observer),
  })
  // An id of another tree, or a made-up one, is ignored: the stream begins with all data.
  const seq = lastEventId === undefined ? undefined : authenticator.positions.seqOf(lastEventId, epoch)
  const from = seq === undefined ? undefined : { epoch, seq }
  const options: WatchOptions = { query, as, onTrace, export: parameters.format === 'export', from }
  unsubscribe = await database.subscribe(path, options, stream)
  if (isClosed) close()
  return stream.body
}

/** URL of the stream on the host that serves streams; `undefined` where that is this one. */
function elsewhereUrl({ url }: Request, streamHost: string): string | undefined {
  // The URL of a request without a host is its path alone.
  const [, here = '', target = url] = /^([a-z]+:\/\/[^/?#]*)(.*)$/is.exec(url) ?? []
  return here.toLowerCase() === streamHost.toLowerCase() ? undefined : streamHost + target
}
