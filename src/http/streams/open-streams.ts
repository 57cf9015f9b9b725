import type { EndReason } from '../../hub/sink.ts'
import { OpenList } from './open-list.ts'

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

/** A stream in a list; see `StreamFacts`. */
interface ListedStream {
  readonly id: string
  readonly application: string
  readonly path: string
  readonly query?: string
  readonly since: number
  readonly address?: string
  readonly uid?: string
  readonly bytesSent: number
  readonly waitingBytes: number
}

interface StreamList {
  /** Number of all. */
  readonly total: number
  readonly streams: ListedStream[]
}

/** A stream that can be ended. */
interface EndableStream extends StreamFacts {
  end(reason: EndReason): void
}

/** The streams that are open over HTTP, oldest first. All listeners of a service share one. */
export class OpenStreams {
  readonly #streams = new OpenList<EndableStream>()

  /** @returns the number of the stream, for `delete` */
  add(stream: EndableStream): number {
    return this.#streams.add(stream)
  }

  /** The stream has ended. Does nothing for an unknown number. */
  delete(number: number): void {
    this.#streams.delete(number)
  }

  /** The first open streams, and the number of all. @param applicationId only those of one application */
  async list(applicationId: string | undefined, limit: number): Promise<StreamList> {
    const { total, listed: streams } = await this.#streams.list(applicationId, limit, listed)
    return { total, streams }
  }

  /**
   * Ends a stream: its client learns that the operator has ended it.
   * @param applicationId only when it is one of that application
   * @returns whether there is such a stream
   */
  end(id: string, applicationId?: string): boolean {
    const stream = this.#streams.find(id, applicationId)
    stream?.end(ENDED)
    return stream !== undefined
  }
}

function listed(number: number, stream: StreamFacts): ListedStream {
  const { applicationId: application, path, query, since, address, uid, bytesSent, waitingBytes } = stream
  return {
    ...{ id: String(number), application, path, since, bytesSent, waitingBytes },
    ...(query === undefined ? {} : { query }),
    ...(address === undefined ? {} : { address }),
    ...(uid === undefined ? {} : { uid }),
  }
}
