/** So many bodies of one connection are waited for, however many are in all. */
const MOST_OF_ONE = 8
/** Given up at once, at least; and so large a share of those that are too many. */
const LEAST_AT_ONCE = 4
const SHARE_AT_ONCE = 0.25

/** A body that is waited for. */
export interface PendingBody {
  /** So much of it has come that it is no older than one that begins now. */
  renew(): void
  /** It is not waited for any more. */
  over(): void
}

interface Awaited {
  readonly abort: () => void
  /** Whose it is, where that was asked. */
  readonly connection: string | undefined
}

/**
 * Bodies that have not come yet. Each takes memory that nobody counts, so there is a bound to them. Half of it is there
 * for anybody. From then on it is noted of which connection they are, and when all are taken, one that has us wait for
 * many gets no more; in place of others the oldest is given up, as it is the likeliest never to come. That is done in steps
 * beside other work: to answer takes far longer than to begin, and many bodies are there before their place is needed.
 */
export class PendingBodies {
  readonly #most: number
  readonly #awaited = new Set<Awaited>()
  readonly #byConnection = new Map<string, number>()

  /** @param most at once; 0: any number */
  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#awaited.size
  }

  /** Whether some must be given up. */
  get areTooMany(): boolean {
    return this.#surplus > 0
  }

  /** Whether half of them are taken. */
  get isCrowded(): boolean {
    return this.#most > 0 && this.#awaited.size >= this.#most / 2
  }

  /** Connections that are counted now. */
  get connections(): number {
    return this.#byConnection.size
  }

  /** @returns whether one more body of a connection must not be waited for */
  refuses(connectionOf: () => string | undefined): boolean {
    return this.#isFull && this.#ownOf(connectionOf()) >= MOST_OF_ONE
  }

  /**
   * @param connectionOf asked only when there are many; `undefined` is nobody in particular
   * @param abort called at most once, by `giveUp`; it counts as over then
   * @returns `undefined` where it must not be waited for
   */
  enter(connectionOf: () => string | undefined, abort: () => void): PendingBody | undefined {
    if (this.refuses(connectionOf)) return undefined
    const connection = this.isCrowded ? connectionOf() : undefined
    if (connection !== undefined) this.#byConnection.set(connection, this.#ownOf(connection) + 1)
    const awaited: Awaited = { abort, connection }
    this.#awaited.add(awaited)
    return {
      renew: () => {
        if (this.#awaited.delete(awaited)) this.#awaited.add(awaited)
      },
      over: () => this.#leave(awaited),
    }
  }

  /** Gives up some of the oldest, if there are too many. */
  giveUp(): void {
    const surplus = this.#surplus
    const count = Math.min(surplus, Math.max(LEAST_AT_ONCE, Math.ceil(surplus * SHARE_AT_ONCE)))
    for (const awaited of this.#awaited.values().take(count).toArray()) {
      this.#leave(awaited)
      awaited.abort()
    }
  }

  /** So many are waited for that should not be. */
  get #surplus(): number {
    return this.#most > 0 ? Math.max(0, this.#awaited.size - this.#most) : 0
  }

  get #isFull(): boolean {
    return this.#most > 0 && this.#awaited.size >= this.#most
  }

  #ownOf(connection: string | undefined): number {
    return connection === undefined ? 0 : (this.#byConnection.get(connection) ?? 0)
  }

  #leave(awaited: Awaited): void {
    const { connection } = awaited
    if (!this.#awaited.delete(awaited) || connection === undefined) return
    const others = (this.#byConnection.get(connection) ?? 0) - 1
    if (others > 0) this.#byConnection.set(connection, others)
    else this.#byConnection.delete(connection)
  }
}
