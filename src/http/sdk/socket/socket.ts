import type { ReserveMemory } from '../../../hub/mailbox.ts'
import type { Connection } from '../connection/connection.ts'
import type { Carrier, EndCause } from '../session/carrier.ts'
import { HeldMemory } from '../session/held-memory.ts'
import type { Session } from '../session/session.ts'
import { causeOf, closeFor } from './close-codes.ts'
import { BadFrame, FrameReader } from './frames.ts'
import { type FrameSocket, Outbox } from './outbox.ts'

const BYTES_PER_UNIT = 2
/** Time that a segment adds to that of its message, in milliseconds: as 16 KiB add to the time of a body. */
const MS_PER_SEGMENT = 1000

/** A WebSocket of the runtime. */
interface RawSocket extends FrameSocket {
  close(code: number, reason: string): void
  terminate(): void
  cork(work: () => void): void
}

/** What a socket needs of the service. */
export interface SocketService {
  readonly reserve: ReserveMemory
  /** Time that the segments of a message may take, and the change to a WebSocket, in milliseconds. */
  readonly timeoutMs: number
}

/** One WebSocket of a client. The runtime calls the methods `open`, `message`, `drain` and `close`. */
export class Socket implements Carrier {
  protected readonly connection: Connection
  protected readonly session: Session
  readonly #service: SocketService
  readonly #reader: FrameReader
  #socket: RawSocket | undefined
  #outbox: Outbox | undefined
  readonly #memory: HeldMemory
  #timer: Timer | undefined
  #isOver = false

  constructor(connection: Connection, service: SocketService) {
    const { session } = connection
    this.connection = connection
    this.session = session
    this.#service = service
    this.#reader = new FrameReader(session.maxLength)
    this.#memory = new HeldMemory(service.reserve, () => session.abort())
  }

  get room(): Promise<void> | undefined {
    return this.#outbox?.room
  }

  open(socket: RawSocket): void {
    const { connection, session } = this
    this.#socket = socket
    this.#outbox = new Outbox(socket, this.#service.reserve, () => session.abort(), connection)
    this.begin()
  }

  message(_: RawSocket, frame: string | Uint8Array): void {
    if (this.#isOver) return
    try {
      if (typeof frame !== 'string') throw new BadFrame('frames are text')
      const text = this.#reader.take(frame)
      this.#countSegments()
      if (text === undefined) return
      this.connection.received(Buffer.byteLength(text))
      this.receive(text)
    } catch (error) {
      if (error instanceof BadFrame) this.session.refuse(error.message, error.kind)
      else this.session.refuse('a frame is not understood')
    }
  }

  drain(): void {
    this.#outbox?.drained()
  }

  close(_: RawSocket, code: number): void {
    if (this.isCarrier) this.connection.endsFor(causeOf(code))
    this.#stop()
    this.session.carrierLost(this)
  }

  send(text: string): Promise<void> | undefined {
    return this.#outbox?.send(text)
  }

  together(work: () => void): void {
    if (this.#isOver || this.#socket === undefined) work()
    else this.#socket.cork(work)
  }

  end(cause: EndCause, reason: string): void {
    if (this.#isOver) return
    if (this.isCarrier) this.connection.endsFor(cause, reason)
    this.#stop()
    if (this.#socket !== undefined) closeFor(this.#socket, cause, reason)
  }

  /** Whether it carries the session. */
  protected get isCarrier(): boolean {
    return true
  }

  protected get timeoutMs(): number {
    return this.#service.timeoutMs
  }

  protected begin(): void {
    this.session.begin(this)
  }

  /** Takes a message. */
  protected receive(text: string): void {
    this.session.receive(text)
  }

  /** It carries nothing any more. */
  protected stopped(): void {}

  #stop(): void {
    this.#isOver = true
    this.stopped()
    clearTimeout(this.#timer)
    this.#memory.release()
    this.#outbox?.end()
  }

  /** Counts the segments of a message that is not complete, and bounds the time it may take. */
  #countSegments(): void {
    const { isWithinMessage, waitingLength } = this.#reader
    if (!isWithinMessage) {
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#memory.release()
      return
    }
    if (this.#timer === undefined) this.#awaitSegments(this.timeoutMs)
    this.#memory.resize(waitingLength * BYTES_PER_UNIT)
  }

  /** Allows some time for a message, and more for each of its segments that has come meanwhile. */
  #awaitSegments(milliseconds: number, taken = 0): void {
    this.#timer = setTimeout(() => {
      const { segmentsTaken } = this.#reader
      if (segmentsTaken > taken) this.#awaitSegments((segmentsTaken - taken) * MS_PER_SEGMENT, segmentsTaken)
      else this.session.refuse('the segments of a message took too long')
    }, milliseconds)
    this.#timer.unref()
  }
}
