/** Interval of the clock. */
const TICK_MS = 1000
/** Timeouts that fire in one turn of the event loop: thousands may expire at once, and each has work to do. */
const MOST_AT_ONCE = 16

interface Timeout {
  readonly onTimeout: () => void
  /** Set that holds it now. */
  among: Set<Timeout>
}

/**
 * Many timeouts with one timer. Most are cancelled long before they fire, so none has a timer of its own. A tick visits
 * only those that expire, however many there are.
 */
export class Timeouts {
  readonly #byTick = new Map<number, Set<Timeout>>()
  readonly #expired = new Set<Timeout>()
  #timer: ReturnType<typeof setInterval> | undefined

  /** Timeouts that have not fired. */
  get size(): number {
    let size = this.#expired.size
    for (const timeouts of this.#byTick.values()) size += timeouts.size
    return size
  }

  /**
   * @param onTimeout called once, up to a second after the time has passed
   * @returns cancels the timeout; later calls do nothing
   */
  set(afterMs: number, onTimeout: () => void): () => void {
    const tick = Math.ceil((performance.now() + afterMs) / TICK_MS)
    const among = this.#byTick.get(tick) ?? new Set()
    this.#byTick.set(tick, among)
    const timeout: Timeout = { onTimeout, among }
    among.add(timeout)
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#tick(), TICK_MS)
      this.#timer.unref()
    }
    return () => timeout.among.delete(timeout)
  }

  #tick(): void {
    const isFiring = this.#expired.size > 0
    const now = performance.now() / TICK_MS
    for (const [tick, timeouts] of this.#byTick) {
      if (timeouts.size > 0 && tick > now) continue
      this.#byTick.delete(tick)
      for (const timeout of timeouts) {
        timeout.among = this.#expired
        this.#expired.add(timeout)
      }
    }
    if (!isFiring) this.#fireSome()
    if (this.#byTick.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #fireSome(): void {
    let fired = 0
    for (const timeout of this.#expired) {
      if (fired++ === MOST_AT_ONCE) break
      this.#expired.delete(timeout)
      timeout.onTimeout()
    }
    if (this.#expired.size > 0) setImmediate(() => this.#fireSome())
  }
}
