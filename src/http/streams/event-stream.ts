import type { EventBatch } from '../../hub/event-batch.ts'
import type { Reservation, ReserveMemory } from '../../hub/mailbox.ts'
import { type EndReason, NO_ROOM, type Sink } from '../../hub/sink.ts'
import { loopTurn } from '../../scheduling/loop-turn.ts'
import { pieceEnd } from '../../tree/json/text-pieces.ts'
import { encode, endFrame, KEEP_ALIVE, type SseEncoder } from './sse-encoder.ts'

/** Bun's own stream, which costs little more than the bare socket. */
type Writer = ReadableStreamDirectController

/** Maximum that is encoded and written at once, in UTF-16 code units: to encrypt it takes a millisecond. */
const PIECE_LENGTH = 512 * 1024
const BYTES_PER_UNIT = 2

/** The connection of a stream. */
export interface StreamConnection {
  /** Called when the client has closed it, or there is no memory for it: nothing follows. */
  closed(): void
  /** Called when the stream has ended. */
  ended(): void
  /** Aborts the connection. */
  abort(): void
  /** Reserves memory for the client. */
  readonly reserve: ReserveMemory
  /** Reports how many bytes were written. */
  sent(bytes: number): void
}

/** What was sent before the connection was ready, and the promise of that. */
interface Early extends PromiseWithResolvers<void> {
  readonly waiting: (Uint8Array | EventBatch)[]
}

/**
 * One event stream over HTTP. Events wait here until the connection is ready. Most streams are idle most of the time, so
 * one keeps neither closures nor promises (`bun run bench fan-out`).
 * @see docs/reference/protocol.md#streams
 */
export class EventStream implements Sink, Bun.DirectUnderlyingSource {
  readonly type = 'direct'
  readonly reserve: ReserveMemory
  readonly #encoder: SseEncoder
  readonly #connection: StreamConnection
  #early: Early | undefined
  #writer: Writer | undefined
  #isOver = false
  #isWithinEvent = false

  /** @param encoder streams that share it share the bytes of their events */
  constructor(encoder: SseEncoder, connection: StreamConnection) {
    this.#encoder = encoder
    this.#connection = connection
    this.reserve = connection.reserve
  }

  /** Begins the body, of which the stream is the source. The body is open until the writer ends it. */
  pull(writer: Writer): void {
    this.#writer = writer
    if (this.#early !== undefined) this.#writeEarly(writer, this.#early)
    this.#early = undefined
    if (this.#isOver) writer.end()
  }

  /** The client has left the body. */
  cancel(): void {
    this.#isOver = true
    this.#connection.closed()
  }

  write(batch: EventBatch): Promise<unknown> | undefined {
    return this.#send(batch.length > PIECE_LENGTH ? batch : batch.encoded(this.#encoder, undefined))
  }

  keepAlive(): void {
    void this.#send(KEEP_ALIVE)
  }

  end(reason?: EndReason): void {
    // Within another event the client could not parse it.
    if (reason !== undefined && !this.#isWithinEvent) void this.#send(endFrame(reason.kind, reason.text))
    const writer = this.#isOver ? undefined : this.#writer
    this.#isOver = true
    this.#connection.ended()
    // Limits of the connection can be set as long as its body has not ended.
    if (writer !== undefined) queueMicrotask(() => void writer.end())
  }

  abort(): void {
    this.#connection.abort()
  }

  #writeEarly(writer: Writer, { waiting, resolve }: Early): void {
    let room: Promise<unknown> | undefined
    // If the stream has ended already, its reason is among them.
    for (const what of waiting) {
      if (room === undefined || this.#isOver) room = this.#write(writer, what) ?? room
      else room = room.then(() => this.#write(writer, what))
    }
    const ready = () => resolve()
    if (room === undefined) ready()
    else room.then(ready, ready)
  }

  #send(what: Uint8Array | EventBatch): Promise<unknown> | undefined {
    if (this.#isOver) return undefined
    if (this.#writer !== undefined) return this.#write(this.#writer, what)
    this.#early ??= { ...Promise.withResolvers<void>(), waiting: [] }
    this.#early.waiting.push(what)
    return this.#early.promise
  }

  #write(writer: Writer, what: Uint8Array | EventBatch): Promise<unknown> | undefined {
    return what instanceof Uint8Array ? this.#writePiece(writer, what) : this.#writeInPieces(writer, what)
  }

  /** Writes a long batch with a pause after each piece. Its bytes are not kept; streams of the same batch share its text. */
  async #writeInPieces(writer: Writer, batch: EventBatch): Promise<void> {
    const { release } = this.#reserve(batch, batch.length * BYTES_PER_UNIT)
    try {
      if (this.#isOver) return
      this.#isWithinEvent = true
      let waiting = ''
      for (const text of this.#encoder.pieces(batch.events)) {
        for (let start = 0; start < text.length; ) {
          const end = pieceEnd(text, start, PIECE_LENGTH - waiting.length)
          waiting += text.slice(start, end)
          start = end
          if (waiting.length < PIECE_LENGTH) continue
          // The connection of a stream that has ended is closed at once.
          if (this.#isOver) return
          await this.#writePiece(writer, encode(waiting))
          if (loopTurn.isOver) await loopTurn.pause()
          waiting = ''
        }
      }
      if (!this.#isOver && waiting !== '') await this.#writePiece(writer, encode(waiting))
    } finally {
      this.#isWithinEvent = false
      release()
    }
  }

  #writePiece(writer: Writer, bytes: Uint8Array): Promise<unknown> | undefined {
    const written: unknown = writer.write(bytes)
    writer.flush()
    this.#connection.sent(bytes.byteLength)
    // The writer returns a number if it took the bytes, and a promise of room if its buffer is full.
    if (!(written instanceof Promise)) return undefined
    const { release } = this.#reserve({}, bytes.byteLength)
    written.then(release, release)
    return written
  }

  /** Reserves memory. When there is no room, now or later, the stream ends; nothing stays for a client that does not read. */
  #reserve(what: object, bytes: number): Reservation {
    const connection = this.#connection
    return this.reserve(what, bytes, () => {
      connection.closed()
      this.end(NO_ROOM)
      connection.abort()
    })
  }
}
