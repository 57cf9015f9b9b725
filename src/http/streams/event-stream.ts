import type { EventBatch } from '../../hub/event-batch.ts'
import { encode, endFrame, KEEP_ALIVE } from '../../hub/frame.ts'
import type { ReserveMemory } from '../../hub/reservation.ts'
import type { EndReason, Sink } from '../../hub/subscriber.ts'
import { pieceEnd } from '../../tree/json/text-pieces.ts'

/** What writes to the connection: Bun's own stream, which costs hardly more than the bare socket. */
type Writer = ReadableStreamDirectController

/** What is encoded and given to the connection at a time, in UTF-16 code units: to encrypt so much takes a millisecond. */
const PIECE_LENGTH = 512 * 1024
const BYTES_PER_UNIT = 2

/** What a stream has to do with its connection. */
export interface StreamEnds {
  /** Called once the client has gone. */
  readonly closed: () => void
  /** Called once nothing more comes. */
  readonly ended: () => void
  /** Breaks the connection off. */
  readonly abort: () => void
  /** Counts memory that is held for the client. */
  readonly reserve: ReserveMemory
  /** Hears how many bytes were written. */
  readonly sent: ((bytes: number) => void) | undefined
}

/**
 * One event stream over HTTP. What is written before the connection is ready to take it waits here.
 * @see docs/reference/protocol.md#streams
 */
export class EventStream implements Sink {
  /** The body of the answer. */
  readonly body: ReadableStream
  readonly reserve: ReserveMemory
  readonly #idOf: ((seq: number) => string) | undefined
  readonly #ends: StreamEnds
  readonly #done = Promise.withResolvers<void>()
  readonly #ready = Promise.withResolvers<void>()
  #early: (Uint8Array | EventBatch)[] = []
  #writer: Writer | undefined
  #isOver = false
  #isWithinEvent = false

  /** @param idOf when given, each event tells the id of its commit */
  constructor(idOf: ((seq: number) => string) | undefined, ends: StreamEnds) {
    this.#idOf = idOf
    this.#ends = ends
    this.reserve = ends.reserve
    this.body = new ReadableStream({
      type: 'direct',
      pull: (writer: Writer) => this.#begin(writer),
      cancel: () => {
        this.#isOver = true
        ends.closed()
      },
    })
  }

  write(batch: EventBatch): Promise<unknown> | undefined {
    if (batch.length > PIECE_LENGTH) return this.#send(batch)
    return this.#send(this.#idOf === undefined ? batch.bytes : batch.bytesWithIds(this.#idOf))
  }

  keepAlive(): void {
    void this.#send(KEEP_ALIVE)
  }

  end(reason?: EndReason): void {
    // Within another event nobody could read it.
    if (reason !== undefined && !this.#isWithinEvent) void this.#send(endFrame(reason.kind, reason.text))
    this.#isOver = true
    this.#done.resolve()
    this.#ends.ended()
  }

  abort(): void {
    this.#ends.abort()
  }

  #begin(writer: Writer): Promise<void> {
    this.#writer = writer
    let room: Promise<unknown> | undefined
    // Also what tells why the stream has ended already.
    for (const what of this.#early.splice(0)) {
      if (room === undefined || this.#isOver) room = this.#write(writer, what) ?? room
      else room = room.then(() => this.#write(writer, what))
    }
    const ready = () => this.#ready.resolve()
    if (room === undefined) ready()
    else room.then(ready, ready)
    // The stream is open for as long as this is not settled.
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

  /** Others have their turn between two pieces. Those who are sent the same batch hold its text once. */
  async #writeInPieces(writer: Writer, batch: EventBatch): Promise<void> {
    const { release } = this.#ends.reserve(batch, batch.length * BYTES_PER_UNIT, this.#ends.abort)
    this.#isWithinEvent = true
    try {
      let waiting = ''
      for (const text of batch.texts(this.#idOf)) {
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
    const written: unknown = writer.write(bytes)
    writer.flush()
    this.#ends.sent?.(bytes.byteLength)
    // A number says that it was taken, a promise that there is no room for more until it is kept.
    if (!(written instanceof Promise)) return undefined
    const { release } = this.#ends.reserve({}, bytes.byteLength, this.#ends.abort)
    written.then(release, release)
    return written
  }
}
