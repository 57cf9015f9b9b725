import type { Awaitable } from '../../scheduling/awaitable.ts'
import { loopTurn } from '../../scheduling/loop-turn.ts'
import type { Exchange } from '../exchange.ts'
import type { Transfer, TransferOptions } from '../limits/transfer.ts'
import { Encoding } from './encoding.ts'

type Writer = ReadableStreamDirectController

/** Texts one behind the other. */
export interface Piece {
  readonly texts: readonly string[]
  /** Whether they have ASCII characters alone, and the connection should be given them as they are. Default false. */
  readonly isEncoded?: boolean
}

/** Text that is sent in pieces. */
export interface Pieces {
  /**
   * The next piece; `undefined` after the last. Called when the connection has accepted the previous one.
   */
  next(): Awaitable<Piece | undefined>
  /** Called with the length of what is given to the connection next, in bytes: the piece, or a part of a long one. */
  sending?(bytes: number): void
  /** Called once: the last piece was sent, or the client has disconnected. */
  end(): void
  /** Called with the error when `next` throws. */
  failed?(thrown: unknown): void
}

/**
 * Body of a long reply, written at the pace of the client. The connection of a client that is too slow is aborted, so
 * that an incomplete reply never looks complete.
 * @see docs/how-to/limit-clients.md#limits-against-abuse
 */
export class PacedBody {
  readonly body: ReadableStream
  readonly #pieces: Pieces
  readonly #exchange: Exchange
  /** Reports how many bytes were given to the connection. */
  readonly #sent: ((bytes: number) => void) | undefined
  /** Resolves once nothing more is sent. */
  readonly #over = Promise.withResolvers<void>()
  readonly #transfer: Transfer | undefined
  #isOver = false
  #isAborted = false

  /** @param memory of the response, which counts until it is over */
  constructor(pieces: Pieces, exchange: Exchange, memory: TransferOptions) {
    this.#pieces = pieces
    this.#exchange = exchange
    const { limits, request, service } = exchange
    const { observer } = service
    this.#sent = observer.answerSent?.bind(observer, exchange.operationOf(false))
    this.body = new ReadableStream({
      type: 'direct',
      pull: (writer: Writer) => this.#run(writer),
      cancel: () => this.#end(),
    })
    this.#transfer = limits.transfer(() => this.abort(), memory)
    request.signal.addEventListener('abort', () => this.#end())
    if (request.signal.aborted) this.#end()
    // The limits may have aborted it before the transfer was known here.
    if (this.#isOver) this.#transfer.end()
  }

  /** Whether nothing more is sent. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Sets the memory that it takes, in bytes. */
  resize(bytes: number): void {
    this.#transfer?.resize(bytes)
  }

  /** Ends the body and aborts its connection. */
  abort(): void {
    if (this.#isOver) return
    this.#isAborted = true
    this.#end()
    this.#exchange.limits.abortConnection(this.#exchange)
  }

  async #run(writer: Writer): Promise<void> {
    try {
      for (let piece = await this.#next(); piece !== undefined; piece = await this.#next()) {
        await this.#write(writer, piece)
      }
    } catch (thrown) {
      this.#pieces.failed?.(thrown)
      this.abort()
    }
    // An incomplete reply must not look complete: the rejection resets the stream or closes the connection at once.
    if (this.#isAborted) return Promise.reject()
    if (this.#isOver) return undefined
    this.#end()
    writer.end()
  }

  /** `undefined` also where the body has ended meanwhile. */
  async #next(): Promise<Piece | undefined> {
    if (this.#isOver) return undefined
    const piece = await this.#pieces.next()
    return this.#isOver ? undefined : piece
  }

  async #write(writer: Writer, { texts, isEncoded = false }: Piece): Promise<void> {
    if (!isOfConnection(writer) || isEncoded) {
      for (const text of texts) {
        if (await this.#mayGoOn()) await this.#send(writer, text, isEncoded ? text.length : Buffer.byteLength(text))
      }
      return
    }
    const encoding = new Encoding(texts)
    while (!encoding.isDone && (await this.#mayGoOn())) {
      const block = encoding.next()
      await this.#send(writer, block, block.byteLength)
    }
  }

  /** Lets others have their turn: encrypting a piece takes a millisecond. @returns whether more is sent */
  async #mayGoOn(): Promise<boolean> {
    if (loopTurn.isOver) await loopTurn.pause()
    return !this.#isOver
  }

  async #send(writer: Writer, block: string | Uint8Array<ArrayBuffer>, bytes: number): Promise<void> {
    this.#pieces.sending?.(bytes)
    const written: unknown = writer.write(block)
    writer.flush()
    this.#sent?.(bytes)
    // A number means accepted; a promise resolves when there is room for more.
    if (written instanceof Promise) await Promise.race([written, this.#over.promise])
    this.#transfer?.grow(bytes)
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#transfer?.end()
    this.#over.resolve()
    this.#pieces.end()
  }
}

/**
 * Whether a writer sends to a connection, which copies what it cannot send at once. Others, of who reads a reply in this
 * process, may keep what they are given.
 */
function isOfConnection(writer: Writer): boolean {
  return 'sinkId' in writer
}
