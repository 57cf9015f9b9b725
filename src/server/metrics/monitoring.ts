import type { MonitorPort, StreamsPort } from '../../admin/ports/monitor.ts'
import type { Readiness } from '../../applications/readiness.ts'
import { OpenStreams, type StreamFacts } from '../../http/streams/open-streams.ts'
import { LastHour } from '../../monitor/last-hour.ts'
import { Metrics } from '../../monitor/metrics.ts'
import { RecentRequests } from '../../monitor/recent-requests.ts'
import type { Observer } from '../../observer.ts'
import type { LogObserver } from '../logging/log.ts'
import { observeBoth } from '../logging/observers.ts'
import { DatabaseMetrics } from './database-metrics.ts'
import { PrometheusPage } from './metrics-page.ts'

export interface MonitoringOptions {
  /** Time from which a request is slow, in milliseconds. */
  readonly slowMs: number
  /** Whether the storage is a database server. */
  readonly isInDatabase: boolean
}

/** What the operator sees of a running server: counts, the last requests, open streams. */
export class Monitoring {
  /** Where the listeners enter their streams. */
  readonly streams = new OpenStreams()
  readonly #metrics = new Metrics()
  readonly #database: DatabaseMetrics | undefined
  readonly #recent: RecentRequests
  readonly #hour = new LastHour(this.#metrics)
  #page: PrometheusPage | undefined

  constructor({ slowMs, isInDatabase }: MonitoringOptions) {
    this.#recent = new RecentRequests(slowMs)
    this.#database = isInDatabase ? new DatabaseMetrics() : undefined
  }

  /** Passes events here and to a log. */
  observer(log: Required<LogObserver>): Observer {
    return observeBoth(this.#metrics, this.#recent, log, this.#database)
  }

  /** The page of metrics. @param readiness asked for each page */
  page(readiness: () => Promise<Readiness>): PrometheusPage {
    this.#page ??= new PrometheusPage(this.#metrics, readiness, this.#database)
    return this.#page
  }

  /** For admin operations. */
  get ports(): { readonly monitor: MonitorPort; readonly streams: StreamsPort } {
    const { streams } = this
    return {
      monitor: {
        hour: () => this.#hour.read(),
        requests: (kind, application) => this.#recent.read(kind, application),
      },
      streams: {
        list: (application, limit) => streams.list(application, limit, listedStream),
        end: (id, application) => streams.end(id, application),
      },
    }
  }

  /** Stops measuring. */
  close(): void {
    this.#page?.close()
    this.#hour[Symbol.dispose]()
  }
}

function listedStream(id: string, stream: StreamFacts) {
  const { applicationId: application, path, query, since, address, uid, bytesSent, waitingBytes } = stream
  return {
    ...{ id, application, path, since, bytesSent, waitingBytes },
    ...(query === undefined ? {} : { query }),
    ...(address === undefined ? {} : { address }),
    ...(uid === undefined ? {} : { uid }),
  }
}
