import type { Application } from '../../applications/application.ts'
import type { Access } from '../../database/access/access.ts'
import type { WatchOptions } from '../../database/read-types.ts'
import type { ReserveMemory } from '../../hub/reservation.ts'
import type { Query } from '../../query/query.ts'
import type { Path } from '../../tree/path.ts'
import { streamReply } from '../response/reply.ts'
import { EventStream } from './event-stream.ts'

/** What a request for a stream says. */
interface StreamRequest extends Access {
  readonly path: Path
  readonly query: Query | undefined
  readonly export: boolean
  /** Id of the last event that the client has seen. */
  readonly lastEventId: string | undefined
  /** Whether events are to tell their ids. */
  readonly numbered: boolean
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
  /** Hears that nothing more goes by it, at least once, and before its answer has ended. */
  readonly leave: () => void
  /** Breaks the connection off. */
  readonly abort: () => void
  /** Counts memory that is held for the client. */
  readonly reserve: ReserveMemory
  /** Hears how many bytes were written. */
  readonly sent: ((bytes: number) => void) | undefined
}

/**
 * Opens a stream. What goes wrong before the first event is an ordinary error.
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
  const ends = { closed: close, ended: leave, abort, reserve, sent }
  const idOf = (seq: number) => authenticator.positions.idOf({ epoch, seq })
  const stream = new EventStream(isNumbered ? idOf : undefined, ends)
  // What a client shows may be of another tree, or nothing that was given out: then the stream begins anew.
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
