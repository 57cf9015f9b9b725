import type { ReserveMemory } from '../../../hub/mailbox.ts'
import type { Connection } from '../connection/connection.ts'
import type { Carrier, EndCause } from '../session/carrier.ts'
import { HeldMemory } from '../session/held-memory.ts'
import type { Session } from '../session/session.ts'
import { BadFrame } from '../socket/frames.ts'
import { type PollSegment, PollSegments } from './poll-segments.ts'

/** Time that an answer is held while there is no message, in milliseconds: clients ask again by then. */
const HELD_MS = 25_000
const BYTES_PER_UNIT = 2
/** Characters that end a line in scripts of old browsers, though not in JSON. */
const LINE_ENDS = /[\u2028\u2029]/g

/** What long polling needs of the service. */
export interface PollingService {
  readonly reserve: ReserveMemory
  /** Time without a request after which the client has left, in milliseconds. */
  readonly timeoutMs: number
}

/** A client of long polling. Its requests are scripts, which call functions of the page. */
export class Polling implements Carrier {
  readonly id: string = crypto.randomUUID()
  readonly password: string = crypto.randomUUID()
  readonly #connection: Connection
  readonly #session: Session
  readonly #timeoutMs: number
  /** Number that the client has chosen for its functions. */
  readonly #callback: string
  readonly #segments: PollSegments
  readonly #onEnded: () => void
  #waiting: string[] = []
  #length = 0
  readonly #memory: HeldMemory
  #room: PromiseWithResolvers<void> | undefined
  /** Answers the request that is held. */
  #held: ((script: string) => void) | undefined
  #timer: Timer | undefined
  #answers = 0
  #isOver = false

  /** @param callback digits @param onEnded called when no more requests are answered */
  constructor(connection: Connection, service: PollingService, callback: string, onEnded: () => void) {
    const { session } = connection
    const { reserve, timeoutMs } = service
    this.#connection = connection
    this.#session = session
    this.#timeoutMs = timeoutMs
    this.#memory = new HeldMemory(reserve, () => session.abort())
    this.#callback = callback
    this.#segments = new PollSegments(session.maxLength)
    this.#onEnded = onEnded
  }

  get room(): Promise<void> | undefined {
    if (this.#length === 0) return undefined
    this.#room ??= Promise.withResolvers<void>()
    return this.#room.promise
  }

  /** The answer to the first request. */
  start(): string {
    this.#session.begin(this)
    this.#awaitRequest()
    return `parent.window["pLPCommand${this.#callback}"]("start","${this.id}","${this.password}");${this.#takeScript()}`
  }

  /** Takes what the client sends, and answers when there is a message. */
  poll(segments: readonly PollSegment[]): Promise<string> {
    this.#answerHeld()
    const { promise, resolve } = Promise.withResolvers<string>()
    this.#held = resolve
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#answerHeld(), HELD_MS)
    this.#timer.unref()
    try {
      for (const text of this.#segments.take(segments)) {
        this.#connection.received(Buffer.byteLength(text))
        this.#session.receive(text)
      }
      this.#count()
    } catch (error) {
      if (error instanceof BadFrame) this.#session.refuse(error.message, error.kind)
      else this.#session.refuse('not understood')
    }
    if (this.#length > 0 || this.#isOver) this.#answerSoon()
    return promise
  }

  /** The client has left. Resolves when what it wanted written then is written. */
  async leave(cause: 'left' | 'lost' = 'left'): Promise<void> {
    // A socket may have taken it over.
    if (this.#connection.carrier === 'polling') this.#connection.endsFor(cause)
    this.#isOver = true
    this.#answerHeld()
    this.#stop()
    this.#session.carrierLost(this)
    if (this.#session.isOver) await this.#session.ended
  }

  send(text: string): Promise<void> | undefined {
    if (this.#isOver) return undefined
    this.#waiting.push(text)
    this.#length += text.length
    this.#count()
    this.#answerSoon()
    return this.room
  }

  end(cause: EndCause, reason: string): void {
    this.#connection.endsFor(cause, reason)
    this.#waiting = []
    this.#length = 0
    this.#isOver = true
    this.#answerHeld()
    this.#stop()
  }

  /** Answers in the next turn, with all that is sent in this one. */
  #answerSoon(): void {
    if (this.#held !== undefined) setImmediate(() => this.#answerHeld())
  }

  #answerHeld(): void {
    const held = this.#held
    if (held === undefined) return
    this.#held = undefined
    this.#awaitRequest()
    held(this.#takeScript())
  }

  /** Without a next request the client has left. */
  #awaitRequest(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.leave('lost'), this.#timeoutMs)
    this.#timer.unref()
  }

  #takeScript(): string {
    for (const text of this.#waiting) this.#connection.sent(Buffer.byteLength(text))
    const messages = this.#waiting.join(',').replace(LINE_ENDS, (end) => (end === '\u2028' ? '\\u2028' : '\\u2029'))
    this.#waiting = []
    this.#length = 0
    this.#count()
    const close = this.#isOver ? `parent.window["pLPCommand${this.#callback}"]("close");` : ''
    return `parent.window["pRTLPCB${this.#callback}"](${this.#answers++},[${messages}]);${close}`
  }

  #stop(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#memory.release()
    this.#room?.resolve()
    this.#onEnded()
  }

  /** Counts what waits for the client, and the segments that wait for others. */
  #count(): void {
    if (this.#length === 0) {
      this.#room?.resolve()
      this.#room = undefined
    }
    this.#memory.resize(this.#isOver ? 0 : (this.#length + this.#segments.waitingLength) * BYTES_PER_UNIT)
  }
}
