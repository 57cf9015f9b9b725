import type { Answer } from '../session/messages.ts'

/** Maximum pending writes of a session, and maximum length of their messages, in UTF-16 code units. */
const MOST_WRITES = 256
const MOST_LENGTH = 1024 * 1024

/** A write whose answer is not sent. */
export interface PendingWrite {
  readonly request: number
  /** Length of its message, in UTF-16 code units. */
  readonly length: number
  answer: Answer | undefined
}

/** Gets the answers. */
interface Answered {
  answer(request: number, answer: Answer): void
  /** Sends what `work` sends in as few packets as there may be. */
  together(work: () => void): void
}

/** The writes of a session that share commits. Their answers are sent in the order of their requests. */
export class PendingWrites {
  readonly #session: Answered
  readonly #pending: PendingWrite[] = []
  #length = 0
  #isSending = false
  #room: PromiseWithResolvers<void> | undefined
  #end: PromiseWithResolvers<void> | undefined

  constructor(session: Answered) {
    this.#session = session
  }

  /** Length of the messages of all of them, in UTF-16 code units. */
  get length(): number {
    return this.#length
  }

  /** Adds a write, whose answer is passed to `answered` later. */
  add(request: number, length: number): PendingWrite {
    const pending: PendingWrite = { request, length, answer: undefined }
    this.#pending.push(pending)
    this.#length += length
    return pending
  }

  answered(pending: PendingWrite, answer: Answer): void {
    pending.answer = answer
    if (this.#isSending || this.#pending[0] !== pending) return
    this.#isSending = true
    // The answers to other writes of the same commit come in the same turn.
    queueMicrotask(() => this.#send())
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

  #send(): void {
    this.#isSending = false
    const unanswered = this.#pending.findIndex(({ answer }) => answer === undefined)
    const ready = this.#pending.splice(0, unanswered < 0 ? this.#pending.length : unanswered)
    for (const { length } of ready) this.#length -= length
    const send = () => {
      for (const { request, answer } of ready) if (answer !== undefined) this.#session.answer(request, answer)
    }
    if (ready.length > 1) this.#session.together(send)
    else send()
    if (this.#hasRoom) {
      this.#room?.resolve()
      this.#room = undefined
    }
    if (this.#pending.length > 0) return
    this.#end?.resolve()
    this.#end = undefined
  }
}
