import type { EventBatch } from './event-batch.ts'
import type { Subscriber } from './subscriber.ts'

/** Longest time that deliveries block the event loop, in milliseconds. */
const HOLD_MS = 5
/** Cost of one delivery beside its text, in UTF-16 code units: to encrypt so much takes as long as the rest. */
const DELIVERY_LENGTH = 4096
/** Cost of the deliveries of one batch from which they are spread over turns of the event loop: a few milliseconds. */
const LONG = 1024 * 1024

/**
 * Delivers one batch to many subscribers in several turns of the event loop. Until its turn, a subscriber keeps further
 * events behind the batch.
 */
export class DeliveryPace {
  #waiting: Subscriber[] = []
  /** End of the deliveries of this turn; `undefined` before the first one. */
  #end: number | undefined

  /** Delivers a batch to every subscriber: now, or in later turns where that takes long. */
  deliver(batch: EventBatch, subscribers: ReadonlySet<Subscriber>): void {
    if (subscribers.size * (batch.length + DELIVERY_LENGTH) <= LONG) {
      for (const subscriber of subscribers) subscriber.deliver(batch)
      return
    }
    for (const subscriber of subscribers) {
      if (this.#waiting.length === 0 && this.#hasTime()) subscriber.deliver(batch)
      else if (subscriber.postpone(batch)) this.#waiting.push(subscriber)
    }
  }

  #hasTime(): boolean {
    if (this.#end === undefined) {
      this.#end = performance.now() + HOLD_MS
      setImmediate(() => this.#nextTurn())
      return true
    }
    return performance.now() < this.#end
  }

  #nextTurn(): void {
    this.#end = undefined
    const waiting = this.#waiting
    let next = 0
    while (next < waiting.length && this.#hasTime()) waiting[next++]?.deliverPostponed()
    this.#waiting = waiting.slice(next)
  }
}

/** Of the process, as the event loop is. */
export const deliveryPace = new DeliveryPace()
