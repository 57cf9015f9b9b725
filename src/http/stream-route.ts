import type { HoldMemory } from '../hub/held-memory.ts'
import type { Query } from '../query/query.ts'
import type { Access } from '../service/access.ts'
import type { Database, WatchOptions } from '../service/database.ts'
import type { Path } from '../tree/path.ts'
import { EventStream } from './event-stream.ts'
import { streamReply } from './reply.ts'

/** What a request for a stream says. */
interface StreamRequest extends Access {
  readonly path: Path
  readonly query: Query | undefined
  readonly export: boolean
  /** Number of the last event that the client has seen. */
  readonly lastEventId: string | undefined
  /** Whether events are to tell their numbers. */
  readonly numbered: boolean
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
  /** Hears that nothing more goes by it, at least once, and before its answer has ended. */
  readonly leave: () => void
  /** Breaks the connection off. */
  readonly cut: () => void
  /** Counts memory that is held for the client. */
  readonly hold: HoldMemory
  /** Hears how many bytes were written. */
  readonly sent: ((bytes: number) => void) | undefined
}

const EVENT_ID = /^(.+):([0-9]{1,15})$/

/**
 * Opens a stream. What goes wrong before the first event is an ordinary error.
 * @throws as `Database.watch`
 * @see docs/protocol.md#streams
 */
export async function openStream(database: Database, request: StreamRequest): Promise<Response> {
  const { path, query, lastEventId, signal, as, onTrace, leave, cut, hold, sent } = request
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
  const ends = { closed: close, ended: leave, cut, hold, sent }
  const stream = new EventStream(isNumbered ? epoch : undefined, ends)
  const options: WatchOptions = { query, as, onTrace, export: request.export, from: positionOf(lastEventId) }
  try {
    unsubscribe = await database.subscribe(path, options, stream)
  } catch (error) {
    leave()
    throw error
  }
  if (isClosed) close()
  return streamReply(stream.body)
}

/** What a client shows is of another tree, or nothing we gave out: then it begins anew. */
function positionOf(id: string | undefined): WatchOptions['from'] {
  const [, epoch, seq] = EVENT_ID.exec(id ?? '') ?? []
  return epoch === undefined ? undefined : { epoch, seq: Number(seq) }
}
