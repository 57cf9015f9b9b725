/** Maximum indexes whose last use is cached. */
const MAX_CACHED_USES = 65_536

/** When queries have used the indexes of a tree, in milliseconds since 1970. It is not stored for each use. */
export class IndexUses {
  /** By index id: since the last call of `take`, and before it. */
  #used = new Map<number, number>()
  readonly #usedBefore = new Map<number, number>()
  readonly #clock: { readonly now: number } | undefined

  /** @param clock milliseconds since 1970. Default: that of this process */
  constructor(clock?: { readonly now: number }) {
    this.#clock = clock
  }

  /** Records that a query has used an index. */
  record(id: number): void {
    this.#used.set(id, this.#clock?.now ?? Date.now())
  }

  /** The last use: the cached time is newer than the stored one. */
  of({ id, usedAt }: { readonly id: number; readonly usedAt: number }): number {
    return this.#used.get(id) ?? this.#usedBefore.get(id) ?? usedAt
  }

  /** The uses since the last call, to be stored. */
  take(): ReadonlyMap<number, number> {
    const used = this.#used
    this.#used = new Map()
    if (this.#usedBefore.size + used.size > MAX_CACHED_USES) this.#usedBefore.clear()
    for (const [id, at] of used) this.#usedBefore.set(id, at)
    return used
  }
}
