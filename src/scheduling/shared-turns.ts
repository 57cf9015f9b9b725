/** Longest time that the pieces of one turn block the event loop, in milliseconds. */
const HOLD_MS = 5
/** Pieces of a turn that begin without a look at the time. */
const FEW = 8

/**
 * Runs pieces of work one after the other, as many in each turn of the event loop as are done within `HOLD_MS`. A piece
 * that waits for something delays the next one by a turn at most.
 */
export class SharedTurns {
  readonly #waiting: (() => Promise<void>)[] = []
  #isRunning = false
  /** Number of pieces that have begun in this turn. */
  #begun = 0

  /** Runs a piece, now or in a later turn. @param piece never rejects */
  add(piece: () => Promise<void>): void {
    if (this.#begun < FEW && !this.#isRunning) {
      if (this.#begun === 0) setImmediate(() => (this.#begun = 0))
      this.#begun++
      void piece()
      return
    }
    this.#waiting.push(piece)
    if (!this.#isRunning) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      let isOver = false
      let goOn = () => {}
      const turn = new Promise<void>((resolve) =>
        setImmediate(() => {
          isOver = true
          goOn()
          resolve()
        }),
      )
      const end = performance.now() + HOLD_MS
      let done = 0
      for (const piece of this.#waiting) {
        done++
        await new Promise<void>((resolve) => {
          goOn = resolve
          void piece().then(resolve)
        })
        if (isOver || performance.now() > end) break
      }
      this.#waiting.splice(0, done)
      await turn
    }
    this.#isRunning = false
  }
}
