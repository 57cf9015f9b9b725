/** Runs a bounded number of tasks at once; further tasks wait and start in order. */
export class TaskLimit {
  readonly #most: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Number of tasks that run now. */
  get running(): number {
    return this.#running
  }

  /** Whether a further task would wait. */
  get isFull(): boolean {
    return this.#running >= this.#most
  }

  /** Whether no task runs or waits. */
  get isIdle(): boolean {
    return this.#running === 0 && this.#waiting.length === 0
  }

  /** Runs a task when its turn has come. @throws what the task throws */
  async run<T>(task: () => T | Promise<T>): Promise<T> {
    if (this.#running >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
    try {
      return await task()
    } finally {
      // The next task takes over the place of this one.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next()
    }
  }
}
