import type { ReserveMemory } from '../../../hub/mailbox.ts'
import { loopTurn } from '../../../scheduling/loop-turn.ts'
import { HeldMemory } from '../session/held-memory.ts'
import { framesOf, isOneFrame } from './frames.ts'

const BYTES_PER_UNIT = 2
/** Results of `sendText`: the frame was dropped, or is the last one that the connection takes now. */
const DROPPED = 0
const FULL = -1

/** The socket of a connection, as the runtime has it. */
export interface FrameSocket {
  /** @returns the bytes of the frame, `FULL` or `DROPPED` */
  sendText(frame: string): number
}

/** Counts the messages that were passed to a connection, with their bytes. */
export interface SentMessages {
  sent(bytes: number): void
}

/** Sends the messages of one connection, in order. What the connection does not take yet waits here, and is counted. */
export class Outbox {
  readonly #socket: FrameSocket
  readonly #abort: () => void
  readonly #counter: SentMessages
  readonly #cut: (message: string) => Generator<string, void>
  readonly #waiting: string[] = []
  /** Remaining frames of the message that is being sent. */
  #frames: Generator<string, void> | undefined
  #length = 0
  /** Bytes of the message that is being sent, as far as the connection has taken it. */
  #bytes = 0
  readonly #memory: HeldMemory
  #room: PromiseWithResolvers<void> | undefined
  #isFull = false
  #isOver = false

  /**
   * @param abort called when the client takes too much memory, or a frame was lost
   * @param cut makes the frames of a message
   */
  constructor(
    socket: FrameSocket,
    reserve: ReserveMemory,
    abort: () => void,
    counter: SentMessages,
    cut: (message: string) => Generator<string, void> = framesOf,
  ) {
    this.#socket = socket
    this.#memory = new HeldMemory(reserve, () => {
      this.end()
      abort()
    })
    this.#abort = abort
    this.#counter = counter
    this.#cut = cut
  }

  /** @returns a promise if there is no room for more, which resolves when there is */
  send(text: string): Promise<void> | undefined {
    if (this.#isOver) return undefined
    if (this.#length === 0 && !this.#isFull && isOneFrame(text)) {
      this.#sendFrame(text)
      this.#passed()
      return undefined
    }
    this.#waiting.push(text)
    this.#length += text.length
    if (this.#frames === undefined && !this.#isFull) this.#run()
    else this.#count()
    return this.room
  }

  /** A promise of room for more; `undefined` if there is some. */
  get room(): Promise<void> | undefined {
    if (this.#length === 0) return undefined
    this.#room ??= Promise.withResolvers<void>()
    return this.#room.promise
  }

  /** The connection takes more. */
  drained(): void {
    if (!this.#isFull) return
    this.#isFull = false
    this.#run()
  }

  /** Drops everything. */
  end(): void {
    this.#isOver = true
    this.#waiting.length = 0
    this.#frames = undefined
    this.#length = 0
    this.#count()
  }

  #run(): void {
    while (!this.#isOver && !this.#isFull && this.#length > 0) {
      this.#frames ??= this.#cut(this.#waiting[0] ?? '')
      const { done, value } = this.#frames.next()
      if (done) this.#ended()
      else this.#sendFrame(value)
      // Only messages of several frames can take long.
      if (this.#frames === undefined || !loopTurn.isOver) continue
      void loopTurn.pause().then(() => this.#run())
      break
    }
    this.#count()
  }

  #ended(): void {
    this.#frames = undefined
    this.#length -= this.#waiting.shift()?.length ?? 0
    this.#passed()
  }

  /** A message was passed to the connection. */
  #passed(): void {
    if (!this.#isOver) this.#counter.sent(this.#bytes)
    this.#bytes = 0
  }

  #sendFrame(frame: string): void {
    const result = this.#socket.sendText(frame)
    if (result === DROPPED) {
      this.end()
      this.#abort()
      return
    }
    if (result === FULL) {
      this.#isFull = true
      this.#bytes += Buffer.byteLength(frame)
    } else this.#bytes += result
  }

  /** Reserves memory for what waits. */
  #count(): void {
    if (this.#length === 0) {
      this.#memory.release()
      this.#room?.resolve()
      this.#room = undefined
      return
    }
    this.#memory.resize(this.#length * BYTES_PER_UNIT)
  }
}
