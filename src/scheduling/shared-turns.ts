import { loopTurn } from './loop-turn.ts'

/** Pieces of a turn that begin without a look at the time. */
const FEW = 8

/**
 * Runs pieces of work one after the other, as many in each turn of the event loop as there is time for. A piece that waits
 * for something delays the next one by a turn at most.
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
      await loopTurn.pause()
      let isOver = false
      let goOn = () => {}
      setImmediate(() => {
        isOver = true
        goOn()
      })
      let done = 0
      for (const piece of this.#waiting) {
        done++
        await new Promise<void>((resolve) => {
          goOn = resolve
          void piece().then(resolve)
        })
        if (isOver || loopTurn.isOver) break
      }
      this.#waiting.splice(0, done)
    }
    this.#isRunning = false
  }
}
