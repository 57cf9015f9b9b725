/** Maximum pending bodies per connection once the global limit is reached. */
const MOST_OF_ONE = 8
/** Least number of bodies to abort in one step, and the share of the surplus. */
const LEAST_AT_ONCE = 4
const SHARE_AT_ONCE = 0.25

/** A body that has not arrived yet. */
export interface PendingBody {
  /** Counts the body as the newest one. */
  renew(): void
  /** Ends the wait; later calls do nothing. */
  leave(): void
}

interface Entry {
  readonly abort: () => void
  /** Connection of the body, if it was resolved. */
  readonly connection: string | undefined
}

/**
 * Bounds the number of bodies that have not arrived yet, as each takes memory that is not counted. Connections are
 * counted once half of the bodies are pending. At the limit a connection with many pending bodies gets no more; for any
 * other the oldest body is aborted, because it is the least likely to arrive. Bodies are aborted in steps: an error reply
 * takes far longer than the beginning of a request, and many bodies arrive meanwhile.
 */
export class PendingBodies {
  readonly #most: number
  readonly #entries = new Set<Entry>()
  readonly #byConnection = new Map<string, number>()
  #isAborting = false

  /** @param most at once; 0 means unlimited */
  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#entries.size
  }

  /** Whether the limit is exceeded. */
  get areTooMany(): boolean {
    return this.#surplus > 0
  }

  /** Whether half of the limit is reached. */
  get isCrowded(): boolean {
    return this.#most > 0 && this.#entries.size >= this.#most / 2
  }

  /** Number of connections counted now. */
  get connections(): number {
    return this.#byConnection.size
  }

  /** Whether another body of a connection must not be waited for. */
  refuses(connectionOf: () => string | undefined): boolean {
    return this.#isFull && this.#countOf(connectionOf()) >= MOST_OF_ONE
  }

  /**
   * Adds a body. Above the limit others are aborted in later turns of the event loop.
   * @param connectionOf called only when there are many bodies; `undefined` is not counted
   * @param abort called at most once; the body has left by then
   * @returns `undefined` if the body is refused
   */
  enter(connectionOf: () => string | undefined, abort: () => void): PendingBody | undefined {
    if (this.refuses(connectionOf)) return undefined
    const connection = this.isCrowded ? connectionOf() : undefined
    if (connection !== undefined) this.#byConnection.set(connection, this.#countOf(connection) + 1)
    const entry: Entry = { abort, connection }
    this.#entries.add(entry)
    this.#abortLater()
    return {
      renew: () => {
        if (this.#entries.delete(entry)) this.#entries.add(entry)
      },
      leave: () => this.#leave(entry),
    }
  }

  /** Aborts some of the oldest bodies, if there are too many. */
  abortOldest(): void {
    const surplus = this.#surplus
    const count = Math.min(surplus, Math.max(LEAST_AT_ONCE, Math.ceil(surplus * SHARE_AT_ONCE)))
    for (const entry of this.#entries.values().take(count).toArray()) {
      this.#leave(entry)
      entry.abort()
    }
  }

  /** Aborts bodies in later turns of the event loop, until the limit holds. */
  #abortLater(): void {
    if (this.#isAborting || !this.areTooMany) return
    this.#isAborting = true
    setImmediate(() => {
      this.#isAborting = false
      this.abortOldest()
      this.#abortLater()
    })
  }

  get #surplus(): number {
    return this.#most > 0 ? Math.max(0, this.#entries.size - this.#most) : 0
  }

  get #isFull(): boolean {
    return this.#most > 0 && this.#entries.size >= this.#most
  }

  #countOf(connection: string | undefined): number {
    return connection === undefined ? 0 : (this.#byConnection.get(connection) ?? 0)
  }

  #leave(entry: Entry): void {
    const { connection } = entry
    if (!this.#entries.delete(entry) || connection === undefined) return
    const others = this.#countOf(connection) - 1
    if (others > 0) this.#byConnection.set(connection, others)
    else this.#byConnection.delete(connection)
  }
}
