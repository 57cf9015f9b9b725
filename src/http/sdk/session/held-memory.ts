import type { Reservation, ReserveMemory } from '../../../hub/mailbox.ts'

/** Memory that is held for a client, and changes often. Nothing is reserved while it is 0. */
export class HeldMemory {
  readonly #reserve: ReserveMemory
  readonly #abort: () => void
  #reservation: Reservation | undefined
  #isAborted = false

  /** @param abort called at most once, when there is no room: nothing is held any more */
  constructor(reserve: ReserveMemory, abort: () => void) {
    this.#reserve = reserve
    this.#abort = abort
  }

  /** Sets the memory, in bytes. May abort before it returns. */
  resize(bytes: number): void {
    if (bytes === 0 || this.#isAborted) this.release()
    else if (this.#reservation !== undefined) this.#reservation.resize(bytes)
    else {
      const reservation = this.#reserve(this, bytes, () => {
        this.#isAborted = true
        this.#abort()
      })
      // It may have been aborted at once.
      if (this.#isAborted) reservation.release()
      else this.#reservation = reservation
    }
  }

  release(): void {
    this.#reservation?.release()
    this.#reservation = undefined
  }
}
