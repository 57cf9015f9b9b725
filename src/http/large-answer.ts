import { DholeError } from '../tree/error.ts'
import type { ClientLimits } from './client-limits.ts'
import type { Holding } from './holdings.ts'
import type { Listener } from './transport.ts'

type Writer = ReadableStreamDirectController

/** Longest answer that is given to the listener as it is, in UTF-16 code units. */
export const LARGE_LENGTH = 128 * 1024
/** What the listener is given at a time: so much of it waits for a client that is slow. */
const PIECE_LENGTH = 1024 * 1024
const BYTES_PER_UNIT = 2
/** A connection that does not read is broken off after so many seconds. */
const CUT_SECONDS = 2

/** Whom a long answer is for. */
export interface Receiver {
  readonly request: Request
  readonly listener: Listener | null
  readonly limits: ClientLimits
  /** Hears how many bytes were given to the connection. */
  readonly sent: ((bytes: number) => void) | undefined
}

/**
 * The body of a long answer, given to the connection as the client takes it. A client that takes it slower than it may,
 * or holds the most memory when there is too much held, is cut off.
 * @throws `too-busy` when it is more than may be held at all, or than anybody else holds
 * @param source what the text was made of: where several are sent the same, it is held once
 * @see docs/operations.md#limits-against-abuse
 */
export function largeAnswer(text: string, source: object, receiver: Receiver): ReadableStream {
  return new LargeAnswer(text, source, receiver).body
}

class LargeAnswer {
  readonly body: ReadableStream
  readonly #receiver: Receiver
  /** Kept once nothing more is to be told. */
  readonly #over = Promise.withResolvers<void>()
  /** Kept once the client has gone. */
  readonly #gone = Promise.withResolvers<void>()
  readonly #holding: Holding
  readonly #callOff: () => void
  /** Nothing is kept of it once it is over. */
  #text: string
  #isOver = false
  /** Given to the listener so far, in code units. */
  #taken = 0

  constructor(text: string, source: object, receiver: Receiver) {
    this.#text = text
    this.#receiver = receiver
    const bytes = text.length * BYTES_PER_UNIT
    const { limits, request } = receiver
    this.#callOff = limits.expect(
      () => this.#taken,
      () => this.#cut(),
    )
    this.body = new ReadableStream({
      type: 'direct',
      pull: (writer: Writer) => this.#run(writer),
      cancel: () => this.#leave(),
    })
    request.signal.addEventListener('abort', () => this.#leave())
    this.#holding = limits.hold(source, bytes, () => this.#cut())
    if (request.signal.aborted) this.#leave()
    else if (this.#isOver) throw new DholeError('too-busy')
  }

  async #run(writer: Writer): Promise<void> {
    for (let start = 0; start < this.#text.length; start = this.#taken) {
      const end = pieceEnd(this.#text, start)
      const piece = this.#text.slice(start, end)
      const written: unknown = writer.write(piece)
      writer.flush()
      this.#receiver.sent?.(Buffer.byteLength(piece))
      // A number says that it was taken, a promise that there is no room for more until it is kept.
      if (written instanceof Promise) await Promise.race([written, this.#over.promise])
      this.#taken = end
    }
    // What was cut must not look like a whole answer, so it ends with its connection.
    if (this.#isOver) return this.#gone.promise
    this.#end()
    writer.end()
  }

  #leave(): void {
    this.#end()
    this.#gone.resolve()
  }

  #cut(): void {
    if (this.#isOver) return
    const { request, listener } = this.#receiver
    this.#end()
    listener?.timeout(request, CUT_SECONDS)
  }

  #end(): void {
    this.#isOver = true
    this.#text = ''
    this.#callOff()
    // It may be cut before it has begun.
    this.#holding?.release()
    this.#over.resolve()
  }
}

/** Two halves of a character stay together. */
function pieceEnd(text: string, start: number): number {
  const end = start + PIECE_LENGTH
  if (end >= text.length) return text.length
  const unit = text.charCodeAt(end - 1)
  return unit >= 0xd800 && unit < 0xdc00 ? end + 1 : end
}
