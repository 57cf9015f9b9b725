/** Takes the time at every turn of the event loop. It keeps one core busy while it runs. */
export class LoopProbe {
  #longestMs = 0
  #running = false
  #lastTurn = 0

  start(): void {
    this.#running = true
    this.#lastTurn = performance.now()
    const turn = () => {
      if (!this.#running) return
      this.#measure()
      setImmediate(turn)
    }
    setImmediate(turn)
  }

  /** The longest turn since the last call, in milliseconds by the clock: whatever else used the core counts too. */
  take(): number {
    this.#measure()
    const longestMs = this.#longestMs
    this.#longestMs = 0
    this.#lastTurn = performance.now()
    return longestMs
  }

  stop(): number {
    this.#running = false
    return this.take()
  }

  #measure(): void {
    const now = performance.now()
    this.#longestMs = Math.max(this.#longestMs, now - this.#lastTurn)
    this.#lastTurn = now
  }
}
