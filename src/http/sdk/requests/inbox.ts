import { DholeError } from '../../../error.ts'
import { Pace, type PaceSettings } from '../connection/pace.ts'
import type { EndCause } from '../session/carrier.ts'
import { type Message, numberIn, parseMessage, REFUSED } from '../session/parse-message.ts'

/** Processes messages. */
interface Receiver {
  /** @returns resolves when the next message may be processed; `undefined` if it may be at once. Never rejects */
  carryOut(message: Message, length: number): Promise<unknown> | undefined
  /** Ends the session because of what the client has sent. */
  refuse(reason: string, cause?: EndCause): void
  /** Counts what waits. */
  count(): void
}

/** Bounds of messages, in bytes. */
interface InboxBounds {
  /** Of one. */
  readonly message: number
  /** Memory of all that wait. One may always wait. */
  readonly waiting: number
}

const BYTES_PER_UNIT = 2
/** Length of the beginning and the end of a request that have its number, in UTF-16 code units. */
const ENDS_LENGTH = 64

/** Messages of a client, which are processed one after the other in the order in which they arrive. */
export class Inbox {
  readonly #receiver: Receiver
  readonly #pace: Pace
  readonly #bounds: InboxBounds
  readonly #waiting: string[] = []
  #length = 0
  #running: Promise<void> | undefined

  constructor(receiver: Receiver, pace: PaceSettings, bounds: InboxBounds) {
    this.#receiver = receiver
    this.#pace = new Pace(pace)
    this.#bounds = bounds
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
      const pause = this.#pace.before(text.length)
      if (pause === undefined) {
        const processing = this.#process(text)
        if (processing === undefined) return
        this.#running = this.#goOn(processing.then(() => this.#taken(text)))
      } else {
        this.#waiting.push(text)
        this.#running = this.#goOn(pause)
      }
    } else this.#waiting.push(text)
    this.#length += text.length
    this.#receiver.count()
    if (this.#waiting.length > 1 && this.#length * BYTES_PER_UNIT > this.#bounds.waiting) {
      this.#receiver.refuse('too many messages wait to be carried out', 'too-much')
    }
  }

  /** The client has left: what waits waits for no rate. */
  hurry(): void {
    this.#pace.end()
  }

  /** Drops what waits. */
  empty(): void {
    this.#waiting.length = 0
    this.#length = 0
  }

  async #goOn(before: Promise<unknown>): Promise<void> {
    await before
    for (let text = this.#waiting[0]; text !== undefined; text = this.#waiting[0]) {
      const pause = this.#pace.before(text.length)
      if (pause !== undefined) {
        await pause
        continue
      }
      this.#waiting.shift()
      const next = this.#process(text)
      if (next !== undefined) await next
      this.#taken(text)
    }
    this.#running = undefined
  }

  #process(text: string): Promise<unknown> | undefined {
    try {
      const message = parseMessage(text, this.#bounds.message)
      if (!(message instanceof Promise)) return this.#receiver.carryOut(message, text.length)
      return message.then(
        (known) => this.#receiver.carryOut(known, text.length),
        (error: unknown) => this.#refuse(text, error),
      )
    } catch (error) {
      return this.#refuse(text, error)
    }
  }

  /** A request that is too large or too deep is answered: its client would send it again after each end of a connection. */
  #refuse(text: string, error: unknown): Promise<unknown> | undefined {
    const isRequest = error instanceof DholeError
    const number = isRequest ? numberIn(text.slice(0, ENDS_LENGTH), text.slice(-ENDS_LENGTH)) : undefined
    if (number !== undefined) return this.#receiver.carryOut({ number, action: REFUSED, body: { error } }, text.length)
    this.#receiver.refuse('a message is not understood')
    return undefined
  }

  #taken({ length }: string): void {
    // `empty` has set it to 0.
    this.#length = Math.max(0, this.#length - length)
    this.#receiver.count()
  }
}
