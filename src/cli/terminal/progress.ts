/** Minimum time between two updates: a faster line is unreadable. */
const MIN_UPDATE_MS = 100
const ERASE_LINE = '\r\u001b[K'
const MEGA = 1_000_000
const MEBI = 1024 * 1024

/** Progress of a long command: one line on the terminal; nothing without a terminal. */
class ProgressLine {
  readonly #isShown: boolean
  readonly #begin = performance.now()
  #shownAt = Number.NEGATIVE_INFINITY

  /** @param isShown `false` never shows a line */
  constructor(isShown: boolean) {
    this.#isShown = isShown && process.stderr.isTTY
  }

  /** Rewrites the line, unless it has just changed. @param textOf makes the text from the seconds so far */
  protected update(textOf: (seconds: number) => string): void {
    const now = performance.now()
    if (!this.#isShown || now - this.#shownAt < MIN_UPDATE_MS) return
    this.#shownAt = now
    process.stderr.write(ERASE_LINE + textOf(Math.max((now - this.#begin) / 1000, 0.001)))
  }

  /** Removes the line. */
  clear(): void {
    if (this.#isShown) process.stderr.write(ERASE_LINE)
  }
}

/** Progress as a count of things. */
export class Progress extends ProgressLine {
  readonly #what: string
  readonly #total: number | undefined

  /**
   * @param what name of the counted things, such as `messages`
   * @param total amount of work, in any unit; `undefined` when unknown
   */
  constructor(what: string, total: number | undefined, isShown: boolean) {
    super(isShown)
    this.#what = what
    this.#total = total
  }

  /** @param done finished part of the total */
  show(count: number, done = 0): void {
    this.update((seconds) => {
      const percent = this.#total ? `, ${Math.floor((100 * done) / this.#total)} %` : ''
      return `${count} ${this.#what}, ${Math.round(count / seconds)}/s${percent}`
    })
  }
}

/** Progress of copying a tree. */
export class CopyProgress extends Progress {
  constructor(isShown: boolean) {
    super('MiB copied', 1, isShown)
  }

  /** @param total approximate: a copy is compact, and may be complete before it reaches the size of its tree */
  showBytes(bytes: number, total: number): void {
    this.show(Math.round(bytes / MEBI), Math.min(bytes / Math.max(total, 1), 1))
  }
}

/** Progress as a number of bytes, with the remaining time. */
export class ByteProgress extends ProgressLine {
  readonly #total: number | undefined
  #first: number | undefined

  /** @param total all bytes; `undefined` when unknown */
  constructor(total: number | undefined, isShown: boolean) {
    super(isShown)
    this.#total = total
  }

  /** @param done bytes so far; the first call may include bytes of an earlier run */
  show(done: number): void {
    this.#first ??= done
    const first = this.#first
    this.update((seconds) => {
      const rate = (done - first) / seconds
      return `${this.#percent(done)}${megabytes(done)}, ${megabytes(rate)}/s${this.#remaining(done, rate)}`
    })
  }

  #percent(done: number): string {
    return this.#total === undefined ? '' : `${Math.floor((100 * done) / Math.max(this.#total, 1))} %, `
  }

  #remaining(done: number, rate: number): string {
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
