/** Between two looks at the clock. */
const TICK_MS = 1000

/** Has what takes too long ended, by one timer for all: most are over long before, and need none of their own. */
export class Deadlines {
  readonly #pending = new Map<object, { readonly at: number; readonly missed: () => void }>()
  #timer: ReturnType<typeof setInterval> | undefined

  /** Deadlines to come. */
  get size(): number {
    return this.#pending.size
  }

  /**
   * @param missed called once, up to a second after the time has passed
   * @returns calls it off, however often it is called
   */
  set(afterMs: number, missed: () => void): () => void {
    const key = {}
    this.#pending.set(key, { at: performance.now() + afterMs, missed })
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#tick(), TICK_MS)
      this.#timer.unref()
    }
    return () => this.#pending.delete(key)
  }

  #tick(): void {
    const now = performance.now()
    for (const [key, { at, missed }] of this.#pending) {
      if (at > now) continue
      this.#pending.delete(key)
      missed()
    }
    if (this.#pending.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
