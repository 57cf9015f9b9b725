import { batchOf, type EventBatch, laterThan, type WaitingEvents } from './event-batch.ts'
import type { Reservation, ReserveMemory } from './reservation.ts'

/** Memory of an event, and of a list of them, beside their text, in bytes. */
const EVENT_BYTES = 128
const LIST_BYTES = 128
const BYTES_PER_UNIT = 2

/**
 * What waits for one subscriber, in order. All of it counts as memory held for its client, also where others wait for
 * the same events: it is the first to be given up when there is no room, and costs a client nothing but a new beginning.
 */
export class Mailbox {
  readonly #reserve: ReserveMemory | undefined
  readonly #noRoom: () => void
  #waiting: WaitingEvents[] = []
  #length = 0
  #byteLength = 0
  #held: Reservation | undefined

  /**
   * @param reserve counts the memory; without, it is not counted
   * @param noRoom called when there is no memory left for what waits: it must empty the mailbox
   */
  constructor(reserve: ReserveMemory | undefined, noRoom: () => void) {
    this.#reserve = reserve
    this.#noRoom = noRoom
  }

  /** What waits, in UTF-16 code units. */
  get length(): number {
    return this.#length
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** Adds events behind the others. May call `noRoom` before it returns. */
  push(waiting: WaitingEvents): void {
    this.#waiting.push(waiting)
    this.#length += waiting.length
    if (this.#reserve === undefined) return
    this.#byteLength += bytesOf(waiting)
    if (this.#held !== undefined) {
      this.#held.resize(this.#byteLength)
      return
    }
    const held = this.#reserve(this, this.#byteLength, this.#noRoom, true)
    // There may be no room already.
    if (this.isEmpty) held.release()
    else this.#held = held
  }

  /**
   * Takes the first events out, about as many as wanted, at least one list of them.
   * @param length in UTF-16 code units
   */
  take(length: number): EventBatch | undefined {
    let count = 0
    let taken = 0
    for (const waiting of this.#waiting) {
      if (count > 0 && taken + waiting.length > length) break
      taken += waiting.length
      count++
    }
    return count === 0 ? undefined : batchOf(this.#remove(count))
  }

  /** Takes out everything, and keeps of it what is later than a commit. */
  takeLater(seq: number): readonly WaitingEvents[] {
    return this.#remove(this.#waiting.length).flatMap((waiting) => laterThan(waiting, seq) ?? [])
  }

  empty(): void {
    this.#waiting = []
    this.#length = 0
    this.#byteLength = 0
    this.#held?.release()
    this.#held = undefined
  }

  #remove(count: number): readonly WaitingEvents[] {
    if (count === this.#waiting.length) {
      const all = this.#waiting
      this.empty()
      return all
    }
    const removed = this.#waiting.splice(0, count)
    for (const waiting of removed) {
      this.#length -= waiting.length
      this.#byteLength -= bytesOf(waiting)
    }
    this.#held?.resize(this.#byteLength)
    return removed
  }
}

function bytesOf({ events, length }: WaitingEvents): number {
  return length * BYTES_PER_UNIT + events.length * EVENT_BYTES + LIST_BYTES
}
