import { failureKind } from './database-errors.ts'
import { placeOf, problemOf, reasonOf } from './database-problem.ts'

/** Reports that the database is away, once, and that it is back. */
export interface OutageEvents {
  /** @param reason in words, without a password */
  onAway(place: string, reason: string): void
  /** @param milliseconds time since `onAway` */
  onBack(place: string, milliseconds: number): void
}

/** Whether connections to the database can be opened. */
export class Outage {
  readonly #url: string
  readonly #events: OutageEvents
  #hasBegun = false
  /** What has failed first, and when; `undefined` while connections can be opened. */
  #failure: { readonly since: number; isReported: boolean } | undefined

  constructor(url: string, events: OutageEvents) {
    this.#url = url
    this.#events = events
  }

  /** No connection could be opened. */
  async failed(error: unknown): Promise<void> {
    if (this.#failure !== undefined || failureKind(error) === 'bug') return
    const failure = { since: performance.now(), isReported: false }
    this.#failure = failure
    // The start itself reports settings with which no connection can be opened, and ends.
    if (!this.#hasBegun && !(await problemOf(error, { url: this.#url })).isAway) return
    if (this.#failure !== failure) return
    failure.isReported = true
    this.#events.onAway(placeOf(this.#url), reasonOf(error))
  }

  /** A connection was opened. */
  ended(): void {
    this.#hasBegun = true
    const failure = this.#failure
    this.#failure = undefined
    if (failure?.isReported === true) this.#events.onBack(placeOf(this.#url), performance.now() - failure.since)
  }
}
