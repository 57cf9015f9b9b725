/** A line that changes more often is not read. */
const LEAST_MS = 100
const ERASE_LINE = '\r\u001b[K'
const MEGA = 1_000_000

/** How many bytes have been moved, on one line of the terminal; nothing where there is no terminal. */
export class TransferProgress {
  readonly #total: number | undefined
  readonly #begin = performance.now()
  readonly #isShown: boolean
  #shownAt = Number.NEGATIVE_INFINITY
  #first: number | undefined

  /**
   * @param total bytes in all; `undefined` when it is not known
   * @param isShown `false` for none at all
   */
  constructor(total: number | undefined, isShown: boolean) {
    this.#total = total
    this.#isShown = isShown && process.stderr.isTTY
  }

  /** @param done bytes so far; the first ones told may have been moved earlier */
  show(done: number): void {
    const now = performance.now()
    this.#first ??= done
    if (!this.#isShown || now - this.#shownAt < LEAST_MS) return
    this.#shownAt = now
    const rate = (done - this.#first) / Math.max((now - this.#begin) / 1000, 0.001)
    process.stderr.write(
      `${ERASE_LINE}${this.#share(done)}${megabytes(done)}, ${megabytes(rate)}/s${this.#left(done, rate)}`,
    )
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#isShown) process.stderr.write(ERASE_LINE)
  }

  #share(done: number): string {
    return this.#total === undefined ? '' : `${Math.floor((100 * done) / Math.max(this.#total, 1))} %, `
  }

  #left(done: number, rate: number): string {
    if (this.#total === undefined || rate === 0) return ''
    const seconds = Math.ceil((this.#total - done) / rate)
    const minutes = Math.floor(seconds / 60)
    return `, ${minutes > 0 ? `${minutes} min ` : ''}${seconds % 60} s left`
  }
}

/** `1.2 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / MEGA).toFixed(1)} MB`
}
