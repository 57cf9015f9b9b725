import type { Subscriber } from './subscriber.ts'

/** Turns of the clock in the time between two keep-alives. */
const TURNS = 8

/** All subscribers, with one clock that keeps the silent ones alive. It runs while there are subscribers. */
export class KeepAlive {
  readonly #turnMs: number
  readonly #subscribers = new Set<Subscriber>()
  #timer: ReturnType<typeof setInterval> | undefined
  #turn = 0

  /** @param silenceMs time without events before a keep-alive, in milliseconds; it may be one turn longer */
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
