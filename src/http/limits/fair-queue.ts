import type { Awaitable } from '../../scheduling/awaitable.ts'

/** Time in which requests start in the turn of the event loop in which they arrive, in milliseconds. */
const FIRST_TURN_MS = 1
/** The same while no second network has been seen for `ALONE_AFTER_MS`, so that no other client waits. */
const ALONE_TURN_MS = 4
const ALONE_AFTER_MS = 1000
/** The same in crowded mode, where the queue itself takes time. */
const CROWDED_MS = 0.25
/** Requests queued in one turn from which the queue is in crowded mode. */
const CROWD = 192
/** How long crowded mode lasts after the last crowded turn, in milliseconds. */
const CROWDED_FOR_MS = 1000
/** Time to sort queued requests by network, and time to start them, in each later turn, in milliseconds. */
const LATER_MS = 0.5
/** Requests between two reads of the clock. */
const REQUESTS_PER_CLOCK_READ = 4

/** What is known of requests. Clients may abort hundreds at once, so all of it is looked up as late as possible. */
export interface Requests<R, T> {
  /** Connection, if all its requests are of one network. A system call, so it is not resolved for every request. */
  connection(request: R): string | undefined
  /** Network of the client. */
  network(request: R): string
  answer(request: R): Awaitable<T>
}

interface Entry<R, T> {
  readonly request: R
  readonly resolve: (answer: Awaitable<T>) => void
}

/**
 * Shares the event loop among clients. Requests of one turn start in that turn for a short time. The others are queued
 * for later turns, in which the networks take turns with one request each. So a client that sends hundreds of requests at
 * once, as HTTP/2 allows, delays mostly itself. While there is only one network, more requests start at once.
 */
export class FairQueue<R, T> {
  readonly #requests: Requests<R, T>
  /** Requests queued in this turn, in order. */
  #coming: Entry<R, T>[] = []
  /** Requests queued in earlier turns, a list each, whose networks are not resolved. */
  readonly #arrived: Entry<R, T>[][] = []
  readonly #byNetwork = new Map<string, Set<Entry<R, T>>>()
  #seen = 0
  #begunAt: number | undefined
  #isOver = false
  /** Whether the loop has accepted other requests since the first of the queued ones arrived. */
  #isPassed = false
  #crowdedAt = Number.NEGATIVE_INFINITY
  /** The network seen last, and the time at which another one was. */
  #network: string | undefined
  #changedAt = Number.NEGATIVE_INFINITY

  constructor(requests: Requests<R, T>) {
    this.#requests = requests
  }

  /** Whether a request must be queued. Must be called once for each request. */
  isOver(request: R): boolean {
    if (++this.#seen % REQUESTS_PER_CLOCK_READ === 0 && !this.#isOver) this.#readClock(request)
    return this.#isOver
  }

  /** Answers a request in a later turn. */
  later(request: R): Promise<T> {
    return new Promise((resolve) => this.#coming.push({ request, resolve }))
  }

  #readClock(request: R): void {
    const now = performance.now()
    if (this.#begunAt === undefined) {
      this.#begin(now)
      return
    }
    const lasted = now - this.#begunAt
    const isCrowded = now - this.#crowdedAt < CROWDED_FOR_MS
    if (isCrowded) this.#isOver = lasted > CROWDED_MS
    else this.#isOver = lasted > FIRST_TURN_MS && (lasted > ALONE_TURN_MS || !this.#isAlone(request, now))
  }

  /** Whether a request is of the only network there is. Asked in long turns only, as it costs a system call. */
  #isAlone(request: R, now: number): boolean {
    const network = this.#requests.network(request)
    if (network !== this.#network) {
      this.#network = network
      this.#changedAt = now
    }
    return now - this.#changedAt >= ALONE_AFTER_MS
  }

  /** Begins a turn. It lasts until the loop has accepted all requests that have arrived. */
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
    // The loop accepts the requests that arrived during the turn before the queued ones start.
    if (this.#isPassed) {
      this.#sortByNetwork()
      this.#startInTurn()
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

  /** Queues arrived requests behind the others of their network. */
  #sortByNetwork(): void {
    const until = performance.now() + LATER_MS
    let [turn] = this.#arrived
    while (turn !== undefined && performance.now() < until) {
      const network = turn[0] === undefined ? '' : this.#requests.network(turn[0].request)
      const line = this.#byNetwork.get(network) ?? new Set()
      this.#byNetwork.set(network, line)
      for (const entry of turn.splice(0, this.#countOfFirst(turn))) line.add(entry)
      if (turn.length > 0) continue
      this.#arrived.shift()
      turn = this.#arrived[0]
    }
  }

  /** Starts one request of each network after the other. */
  #startInTurn(): void {
    const until = performance.now() + LATER_MS
    for (const [network, line] of this.#byNetwork) {
      // A map lists an entry that is set again last.
      this.#byNetwork.delete(network)
      const [first] = line
      if (first === undefined) continue
      line.delete(first)
      if (line.size > 0) this.#byNetwork.set(network, line)
      this.#start(first)
      if (performance.now() > until) break
    }
  }

  /**
   * Counts the requests at the start of a turn that came by one connection. They are adjacent and may be hundreds, so it
   * resolves the connections of the second, third, fifth and so on only.
   * @returns a number that may be too low
   */
  #countOfFirst(turn: readonly Entry<R, T>[]): number {
    const connectionOf = (at: number) => {
      const entry = turn[at]
      return entry && this.#requests.connection(entry.request)
    }
    const connection = connectionOf(0)
    let count = 1
    if (connection === undefined) return count
    for (let step = 1; connectionOf(count + step - 1) === connection; step *= 2) count += step
    return count
  }

  #start({ request, resolve }: Entry<R, T>): void {
    try {
      resolve(this.#requests.answer(request))
    } catch (thrown) {
      resolve(Promise.reject(thrown))
    }
  }
}
