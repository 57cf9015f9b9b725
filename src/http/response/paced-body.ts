import type { Awaitable } from '../../scheduling/awaitable.ts'
import type { Exchange } from '../exchange.ts'
import type { Transfer, TransferOptions } from '../limits/transfer.ts'

type Writer = ReadableStreamDirectController

/** Text that is sent bit by bit. */
export interface Pieces {
  /** The next one, `undefined` behind the last. No more is asked for before the connection has taken it. */
  next(): Awaitable<string | undefined>
  /** Called once, when nobody wants any more: it is sent, or whoever took it is gone. */
  end(): void
  /** Hears why there is no more, where `next` throws. */
  failed?(thrown: unknown): void
}

/**
 * The body of a long answer, given to the connection as the client takes it. A client that takes it slower than it may
 * is cut off. What does not come to its end does not look whole: the connection is broken off.
 * @see docs/how-to/limit-clients.md#limits-against-abuse
 */
export class PacedBody {
  readonly body: ReadableStream
  readonly #pieces: Pieces
  readonly #exchange: Exchange
  /** Reports how many bytes were given to the connection. */
  readonly #sent: ((bytes: number) => void) | undefined
  /** Kept once nothing more is to be told. */
  readonly #over = Promise.withResolvers<void>()
  /** Kept once the client has gone. */
  readonly #gone = Promise.withResolvers<void>()
  readonly #transfer: Transfer | undefined
  #isOver = false

  /** @param memory of the response, which counts until it is over */
  constructor(pieces: Pieces, exchange: Exchange, memory: TransferOptions) {
    this.#pieces = pieces
    this.#exchange = exchange
    const { limits, request, service } = exchange
    const { observer } = service
    this.#sent = observer.answerSent?.bind(observer, exchange.operation(false))
    this.body = new ReadableStream({
      type: 'direct',
      pull: (writer: Writer) => this.#run(writer),
      cancel: () => this.#leave(),
    })
    this.#transfer = limits.transfer(() => this.abort(), memory)
    request.signal.addEventListener('abort', () => this.#leave())
    if (request.signal.aborted) this.#leave()
    // The limits may have aborted it before the transfer was known here.
    if (this.#isOver) this.#transfer.end()
  }

  /** Whether nothing more is sent of it. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Sets the memory that it takes, in bytes. */
  resize(bytes: number): void {
    this.#transfer?.resize(bytes)
  }

  /** Breaks it off. */
  abort(): void {
    if (this.#isOver) return
    this.#end()
    this.#exchange.limits.abortConnection(this.#exchange)
  }

  async #run(writer: Writer): Promise<void> {
    try {
      for (let piece = await this.#next(); piece !== undefined; piece = await this.#next()) {
        await this.#write(writer, piece)
        // To encrypt a piece takes a millisecond: others have their turn before the next one.
        await new Promise(setImmediate)
      }
    } catch (thrown) {
      this.#pieces.failed?.(thrown)
      this.abort()
    }
    // What was cut must not look like a whole answer, so it ends with its connection.
    if (this.#isOver) return this.#gone.promise
    this.#end()
    writer.end()
  }

  /** It may be over before it is asked, and when it is answered. */
  async #next(): Promise<string | undefined> {
    if (this.#isOver) return undefined
    const piece = await this.#pieces.next()
    return this.#isOver ? undefined : piece
  }

  async #write(writer: Writer, piece: string): Promise<void> {
    const bytes = Buffer.byteLength(piece)
    const written: unknown = writer.write(piece)
    writer.flush()
    this.#sent?.(bytes)
    // A number says that it was taken, a promise that there is no room for more until it is kept.
    if (written instanceof Promise) await Promise.race([written, this.#over.promise])
    this.#transfer?.grow(bytes)
  }

  #leave(): void {
    this.#end()
    this.#gone.resolve()
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#transfer?.end()
    this.#over.resolve()
    this.#pieces.end()
  }
}
