/** Admits one call per interval. Forgotten when the process ends. @see docs/reference/protocol.md#checks */
export class QueryInterval {
  /** Time of the last call that was admitted. */
  #last: number | undefined

  /**
   * Whether a call is admitted. A refused call does not count.
   * @param now in milliseconds
   * @param intervalMs least time between two calls; 0 admits all
   */
  admit(now: number, intervalMs: number): boolean {
    const passed = now - (this.#last ?? Number.NEGATIVE_INFINITY)
    // After the clock is set back, every call would be refused until it has caught up.
    if (passed >= 0 && passed < intervalMs) return false
    this.#last = now
    return true
  }
}
