import type { Batch } from '../../hub/event-batch.ts'
import { endFrame, KEEP_ALIVE } from '../../hub/frame.ts'
import type { HoldMemory } from '../../hub/held-memory.ts'
import type { EndReason, Sink } from '../../hub/subscriber.ts'

/** What writes to the connection: Bun's own stream, which costs hardly more than the bare socket. */
type Writer = ReadableStreamDirectController

/** What the connection is given at a time, in bytes: to encrypt so much takes a millisecond. */
const PIECE_BYTES = 1024 * 1024

/** What a stream has to do with its connection. */
export interface StreamEnds {
  /** Called once the client has gone. */
  readonly closed: () => void
  /** Called once nothing more comes. */
  readonly ended: () => void
  /** Breaks the connection off. */
  readonly cut: () => void
  /** Counts memory that is held for the client. */
  readonly hold: HoldMemory
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
  readonly hold: HoldMemory
  readonly #idOf: ((seq: number) => string) | undefined
  readonly #ends: StreamEnds
  readonly #done = Promise.withResolvers<void>()
  readonly #ready = Promise.withResolvers<void>()
  #early: Uint8Array[] = []
  #writer: Writer | undefined
  #isOver = false
  #isWithinEvent = false

  /** @param idOf when given, each event tells the id of its commit */
  constructor(idOf: ((seq: number) => string) | undefined, ends: StreamEnds) {
    this.#idOf = idOf
    this.#ends = ends
    this.hold = ends.hold
    this.body = new ReadableStream({
      type: 'direct',
      pull: (writer: Writer) => this.#begin(writer),
      cancel: () => {
        this.#isOver = true
        ends.closed()
      },
    })
  }

  write(batch: Batch): Promise<unknown> | undefined {
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

  cut(): void {
    this.#ends.cut()
  }

  #begin(writer: Writer): Promise<void> {
    this.#writer = writer
    let room: Promise<unknown> | undefined
    // Also what tells why the stream has ended already.
    for (const bytes of this.#early.splice(0)) {
      if (room === undefined || this.#isOver) room = this.#write(writer, bytes) ?? room
      else room = room.then(() => this.#write(writer, bytes))
    }
    const ready = () => this.#ready.resolve()
    if (room === undefined) ready()
    else room.then(ready, ready)
    // The stream is open for as long as this is not settled.
    return this.#done.promise
  }

  #send(bytes: Uint8Array): Promise<unknown> | undefined {
    if (this.#isOver) return undefined
    if (this.#writer === undefined) {
      this.#early.push(bytes)
      return this.#ready.promise
    }
    return this.#write(this.#writer, bytes)
  }

  #write(writer: Writer, bytes: Uint8Array): Promise<unknown> | undefined {
    // The connection of a stream that has ended is closed at once.
    if (bytes.byteLength > PIECE_BYTES && !this.#isOver) return this.#writeInPieces(writer, bytes)
    return this.#writePiece(writer, bytes)
  }

  /** Others have their turn between two pieces. Those who are sent the same bytes hold them once. */
  async #writeInPieces(writer: Writer, bytes: Uint8Array): Promise<void> {
    const { release } = this.#ends.hold(bytes, bytes.byteLength, this.#ends.cut)
    this.#isWithinEvent = true
    try {
      for (let start = 0; start < bytes.byteLength && !this.#isOver; start += PIECE_BYTES) {
        await this.#writePiece(writer, bytes.subarray(start, start + PIECE_BYTES))
        await new Promise(setImmediate)
      }
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
    const { release } = this.#ends.hold({}, bytes.byteLength, this.#ends.cut)
    written.then(release, release)
    return written
  }
}
