/** Time for long work in one turn of the event loop, in milliseconds. */
const HOLD_MS = 5
/** Most waiting pieces of work that go on in one turn. */
const MOST_RESUMED = 16

/**
 * The time of each turn of the event loop, shared by all long work of the process: so the turn is as short for a hundred
 * long requests as for one. Work asks after each step whether the time is over, and then waits for its turn.
 */
class LoopTurn {
  /** End of the time of this turn; `undefined` before the first long work of the turn. */
  #end: number | undefined
  /** Work that has gone on before, and work that has not: both take turns. */
  #going: (() => void)[] = []
  #fresh: (() => void)[] = []
  #wasFresh = false
  /** Callbacks of the next turn, and those left of this one. */
  #scheduled = 0
  #left = 0

  /** Whether long work has begun in this turn. */
  get hasBegun(): boolean {
    return this.#end !== undefined
  }

  /** Whether long work must pause. Must be asked after each step: the first question begins the time of the turn. */
  get isOver(): boolean {
    const now = performance.now()
    if (this.#end !== undefined) return now > this.#end
    this.#end = now + HOLD_MS
    if (this.#scheduled === 0) this.#schedule()
    return false
  }

  /**
   * Resolves when it is the turn of the work, at the earliest in the next turn of the event loop.
   * @param isFresh whether it has not waited before: then it waits before the next work of the others
   */
  pause(isFresh = false): Promise<void> {
    return new Promise((resolve) => {
      if (isFresh) this.#fresh.push(resolve)
      else this.#going.push(resolve)
      if (this.#scheduled < MOST_RESUMED) this.#schedule()
    })
  }

  /** The loop settles promises between two callbacks, so each callback resumes one piece of work. */
  #schedule(): void {
    this.#scheduled++
    setImmediate(this.#scheduled === 1 ? () => this.#begin() : () => this.#follow())
  }

  #begin(): void {
    this.#left = this.#scheduled
    this.#scheduled = 0
    this.#end = undefined
    this.#goOn()
  }

  /** A callback that is not the first of its turn. */
  #follow(): void {
    // The first one can be lost where the loop runs within a callback, as a test runner lets it.
    if (this.#left > 0) this.#goOn()
    else {
      this.#scheduled = 1
      this.#begin()
    }
  }

  #goOn(): void {
    this.#left--
    if (this.#waiting > 0 && !this.isOver) this.#takeNext()?.()
    if (this.#waiting > 0 && this.#scheduled === 0) this.#schedule()
    if (this.#left > 0) return
    const needed = Math.min(this.#waiting, MOST_RESUMED)
    while (this.#scheduled < needed) this.#schedule()
  }

  get #waiting(): number {
    return this.#going.length + this.#fresh.length
  }

  #takeNext(): (() => void) | undefined {
    this.#wasFresh = this.#going.length === 0 || (this.#fresh.length > 0 && !this.#wasFresh)
    return (this.#wasFresh ? this.#fresh : this.#going).shift()
  }
}

/** Of the process, as the event loop is. */
export const loopTurn = new LoopTurn()
