/** Between two looks at the clock. */
const TICK_MS = 1000
/** Ended in one turn of the event loop: what is onTimeout at once may be many thousands, and ending one takes its time. */
const MOST_AT_ONCE = 16

interface Deadline {
  readonly onTimeout: () => void
  /** Where it stands now. */
  among: Set<Deadline>
}

/**
 * Has what takes too long ended, by one timer for all: most are over long before, and need none of their own. A look at
 * the clock costs nothing for those that have time left, however many there are.
 */
export class Timeouts {
  /** By the tick at which they are onTimeout. */
  readonly #byTick = new Map<number, Set<Deadline>>()
  readonly #onTimeout = new Set<Deadline>()
  #timer: ReturnType<typeof setInterval> | undefined

  /** Timeouts to come. */
  get size(): number {
    let size = this.#onTimeout.size
    for (const deadlines of this.#byTick.values()) size += deadlines.size
    return size
  }

  /**
   * @param onTimeout called once, up to a second after the time has passed
   * @returns calls it off, however often it is called
   */
  set(afterMs: number, onTimeout: () => void): () => void {
    const tick = Math.ceil((performance.now() + afterMs) / TICK_MS)
    const among = this.#byTick.get(tick) ?? new Set()
    this.#byTick.set(tick, among)
    const deadline: Deadline = { onTimeout, among }
    among.add(deadline)
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#tick(), TICK_MS)
      this.#timer.unref()
    }
    return () => deadline.among.delete(deadline)
  }

  #tick(): void {
    const isWorking = this.#onTimeout.size > 0
    const now = performance.now() / TICK_MS
    for (const [tick, deadlines] of this.#byTick) {
      if (deadlines.size > 0 && tick > now) continue
      this.#byTick.delete(tick)
      for (const deadline of deadlines) {
        deadline.among = this.#onTimeout
        this.#onTimeout.add(deadline)
      }
    }
    if (!isWorking) this.#endSome()
    if (this.#byTick.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #endSome(): void {
    let ended = 0
    for (const deadline of this.#onTimeout) {
      if (ended++ === MOST_AT_ONCE) break
      this.#onTimeout.delete(deadline)
      deadline.onTimeout()
    }
    if (this.#onTimeout.size > 0) setImmediate(() => this.#endSome())
  }
}
