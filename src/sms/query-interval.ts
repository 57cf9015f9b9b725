/** Admits one call per interval. Forgotten when the process ends. @see docs/reference/protocol.md#checks */
export class QueryInterval {
  readonly #intervalMs: number
  /** Time of the last call that was admitted. */
  #last: number | undefined

  /** @param intervalMs least time between two calls; 0 admits all */
  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs
  }

  /** Whether a call is admitted. A refused call does not count. @param now in milliseconds */
  admit(now: number): boolean {
    const passed = now - (this.#last ?? Number.NEGATIVE_INFINITY)
    // After the clock is set back, every call would be refused until it has caught up.
    if (passed >= 0 && passed < this.#intervalMs) return false
    this.#last = now
    return true
  }
}
