import type { Awaitable } from '../tree/awaitable.ts'

/** How long requests are begun in the turn of the event loop in which they come, in milliseconds. */
const MOST_MS = 1
/** In later turns: how long it is asked whose those are that wait, and how long they are begun. */
const LATER_MS = 0.5
/** Requests between two looks at the clock. */
const LOOK_EVERY = 4

/** A request that waits. Hundreds can come at once, only to be broken off: nothing is asked of one before its time. */
export interface Waiting<T> {
  /** Whose it is. */
  network(): string
  /** Whether nobody waits for the answer any more. It is asked for all the same, as then it takes no time. */
  isGone(): boolean
  answer(): Awaitable<T>
}

interface Entry<T> {
  readonly waiting: Waiting<T>
  readonly resolve: (answer: Awaitable<T>) => void
  readonly reject: (thrown: unknown) => void
}

/**
 * Shares the event loop out among clients. What comes in one turn is answered in it while that takes but a moment. The
 * rest waits for turns to come, in which every network has one request answered after the other: of hundreds that come at
 * once, as HTTP/2 lets anybody send them, most wait behind those of others.
 */
export class FairTurns<T> {
  /** In the order in which they came; nobody has asked yet whose they are. */
  readonly #arrived = new Set<Entry<T>>()
  readonly #byNetwork = new Map<string, Set<Entry<T>>>()
  #seen = 0
  #begunAt: number | undefined
  #isOver = false
  /** Whether the loop has looked for others since the first of those that wait has come. */
  #isPassed = false

  /** Asked once for each request: whether it has to wait. */
  isOver(): boolean {
    if (++this.#seen % LOOK_EVERY === 0) this.#look()
    return this.#isOver
  }

  /** Answers in a turn to come. */
  later(waiting: Waiting<T>): Promise<T> {
    return new Promise((resolve, reject) => this.#arrived.add({ waiting, resolve, reject }))
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
    if (this.#arrived.size === 0 && this.#byNetwork.size === 0) {
      this.#isPassed = false
      return
    }
    this.#begin(performance.now())
    // What has come since the turn began is looked at first: for all others it has lasted long enough.
    if (this.#isPassed) {
      this.#lineUp()
      this.#answerInTurn()
    }
    this.#isPassed = true
    this.#begunAt = performance.now()
  }

  /** Those that have come stand behind others of their network. */
  #lineUp(): void {
    const until = performance.now() + LATER_MS
    for (const entry of this.#arrived) {
      this.#arrived.delete(entry)
      if (entry.waiting.isGone()) {
        answer(entry)
      } else {
        const network = entry.waiting.network()
        const line = this.#byNetwork.get(network)
        if (line === undefined) this.#byNetwork.set(network, new Set([entry]))
        else line.add(entry)
      }
      if (performance.now() > until) break
    }
  }

  #answerInTurn(): void {
    const until = performance.now() + LATER_MS
    // One of each in turn: a name that is put back stands last.
    for (const [network, line] of this.#byNetwork) {
      this.#byNetwork.delete(network)
      const [first] = line
      if (first === undefined) continue
      line.delete(first)
      if (line.size > 0) this.#byNetwork.set(network, line)
      answer(first)
      if (performance.now() > until) break
    }
  }
}

function answer<T>({ waiting, resolve, reject }: Entry<T>): void {
  try {
    resolve(waiting.answer())
  } catch (thrown) {
    reject(thrown)
  }
}
