import { loopTurn } from '../../../scheduling/loop-turn.ts'
import { type Message, parseMessage } from '../session/parse-message.ts'

/** Processes messages. */
interface Receiver {
  /** @returns resolves when the next message may be processed; `undefined` if it may be at once. Never rejects */
  carryOut(message: Message, length: number): Promise<unknown> | undefined
  /** Ends the session because of what the client has sent. */
  refuse(reason: string): void
  /** Counts what waits. */
  count(): void
}

/** Messages of a client, which are processed one after the other in the order in which they arrive. */
export class Inbox {
  readonly #receiver: Receiver
  readonly #maxBytes: number
  readonly #waiting: string[] = []
  #length = 0
  #running: Promise<void> | undefined

  /** @param maxBytes of a message */
  constructor(receiver: Receiver, maxBytes: number) {
    this.#receiver = receiver
    this.#maxBytes = maxBytes
  }

  /** Length of the messages that wait or take long, in UTF-16 code units. */
  get length(): number {
    return this.#length
  }

  /** Resolves when nothing is being processed; `undefined` if nothing is. */
  get running(): Promise<void> | undefined {
    return this.#running
  }

  add(text: string): void {
    if (this.#running === undefined) {
      const processing = this.#process(text)
      if (processing === undefined) return
      this.#running = this.#goOn(text, processing)
    } else this.#waiting.push(text)
    this.#length += text.length
    this.#receiver.count()
  }

  /** Drops what waits. */
  empty(): void {
    this.#waiting.length = 0
    this.#length = 0
  }

  async #goOn(first: string, processing: Promise<unknown>): Promise<void> {
    await processing
    this.#taken(first)
    for (let text = this.#waiting.shift(); text !== undefined; text = this.#waiting.shift()) {
      const next = this.#process(text)
      if (next !== undefined) await next
      this.#taken(text)
      if (loopTurn.isOver) await loopTurn.pause()
    }
    this.#running = undefined
  }

  #process(text: string): Promise<unknown> | undefined {
    try {
      const message = parseMessage(text, this.#maxBytes)
      if (!(message instanceof Promise)) return this.#receiver.carryOut(message, text.length)
      return message.then(
        (known) => this.#receiver.carryOut(known, text.length),
        () => this.#refuse(),
      )
    } catch {
      this.#refuse()
      return undefined
    }
  }

  #refuse(): void {
    this.#receiver.refuse('a message is not understood')
  }

  #taken({ length }: string): void {
    // `empty` has set it to 0.
    this.#length = Math.max(0, this.#length - length)
    this.#receiver.count()
  }
}
