import { failureKind } from './database-errors.ts'
import { placeOf, reasonOf } from './database-problem.ts'

/** Reports that the database is away, once, and that it is back. */
export interface OutageEvents {
  /** @param reason in words, without a password */
  onAway(place: string, reason: string): void
  /** @param milliseconds time since `onAway` */
  onBack(place: string, milliseconds: number): void
}

/** Whether connections to the database can be opened. */
export class Outage {
  readonly #place: string
  readonly #events: OutageEvents
  #since: number | undefined

  constructor(url: string, events: OutageEvents) {
    this.#place = placeOf(url)
    this.#events = events
  }

  /** No connection could be opened. */
  failed(error: unknown): void {
    if (this.#since !== undefined || failureKind(error) === 'bug') return
    this.#since = performance.now()
    this.#events.onAway(this.#place, reasonOf(error))
  }

  /** A connection was opened. */
  ended(): void {
    if (this.#since === undefined) return
    this.#events.onBack(this.#place, performance.now() - this.#since)
    this.#since = undefined
  }
}
