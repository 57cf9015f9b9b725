import type { ReserveMemory } from '../../../hub/mailbox.ts'
import type { Carrier, EndCause } from '../session/carrier.ts'
import { HeldMemory } from '../session/held-memory.ts'
import type { Session } from '../session/session.ts'
import { BadFrame, FrameReader } from './frames.ts'
import { type FrameSocket, Outbox } from './outbox.ts'

/** Close codes. A client that is too slow would not read one. */
const CODES = { away: 1001, 'not-understood': 1002 } as const
const BYTES_PER_UNIT = 2
/** Time that the segments of a message may take, in milliseconds. */
const SEGMENTS_MS = 60_000

/** A WebSocket of the runtime. */
interface RawSocket extends FrameSocket {
  close(code: number, reason: string): void
  terminate(): void
  cork(work: () => void): void
}

/** What a socket needs of the service. */
export interface SocketService {
  readonly reserve: ReserveMemory
  /** Called with the length of each frame that was passed to the connection. */
  readonly onSent: (length: number) => void
}

/** One WebSocket of a client. The runtime calls the methods `open`, `message`, `drain` and `close`. */
export class Socket implements Carrier {
  protected readonly session: Session
  readonly #service: SocketService
  readonly #reader: FrameReader
  #socket: RawSocket | undefined
  #outbox: Outbox | undefined
  readonly #memory: HeldMemory
  #timer: Timer | undefined
  #isOver = false

  constructor(session: Session, service: SocketService) {
    this.session = session
    this.#service = service
    this.#reader = new FrameReader(session.maxLength)
    this.#memory = new HeldMemory(service.reserve, () => session.abort())
  }

  get room(): Promise<void> | undefined {
    return this.#outbox?.room
  }

  open(socket: RawSocket): void {
    const { reserve, onSent } = this.#service
    this.#socket = socket
    this.#outbox = new Outbox(socket, reserve, () => this.session.abort(), onSent)
    this.begin()
  }

  message(_: RawSocket, frame: string | Uint8Array): void {
    if (this.#isOver) return
    try {
      if (typeof frame !== 'string') throw new BadFrame('frames are text')
      const text = this.#reader.take(frame)
      this.#countSegments()
      if (text !== undefined) this.receive(text)
    } catch (error) {
      this.session.refuse(error instanceof BadFrame ? error.message : 'a frame is not understood')
    }
  }

  drain(): void {
    this.#outbox?.drained()
  }

  close(): void {
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
    this.#stop()
    if (cause === 'too-slow') this.#socket?.terminate()
    else this.#socket?.close(CODES[cause], reason)
  }

  protected begin(): void {
    this.session.begin(this)
  }

  /** Takes a message. */
  protected receive(text: string): void {
    this.session.receive(text)
  }

  #stop(): void {
    this.#isOver = true
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
    this.#timer ??= setTimeout(() => this.session.refuse('the segments of a message took too long'), SEGMENTS_MS)
    this.#timer.unref()
    this.#memory.resize(waitingLength * BYTES_PER_UNIT)
  }
}
