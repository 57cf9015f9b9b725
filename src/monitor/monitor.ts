import { type EndedRequest, type Observer, silentObserver } from '../observer.ts'
import { bothObservers } from './both-observers.ts'
import { type HourOfSteps, LastHour } from './last-hour.ts'
import { Metrics } from './metrics.ts'
import { type KeptRequest, type RecentKind, RecentRequests } from './recent-requests.ts'

/** What a service remembers of what it did: counts, the last hour, the last requests. */
export class Monitor {
  readonly metrics = new Metrics()
  readonly #hour = new LastHour(this.metrics)
  readonly #recent: RecentRequests

  /** @param slowMs time from which a request is slow, in milliseconds; 0 means 1 second */
  constructor(slowMs?: number) {
    this.#recent = new RecentRequests(slowMs)
  }

  requestEnded(request: EndedRequest): void {
    this.metrics.requestEnded(request)
    this.#recent.requestEnded(request)
  }

  /** Passes every event here and to another observer. */
  with(other: Observer): Observer {
    const kept: Observer = { ...silentObserver, requestEnded: (request) => this.#recent.requestEnded(request) }
    return bothObservers(bothObservers(this.metrics, kept), other)
  }

  hour(): HourOfSteps {
    return this.#hour.read()
  }

  /** The last requests of a kind, newest first. @param application only those of one application */
  requests(kind: RecentKind, application?: string): KeptRequest[] {
    return this.#recent.read(kind, application)
  }

  /** Stops measuring. */
  close(): void {
    this.#hour[Symbol.dispose]()
  }
}
