/** A line that changes more often is not read. */
const LEAST_MS = 100
const ERASE_LINE = '\r\u001b[K'

/** One line on the terminal, rewritten while something long goes on; nothing where there is no terminal. */
export class Progress {
  readonly #what: string
  readonly #total: number | undefined
  readonly #begin = performance.now()
  readonly #isShown: boolean
  #shownAt = Number.NEGATIVE_INFINITY

  /**
   * @param what is counted, such as `messages`
   * @param total all that is to be done, in any unit; `undefined` when it is not known
   * @param isShown `false` for none at all
   */
  constructor(what: string, total: number | undefined, isShown: boolean) {
    this.#what = what
    this.#total = total
    this.#isShown = isShown && process.stderr.isTTY
  }

  /** @param done how much of the total */
  show(count: number, done = 0): void {
    const now = performance.now()
    if (!this.#isShown || now - this.#shownAt < LEAST_MS) return
    this.#shownAt = now
    const rate = Math.round(count / Math.max((now - this.#begin) / 1000, 0.001))
    const part = this.#total ? `, ${Math.floor((100 * done) / this.#total)} %` : ''
    process.stderr.write(`${ERASE_LINE}${count} ${this.#what}, ${rate}/s${part}`)
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#isShown) process.stderr.write(ERASE_LINE)
  }
}
