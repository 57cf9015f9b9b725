import type { Subscriber } from './subscriber.ts'

/** Turns of the clock in the time of silence after which a client wants to hear something. */
const TURNS = 8

/** Every subscriber, and the one clock that tells the silent ones that nothing has happened. It runs while there are any. */
export class KeepAlive {
  readonly #turnMs: number
  readonly #subscribers = new Set<Subscriber>()
  #timer: ReturnType<typeof setInterval> | undefined
  #turn = 0

  /** @param silenceMs silence after which a client is told, in milliseconds; a turn of the clock later at most */
  constructor(silenceMs: number) {
    this.#turnMs = Math.max(silenceMs / TURNS, 1)
  }

  get size(): number {
    return this.#subscribers.size
  }

  add(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber)
    this.#timer ??= setInterval(() => this.#tick(), this.#turnMs)
  }

  delete(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber)
    if (this.#subscribers.size === 0) this.stop()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  [Symbol.iterator](): Iterator<Subscriber> {
    return this.#subscribers.values()
  }

  #tick(): void {
    this.#turn++
    for (const subscriber of this.#subscribers) subscriber.tick(this.#turn, TURNS)
  }
}
