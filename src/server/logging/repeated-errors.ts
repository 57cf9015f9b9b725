/** Time for which an error is not logged again, in milliseconds. */
const QUIET_MS = 60_000
/** Different errors that are remembered. */
const MOST_ERRORS = 100

/** Keeps an error that repeats from filling the log. */
export class RepeatedErrors {
  readonly #known = new Map<string, { readonly loggedAt: number; omitted: number }>()

  /** @returns how often it was left out since it was logged last; `undefined`: leave it out now */
  take(error: string, now = performance.now()): number | undefined {
    const known = this.#known.get(error)
    if (known !== undefined && now - known.loggedAt < QUIET_MS) {
      known.omitted++
      return undefined
    }
    this.#known.delete(error)
    const [oldest] = this.#known.keys()
    if (this.#known.size >= MOST_ERRORS && oldest !== undefined) this.#known.delete(oldest)
    this.#known.set(error, { loggedAt: now, omitted: 0 })
    return known?.omitted ?? 0
  }
}
