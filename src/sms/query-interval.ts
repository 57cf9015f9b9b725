/** Lets one call through, then none until a time has passed. Starts anew with the process. @see docs/reference/protocol.md#checks */
export class Rate {
  readonly #intervalMs: number
  /** When the last call was let through. */
  #last: number | undefined

  /** @param intervalMs from one call to the next; 0 lets all through */
  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs
  }

  /** Whether a call may be answered. One that may not does not count. @param now in milliseconds */
  admit(now: number): boolean {
    const passed = now - (this.#last ?? Number.NEGATIVE_INFINITY)
    // A clock that was put back would shut everybody out until it has caught up.
    if (passed >= 0 && passed < this.#intervalMs) return false
    this.#last = now
    return true
  }
}
