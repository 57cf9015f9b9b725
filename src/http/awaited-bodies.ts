/** So many bodies of one connection are waited for, however many are in all. */
const MOST_OF_ONE = 8

/** A body that is waited for. */
export interface AwaitedBody {
  /** So much of it has come that it is no older than one that begins now. */
  renew(): void
  /** It is not waited for any more. */
  over(): void
}

interface Awaited {
  readonly cut: () => void
  /** Whose it is, where that was asked. */
  readonly connection: string | undefined
}

/**
 * Bodies that have not come yet. Each takes memory that nobody counts, so there is a bound to them. Half of it is there
 * for anybody. From then on it is noted of which connection they are, and when all are taken, one that has us wait for
 * many gets no more; in place of others the oldest is given up, as it is the likeliest never to come.
 */
export class AwaitedBodies {
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
   * @param cut called at most once, when the body is given up; it counts as over then
   * @returns `undefined` where it must not be waited for
   */
  enter(connectionOf: () => string | undefined, cut: () => void): AwaitedBody | undefined {
    if (this.refuses(connectionOf)) return undefined
    const connection = this.isCrowded ? connectionOf() : undefined
    if (connection !== undefined) this.#byConnection.set(connection, this.#ownOf(connection) + 1)
    if (this.#isFull) this.#giveUpOldest()
    const awaited: Awaited = { cut, connection }
    this.#awaited.add(awaited)
    return {
      renew: () => {
        if (this.#awaited.delete(awaited)) this.#awaited.add(awaited)
      },
      over: () => this.#leave(awaited),
    }
  }

  get #isFull(): boolean {
    return this.#most > 0 && this.#awaited.size >= this.#most
  }

  #ownOf(connection: string | undefined): number {
    return connection === undefined ? 0 : (this.#byConnection.get(connection) ?? 0)
  }

  #giveUpOldest(): void {
    const [oldest] = this.#awaited
    if (oldest === undefined) return
    this.#leave(oldest)
    oldest.cut()
  }

  #leave(awaited: Awaited): void {
    const { connection } = awaited
    if (!this.#awaited.delete(awaited) || connection === undefined) return
    const others = (this.#byConnection.get(connection) ?? 0) - 1
    if (others > 0) this.#byConnection.set(connection, others)
    else this.#byConnection.delete(connection)
  }
}
