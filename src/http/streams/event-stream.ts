import type { EventBatch, EventEncoder } from '../../hub/event-batch.ts'
import type { Reservation, ReserveMemory } from '../../hub/mailbox.ts'
import { type EndReason, NO_ROOM, type Sink } from '../../hub/sink.ts'
import { pieceEnd } from '../../tree/json/text-pieces.ts'
import { encode, endFrame, KEEP_ALIVE } from './sse-encoder.ts'

/** Bun's own stream, which costs little more than the bare socket. */
type Writer = ReadableStreamDirectController

/** Maximum that is encoded and written at once, in UTF-16 code units: to encrypt it takes a millisecond. */
const PIECE_LENGTH = 512 * 1024
const BYTES_PER_UNIT = 2

/** The connection of a stream. */
export interface StreamConnection {
  /** Called when the client has closed it, or there is no memory for it: nothing follows. */
  readonly closed: () => void
  /** Called when the stream has ended. */
  readonly ended: () => void
  /** Aborts the connection. */
  readonly abort: () => void
  /** Reserves memory for the client. */
  readonly reserve: ReserveMemory
  /** Reports how many bytes were written. */
  readonly sent: ((bytes: number) => void) | undefined
}

/**
 * One event stream over HTTP. Events wait here until the connection is ready.
 * @see docs/reference/protocol.md#streams
 */
export class EventStream implements Sink {
  /** Body of the response. */
  readonly body: ReadableStream
  readonly reserve: ReserveMemory
  readonly #encoder: EventEncoder
  readonly #connection: StreamConnection
  readonly #done = Promise.withResolvers<void>()
  readonly #ready = Promise.withResolvers<void>()
  #early: (Uint8Array | EventBatch)[] = []
  #writer: Writer | undefined
  #isOver = false
  #isWithinEvent = false

  /** @param encoder streams that share it share the bytes of their events */
  constructor(encoder: EventEncoder, connection: StreamConnection) {
    this.#encoder = encoder
    this.#connection = connection
    this.reserve = connection.reserve
    this.body = new ReadableStream({
      type: 'direct',
      pull: (writer: Writer) => this.#begin(writer),
      cancel: () => {
        this.#isOver = true
        connection.closed()
      },
    })
  }

  write(batch: EventBatch): Promise<unknown> | undefined {
    return this.#send(batch.length > PIECE_LENGTH ? batch : batch.encoded(this.#encoder))
  }

  keepAlive(): void {
    void this.#send(KEEP_ALIVE)
  }

  end(reason?: EndReason): void {
    // Within another event the client could not parse it.
    if (reason !== undefined && !this.#isWithinEvent) void this.#send(endFrame(reason.kind, reason.text))
    this.#isOver = true
    this.#done.resolve()
    this.#connection.ended()
  }

  abort(): void {
    this.#connection.abort()
  }

  #begin(writer: Writer): Promise<void> {
    this.#writer = writer
    let room: Promise<unknown> | undefined
    // If the stream has ended already, its reason is among them.
    for (const what of this.#early.splice(0)) {
      if (room === undefined || this.#isOver) room = this.#write(writer, what) ?? room
      else room = room.then(() => this.#write(writer, what))
    }
    const ready = () => this.#ready.resolve()
    if (room === undefined) ready()
    else room.then(ready, ready)
    // The stream is open while this promise is pending.
    return this.#done.promise
  }

  #send(what: Uint8Array | EventBatch): Promise<unknown> | undefined {
    if (this.#isOver) return undefined
    if (this.#writer === undefined) {
      this.#early.push(what)
      return this.#ready.promise
    }
    return this.#write(this.#writer, what)
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
          await new Promise(setImmediate)
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
    const { sent } = this.#connection
    const written: unknown = writer.write(bytes)
    writer.flush()
    sent?.(bytes.byteLength)
    // The writer returns a number if it took the bytes, and a promise of room if its buffer is full.
    if (!(written instanceof Promise)) return undefined
    const { release } = this.#reserve({}, bytes.byteLength)
    written.then(release, release)
    return written
  }

  /** Reserves memory. When there is no room, now or later, the stream ends; nothing stays for a client that does not read. */
  #reserve(what: object, bytes: number): Reservation {
    const { reserve, closed, abort } = this.#connection
    return reserve(what, bytes, () => {
      closed()
      this.end(NO_ROOM)
      abort()
    })
  }
}
