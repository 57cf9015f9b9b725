import type { ConnectionsPort, MonitorPort, StreamsPort } from '../../admin/ports/monitor.ts'
import type { Readiness } from '../../applications/readiness.ts'
import { OpenConnections } from '../../http/sdk/connection/open-connections.ts'
import { OpenStreams } from '../../http/streams/open-streams.ts'
import { Monitor } from '../../monitor/monitor.ts'
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
  /** Where the listeners enter what is open. */
  readonly lists = { streams: new OpenStreams(), connections: new OpenConnections() }
  readonly #monitor: Monitor
  readonly #database: DatabaseMetrics | undefined
  #page: PrometheusPage | undefined

  constructor({ slowMs, isInDatabase }: MonitoringOptions) {
    this.#monitor = new Monitor(slowMs)
    this.#database = isInDatabase ? new DatabaseMetrics() : undefined
  }

  /** Passes events here and to a log. */
  observer(log: Required<LogObserver>): Observer {
    return observeBoth(this.#monitor, log, this.#database)
  }

  /** The page of metrics. @param readiness asked for each page */
  page(readiness: () => Promise<Readiness>): PrometheusPage {
    this.#page ??= new PrometheusPage(this.#monitor.metrics, readiness, this.#database)
    return this.#page
  }

  /** For admin operations. */
  get ports(): {
    readonly monitor: MonitorPort
    readonly streams: StreamsPort
    readonly connections: ConnectionsPort
  } {
    return { monitor: this.#monitor, ...this.lists }
  }

  /** Stops measuring. */
  close(): void {
    this.#page?.close()
    this.#monitor.close()
  }
}
