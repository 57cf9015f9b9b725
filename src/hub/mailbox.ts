import { batchOf, type EventBatch, laterThan, type WaitingEvents } from './event-batch.ts'

/** Memory of an event, and of a list of events, beside the text, in bytes. */
const EVENT_BYTES = 128
const LIST_BYTES = 128
const BYTES_PER_UNIT = 2

/** Memory reserved for a client. */
export interface Reservation {
  /** Sets the size in bytes. May abort other reservations, or this one, before it returns. */
  resize(bytes: number): void
  /** Ends the reservation; later calls do nothing. */
  release(): void
}

/**
 * Reserves memory for a client.
 * @param what object in memory: reservations of the same object count it once
 * @param abort called at most once, when there is no room; the reservation is released by then
 * @param isSpare whether its loss costs the client little: spares are aborted before all others
 */
export type ReserveMemory = (what: object, bytes: number, abort: () => void, isSpare?: boolean) => Reservation

export interface MailboxOptions {
  /** Reserves the memory; without, it is not counted. */
  readonly reserve: ReserveMemory | undefined
  /** Bound shared with other mailboxes; without, the mailbox has one of its own. */
  readonly bound: MailboxBound | undefined
  /** Called when what waits exceeds the bound or the memory; must empty the mailbox. */
  readonly onOverflow: () => void
}

/** Bounds what waits in several mailboxes together, such as those of all listens of one connection. */
export class MailboxBound {
  readonly #maxLength: number
  readonly #mailboxes = new Set<Mailbox>()
  #length = 0

  /** @param maxLength of all events that wait, in UTF-16 code units */
  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  /** Counts a change of a mailbox. @param change of its length */
  update(mailbox: Mailbox, change: number): void {
    this.#length += change
    if (mailbox.isEmpty) this.#mailboxes.delete(mailbox)
    else this.#mailboxes.add(mailbox)
  }

  /** Lets the longest mailboxes overflow until the others fit. */
  enforce(): void {
    while (this.#length > this.#maxLength) {
      let longest: Mailbox | undefined
      for (const mailbox of this.#mailboxes) if (mailbox.length > (longest?.length ?? 0)) longest = mailbox
      if (longest === undefined) return
      longest.overflow()
    }
  }
}

/**
 * What waits for one subscriber, in order. All of it counts as memory of the client, even if others wait for the same
 * events. It is a spare: its loss costs the client only a new beginning.
 */
export class Mailbox {
  readonly #options: MailboxOptions
  #waiting: WaitingEvents[] = []
  #length = 0
  #byteLength = 0
  #reservation: Reservation | undefined

  constructor(options: MailboxOptions) {
    this.#options = options
  }

  /** Size of what waits, in UTF-16 code units. */
  get length(): number {
    return this.#length
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** Adds events. May call `onOverflow` before it returns, but for lack of memory only. */
  push(waiting: WaitingEvents): void {
    const { reserve, onOverflow } = this.#options
    this.#waiting.push(waiting)
    this.#resize(waiting.length)
    if (reserve === undefined) return
    this.#byteLength += bytesOf(waiting)
    if (this.#reservation !== undefined) {
      this.#reservation.resize(this.#byteLength)
      return
    }
    const reservation = reserve(this, this.#byteLength, onOverflow, true)
    // It may have been aborted at once.
    if (this.isEmpty) reservation.release()
    else this.#reservation = reservation
  }

  /** Lets this mailbox, or the longest of a shared bound, overflow. @param maxLength of a bound of its own */
  enforceBound(maxLength: number): void {
    const { bound } = this.#options
    if (bound !== undefined) bound.enforce()
    else if (this.#length > maxLength) this.overflow()
  }

  overflow(): void {
    this.#options.onOverflow()
  }

  /**
   * Removes the first events, at least one list of them.
   * @param length about how much, in UTF-16 code units
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

  /** Removes everything. @returns the events of commits after `seq` */
  takeLater(seq: number): readonly WaitingEvents[] {
    return this.#remove(this.#waiting.length).flatMap((waiting) => laterThan(waiting, seq) ?? [])
  }

  empty(): void {
    this.#waiting = []
    this.#resize(-this.#length)
    this.#byteLength = 0
    this.#reservation?.release()
    this.#reservation = undefined
  }

  #remove(count: number): readonly WaitingEvents[] {
    if (count === this.#waiting.length) {
      const all = this.#waiting
      this.empty()
      return all
    }
    const removed = this.#waiting.splice(0, count)
    for (const waiting of removed) {
      this.#resize(-waiting.length)
      this.#byteLength -= bytesOf(waiting)
    }
    this.#reservation?.resize(this.#byteLength)
    return removed
  }

  #resize(change: number): void {
    this.#length += change
    this.#options.bound?.update(this, change)
  }
}

function bytesOf({ events, length }: WaitingEvents): number {
  return length * BYTES_PER_UNIT + events.length * EVENT_BYTES + LIST_BYTES
}
