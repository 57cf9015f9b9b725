import type { EndReason } from '../../hub/sink.ts'
import { loopTurn } from '../../scheduling/loop-turn.ts'

/** Why a stream ends that the operator has ended. */
const ENDED: EndReason = { kind: 'cancel', text: 'The operator has ended the stream' }

/** What is known of a stream over HTTP. Members are computed on access. */
export interface StreamFacts {
  readonly applicationId: string
  /** As in the log. */
  readonly path: string
  /** Known parameters of the URL, without credentials; absent without one. */
  readonly query: string | undefined
  /** When it was opened, in milliseconds since 1970. */
  readonly since: number
  /** Address of the client; `undefined` when the connection is gone. */
  readonly address: string | undefined
  /** `auth.uid` of the caller. */
  readonly uid: string | undefined
  readonly bytesSent: number
  /** Memory of the events that wait, in bytes. */
  readonly waitingBytes: number
}

/** A stream that can be ended. */
interface EndableStream extends StreamFacts {
  end(reason: EndReason): void
}

/** The streams that are open over HTTP, oldest first. All listeners of a service share one. */
export class OpenStreams {
  readonly #streams = new Map<number, EndableStream>()
  #last = 0

  /** @returns the number of the stream, for `delete` */
  add(stream: EndableStream): number {
    this.#last++
    this.#streams.set(this.#last, stream)
    return this.#last
  }

  /** The stream has ended. Does nothing for an unknown number. */
  delete(number: number): void {
    this.#streams.delete(number)
  }

  /**
   * The first open streams, and the number of all. It pauses where the event loop has other work.
   * @param applicationId only those of one application
   * @param use makes of each stream what is returned
   */
  async list<T>(
    applicationId: string | undefined,
    limit: number,
    use: (id: string, stream: StreamFacts) => T,
  ): Promise<{ readonly total: number; readonly streams: T[] }> {
    const streams: T[] = []
    let total = 0
    for (const [number, stream] of this.#streams) {
      if (loopTurn.isOver) await loopTurn.pause()
      if (applicationId !== undefined && stream.applicationId !== applicationId) continue
      total++
      if (streams.length < limit && this.#streams.has(number)) streams.push(use(String(number), stream))
    }
    return { total, streams }
  }

  /**
   * Ends a stream: its client is told that the operator has ended it.
   * @param applicationId only when it is one of that application
   * @returns whether there is such a stream
   */
  end(id: string, applicationId?: string): boolean {
    const stream = this.#streams.get(Number(id))
    if (stream === undefined || (applicationId !== undefined && stream.applicationId !== applicationId)) return false
    stream.end(ENDED)
    return true
  }
}
