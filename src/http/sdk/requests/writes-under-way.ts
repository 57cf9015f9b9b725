import type { Answer } from '../session/messages.ts'

/** Maximum writes of a session that are under way, and maximum length of their messages, in UTF-16 code units. */
const MOST_WRITES = 256
const MOST_LENGTH = 1024 * 1024

/** A write whose answer is not sent. */
interface Pending {
  readonly request: number
  /** Length of its message, in UTF-16 code units. */
  readonly length: number
  answer: Answer | undefined
}

/** The writes of a session that share commits. Their answers are sent in the order of their requests. */
export class WritesUnderWay {
  readonly #send: (request: number, answer: Answer) => void
  readonly #pending: Pending[] = []
  #length = 0
  #room: PromiseWithResolvers<void> | undefined
  #end: PromiseWithResolvers<void> | undefined

  constructor(send: (request: number, answer: Answer) => void) {
    this.#send = send
  }

  /** Length of the messages of all of them, in UTF-16 code units. */
  get length(): number {
    return this.#length
  }

  /** @param answer never rejects */
  add(request: number, length: number, answer: Promise<Answer>): void {
    const pending: Pending = { request, length, answer: undefined }
    this.#pending.push(pending)
    this.#length += length
    void answer.then((known) => {
      pending.answer = known
      if (this.#pending[0] === pending) this.#sendReady()
    })
  }

  /** A promise of room for another write; `undefined` if there is some. */
  get room(): Promise<void> | undefined {
    if (this.#hasRoom) return undefined
    this.#room ??= Promise.withResolvers<void>()
    return this.#room.promise
  }

  /** Resolves when all answers are sent; `undefined` if they are. */
  get ended(): Promise<void> | undefined {
    if (this.#pending.length === 0) return undefined
    this.#end ??= Promise.withResolvers<void>()
    return this.#end.promise
  }

  get #hasRoom(): boolean {
    return this.#pending.length < MOST_WRITES && this.#length < MOST_LENGTH
  }

  #sendReady(): void {
    let count = 0
    for (const { request, length, answer } of this.#pending) {
      if (answer === undefined) break
      count++
      this.#length -= length
      this.#send(request, answer)
    }
    this.#pending.splice(0, count)
    if (this.#hasRoom) {
      this.#room?.resolve()
      this.#room = undefined
    }
    if (this.#pending.length > 0) return
    this.#end?.resolve()
    this.#end = undefined
  }
}
