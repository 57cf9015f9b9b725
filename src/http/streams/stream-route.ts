import type { Application } from '../../applications/application.ts'
import type { Authenticator } from '../../auth/authenticator.ts'
import type { Access } from '../../database/access/access.ts'
import type { WatchOptions } from '../../database/read-types.ts'
import type { EventEncoder } from '../../hub/event-batch.ts'
import type { Query } from '../../query/query.ts'
import type { Path } from '../../tree/path.ts'
import { streamReply } from '../response/reply.ts'
import { EventStream, type StreamConnection } from './event-stream.ts'
import { sseEncoder } from './sse-encoder.ts'

interface StreamRequest extends Access, Pick<StreamConnection, 'abort' | 'reserve' | 'sent'> {
  readonly path: Path
  readonly query: Query | undefined
  readonly export: boolean
  /** Id of the last event that the client has received. */
  readonly lastEventId: string | undefined
  /** Whether events have ids. */
  readonly numbered: boolean
  /** Aborted when the client has closed the connection. */
  readonly signal: AbortSignal
  /** Called at least once, when no more events follow and before the response ends. */
  readonly leave: () => void
}

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
 * Opens a stream. A failure before the first event is an ordinary error reply.
 * @throws as `Database.watch`
 * @see docs/reference/protocol.md#streams
 */
export async function openStream({ database, authenticator }: Application, request: StreamRequest): Promise<Response> {
  const { path, query, lastEventId, signal, as, onTrace, leave, abort, reserve, sent } = request
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
  const isNumbered = request.numbered || lastEventId !== undefined
  const encoder = isNumbered ? numberedEncoder(authenticator, epoch) : unnumbered
  const stream = new EventStream(encoder, { closed: close, ended: leave, abort, reserve, sent })
  // An id of another tree, or a made-up one, is ignored: the stream begins with all data.
  const seq = lastEventId === undefined ? undefined : authenticator.positions.seqOf(lastEventId, epoch)
  const from = seq === undefined ? undefined : { epoch, seq }
  const options: WatchOptions = { query, as, onTrace, export: request.export, from }
  try {
    unsubscribe = await database.subscribe(path, options, stream)
  } catch (error) {
    leave()
    throw error
  }
  if (isClosed) close()
  return streamReply(stream.body)
}
