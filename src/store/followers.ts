import type { Commit, StoreFollower } from './store.ts'

/** The followers of a store. */
export class Followers {
  readonly #followers = new Set<StoreFollower>()
  readonly #onError: (error: unknown) => void

  /** @param onError called with what a follower throws: the jobs of the commits must be answered in any case */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  add(follower: StoreFollower): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  /** @returns what the followers of settings still do; it does not reject */
  report(commits: readonly Commit[], hasSettings: boolean): Promise<unknown> | undefined {
    const later: Promise<unknown>[] = []
    for (const follower of this.#followers) {
      try {
        const settled = hasSettings ? follower.settings?.() : undefined
        if (settled instanceof Promise) later.push(settled.catch(this.#onError))
      } catch (error) {
        this.#onError(error)
      }
      try {
        const later = commits.length === 0 ? undefined : follower.commits?.(commits)
        if (later instanceof Promise) later.catch(this.#onError)
      } catch (error) {
        this.#onError(error)
      }
    }
    return later.length === 0 ? undefined : Promise.all(later)
  }
}
