import { loopTurn } from '../../../scheduling/loop-turn.ts'

const SECOND_MS = 1000
/** A burst may take what is allowed in this time. */
const BURST_MS = 2000
const BYTES_PER_UNIT = 2
/** Messages of all sessions between two looks at the clock. */
const MESSAGES_PER_LOOK = 8
/** Length from which a message is a reason to look at the clock, in UTF-16 code units. */
const LONG = 4096

/** What one session may have carried out in a second. 0 means unlimited. */
export interface PaceSettings {
  readonly messages: number
  readonly bytes: number
}

let carriedOut = 0

/** When the next message of a session may be carried out: within its rates, and in fair turns with other work. */
export class Pace {
  readonly #messages: Rate | undefined
  readonly #bytes: Rate | undefined
  #isOver = false
  #timer: Timer | undefined
  #goOn: (() => void) | undefined

  constructor({ messages, bytes }: PaceSettings) {
    this.#messages = messages > 0 ? new Rate(messages) : undefined
    this.#bytes = bytes > 0 ? new Rate(bytes) : undefined
  }

  /**
   * Must be called before each message, and again after the wait.
   * @param length of the message, in UTF-16 code units
   * @returns a promise if it must wait; else it is counted
   */
  before(length: number): Promise<void> | undefined {
    if (isTurnOver(length)) return loopTurn.pause()
    if (this.#isOver || (this.#messages === undefined && this.#bytes === undefined)) return undefined
    const waitMs = this.#waitMs(length, performance.now())
    return waitMs > 0 ? this.#sleep(waitMs) : undefined
  }

  /** The client has left: what it has sent waits for no rate. */
  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#goOn?.()
  }

  #waitMs(length: number, now: number): number {
    const bytes = length * BYTES_PER_UNIT
    const waitMs = Math.max(this.#messages?.waitMs(1, now) ?? 0, this.#bytes?.waitMs(bytes, now) ?? 0)
    if (waitMs > 0) return waitMs
    this.#messages?.take(1, now)
    this.#bytes?.take(bytes, now)
    return 0
  }

  #sleep(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#goOn = resolve
    this.#timer = setTimeout(resolve, milliseconds)
    this.#timer.unref()
    return promise
  }
}

function isTurnOver(length: number): boolean {
  return (++carriedOut % MESSAGES_PER_LOOK === 0 || length > LONG) && loopTurn.isOver
}

/** A bucket that fills evenly, and holds what is allowed in two seconds. What is more than that takes a full one. */
class Rate {
  readonly #msEach: number
  /** When the bucket is full again. */
  #fullAt = 0

  constructor(perSecond: number) {
    this.#msEach = SECOND_MS / perSecond
  }

  /** Time until so much may be taken. */
  waitMs(amount: number, now: number): number {
    const untilFull = this.#fullAt - now
    return Math.min(untilFull, untilFull + amount * this.#msEach - BURST_MS)
  }

  take(amount: number, now: number): void {
    this.#fullAt = Math.max(this.#fullAt, now) + amount * this.#msEach
  }
}
