/** Resolves when the events of a commit were sent. */
interface Waiter {
  readonly seq: number
  readonly resolve: () => void
}

/** Promises that resolve when the events of a commit were sent, in the order of their commits. */
export class CommitWaiters {
  #waiters: Waiter[] = []

  /** Number of the commit that was waited for last; `undefined` while there is none. */
  get last(): number | undefined {
    return this.#waiters.at(-1)?.seq
  }

  add(seq: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiters.push({ seq, resolve })
    return promise
  }

  /** The events of all commits up to one were sent. */
  wake(seq: number): void {
    if (this.#waiters.length === 0) return
    const waiters = this.#waiters
    this.#waiters = waiters.filter((waiter) => waiter.seq > seq)
    for (const waiter of waiters) if (waiter.seq <= seq) waiter.resolve()
  }
}
