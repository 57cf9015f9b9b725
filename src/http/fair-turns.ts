import type { Awaitable } from '../tree/awaitable.ts'

/** How long requests are begun in one turn of the event loop, in milliseconds. */
const MOST_MS = 2
/** Requests between two looks at the clock. */
const LOOK_EVERY = 16

/**
 * Shares the event loop out among clients. What comes in one turn is answered in it while that takes but a moment. The
 * rest waits for turns to come, in which every network has one request answered after the other: of hundreds that come at
 * once, as HTTP/2 lets anybody send them, most wait behind those of others.
 */
export class FairTurns {
  readonly #waiting = new Map<string, Set<() => void>>()
  #seen = 0
  #begunAt: number | undefined
  #isOver = false

  /** Asked once for each request: whether it has to wait. */
  isOver(): boolean {
    if (++this.#seen % LOOK_EVERY === 0) this.#look()
    return this.#isOver
  }

  /**
   * Answers in a turn to come.
   * @param network whose request it is
   */
  later<T>(network: string, answer: () => Awaitable<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const requests = this.#waiting.get(network) ?? new Set()
      this.#waiting.set(network, requests)
      requests.add(() => {
        try {
          resolve(answer())
        } catch (thrown) {
          reject(thrown)
        }
      })
    })
  }

  #look(): void {
    const now = performance.now()
    if (this.#begunAt === undefined) this.#begin(now)
    else this.#isOver = now - this.#begunAt > MOST_MS
  }

  /** A turn lasts until the loop has looked at all that came. */
  #begin(now: number): void {
    this.#begunAt = now
    setImmediate(() => this.#next())
  }

  #next(): void {
    this.#isOver = false
    this.#begunAt = undefined
    if (this.#waiting.size === 0) return
    const begunAt = performance.now()
    this.#begin(begunAt)
    // One of each in turn: a name that is put back stands last.
    for (const [network, requests] of this.#waiting) {
      this.#waiting.delete(network)
      const [first] = requests
      if (first === undefined) continue
      requests.delete(first)
      if (requests.size > 0) this.#waiting.set(network, requests)
      first()
      if (performance.now() - begunAt > MOST_MS) break
    }
    this.#begunAt = performance.now()
  }
}
