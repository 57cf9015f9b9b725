import type { Awaitable } from '../../scheduling/awaitable.ts'

/** How long requests are begun in the turn of the event loop in which they come, in milliseconds. */
const MOST_MS = 1
/** The same while many come at once again and again: what is begun lasts beside what it takes to have them wait. */
const CROWDED_MS = 0.25
/** So many have to wait at the end of a turn in which many come. */
const CROWD = 192
/** So long after the last such turn it is taken for likely that there are more, in milliseconds. */
const WARY_MS = 1000
/** In later turns: how long those that wait are lined up, and how long they are begun, in milliseconds. */
const LATER_MS = 0.5
/** Requests between two looks at the clock. */
const LOOK_EVERY = 4

/** A request that waits. Hundreds can come at once, only to be broken off: nothing is asked of one before its time. */
export interface Waiting<T> {
  /** By which connection it came, where all of that is of one network. A system call, so it is not asked of all. */
  connection(): string | undefined
  /** Whose it is. */
  network(): string
  answer(): Awaitable<T>
}

interface Entry<T> {
  readonly waiting: Waiting<T>
  readonly resolve: (answer: Awaitable<T>) => void
}

/**
 * Shares the event loop out among clients. What comes in one turn is answered in it while that takes but a moment. The
 * rest waits for turns to come, in which every network has one request answered after the other: of hundreds that come at
 * once, as HTTP/2 lets anybody send them, most wait behind those of others.
 */
export class FairQueue<T> {
  /** What has come in this turn and waits, in that order. */
  #coming: Entry<T>[] = []
  /** The same of turns before, each for itself; nobody has asked yet whose they are. */
  readonly #arrived: Entry<T>[][] = []
  readonly #byNetwork = new Map<string, Set<Entry<T>>>()
  #seen = 0
  #begunAt: number | undefined
  #isOver = false
  /** Whether the loop has looked for others since the first of those that wait has come. */
  #isPassed = false
  #crowdedAt = Number.NEGATIVE_INFINITY

  /** Asked once for each request: whether it has to wait. */
  isOver(): boolean {
    if (++this.#seen % LOOK_EVERY === 0) this.#look()
    return this.#isOver
  }

  /** Answers in a turn to come. */
  later(waiting: Waiting<T>): Promise<T> {
    return new Promise((resolve) => this.#coming.push({ waiting, resolve }))
  }

  #look(): void {
    const now = performance.now()
    const most = now - this.#crowdedAt < WARY_MS ? CROWDED_MS : MOST_MS
    if (this.#begunAt === undefined) this.#begin(now)
    else this.#isOver = now - this.#begunAt > most
  }

  /** A turn lasts until the loop has looked at all that came. */
  #begin(now: number): void {
    this.#begunAt = now
    setImmediate(() => this.#next())
  }

  #next(): void {
    this.#isOver = false
    this.#begunAt = undefined
    this.#endTurn()
    if (this.#arrived.length === 0 && this.#byNetwork.size === 0) {
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

  #endTurn(): void {
    if (this.#coming.length === 0) return
    if (this.#coming.length > CROWD) this.#crowdedAt = performance.now()
    this.#arrived.push(this.#coming)
    this.#coming = []
  }

  /** Those that have come stand behind others of their network. */
  #lineUp(): void {
    const until = performance.now() + LATER_MS
    let [turn] = this.#arrived
    while (turn !== undefined && performance.now() < until) {
      const network = turn[0]?.waiting.network() ?? ''
      const line = this.#byNetwork.get(network) ?? new Set()
      this.#byNetwork.set(network, line)
      for (const entry of turn.splice(0, ofFirst(turn))) line.add(entry)
      if (turn.length > 0) continue
      this.#arrived.shift()
      turn = this.#arrived[0]
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

/**
 * What comes by one connection in a turn comes one after the other, and by some it is hundreds: to ask the second, the
 * third, the fifth and so on is enough.
 * @returns how many of a turn, from its first on, are of the same connection; fewer where that takes less asking
 */
function ofFirst<T>(turn: readonly Entry<T>[]): number {
  const connection = turn[0]?.waiting.connection()
  let count = 1
  if (connection === undefined) return count
  for (let step = 1; turn[count + step - 1]?.waiting.connection() === connection; step *= 2) count += step
  return count
}

function answer<T>({ waiting, resolve }: Entry<T>): void {
  try {
    resolve(waiting.answer())
  } catch (thrown) {
    resolve(Promise.reject(thrown))
  }
}
