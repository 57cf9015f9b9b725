import packageJson from '../../../package.json' with { type: 'json' }
import type { Readiness } from '../../applications/readiness.ts'
import type { MetricsPage, PrintedMetrics } from '../../http/system/metrics-page.ts'
import type { Metrics, Totals } from '../../monitor/metrics.ts'
import { OPERATIONS } from '../../observer.ts'
import { addConnections } from './connection-metrics.ts'
import type { DatabaseMetrics } from './database-metrics.ts'
import { watchProcess } from './process-metrics.ts'
import { Prometheus } from './prometheus.ts'

/**
 * Prints the metrics for Prometheus. Labels have fixed values, so the number of lines is bounded.
 * @see docs/how-to/monitor.md#metrics
 */
export class PrometheusPage implements MetricsPage {
  readonly #metrics: Metrics
  readonly #readiness: () => Promise<Readiness>
  #page: Promise<Prometheus> | undefined
  #stopWatching = () => {}

  readonly #database: DatabaseMetrics | undefined

  /**
   * @param readiness asked for each page
   * @param database counts of the database server; `undefined` where files are the storage
   */
  constructor(metrics: Metrics, readiness: () => Promise<Readiness>, database?: DatabaseMetrics) {
    this.#database = database
    this.#metrics = metrics
    this.#readiness = readiness
  }

  async print(): Promise<PrintedMetrics> {
    this.#page ??= this.#load()
    const page = await this.#page
    return { text: await page.print(), contentType: page.contentType }
  }

  /** Stops measuring. */
  close(): void {
    this.#stopWatching()
  }

  async #load(): Promise<Prometheus> {
    const page = await Prometheus.load()
    addRequests(page, this.#metrics)
    addStreams(page, this.#metrics)
    addConnections(page, this.#metrics.connections)
    addStore(page, this.#metrics)
    this.#database?.addTo(page)
    addMessages(page, this.#metrics)
    page.gauges(['dhole_applications_open', 'Applications that are open.'], [], () => [
      [{}, this.#metrics.totals.applications],
    ])
    page.gauges(['dhole_ready', '1 if every application that is kept open can be read and written.'], [], async () => [
      [{}, (await this.#readiness()) === 'ready' ? 1 : 0],
    ])
    page.gauges(['dhole_info', 'Always 1; the label is the version.'], ['version'], () => [
      [{ version: packageJson.version }, 1],
    ])
    this.#stopWatching = watchProcess(page)
    return page
  }
}

function addRequests(page: Prometheus, { operations, refusals, denials, totals }: Metrics): void {
  page.totals(['dhole_requests_total', 'Requests answered.'], ['operation', 'status'], function* () {
    for (const [operation, { classes }] of operations) {
      for (const [hundreds, count] of classes.entries()) {
        if (count > 0) yield [{ operation, status: `${hundreds}xx` }, count]
      }
    }
  })
  page.distributions(
    ['dhole_request_seconds', 'Time until the answer was ready to be sent; of a stream, until it was open.'],
    'operation',
    () => [...operations].map(([operation, { seconds }]) => [operation, seconds] as const),
  )
  page.totals(['dhole_request_bytes_total', 'Bytes of bodies that came.'], ['operation'], function* () {
    for (const [operation, { bytesIn }] of operations) yield [{ operation }, bytesIn]
  })
  page.totals(['dhole_response_bytes_total', 'Bytes of bodies answered, but streams.'], ['operation'], function* () {
    for (const [operation, { bytesOut }] of operations) yield [{ operation }, bytesOut]
  })
  page.totals(['dhole_errors_total', 'Requests answered with an error, by its name.'], ['code'], function* () {
    for (const [code, count] of refusals) yield [{ code }, count]
  })
  page.totals(['dhole_denials_total', 'Requests that rules did not allow.'], ['operation'], function* () {
    for (const operation of OPERATIONS) yield [{ operation }, denials.get(operation) ?? 0]
  })
  addTotals(page, totals, [['dhole_credential_failures_total', 'Wrong credentials.', 'credentialFailures']])
}

function addStreams(page: Prometheus, { totals }: Metrics): void {
  page.gauges(['dhole_streams_open', 'Those who listen, over HTTPS or in this process.'], [], () => [
    [{}, totals.streams],
  ])
  addTotals(page, totals, [
    ['dhole_streams_opened_total', 'Streams that were opened.', 'streamsOpened'],
    ['dhole_stream_bytes_total', 'Bytes written to streams.', 'streamBytes'],
    [
      'dhole_stream_resyncs_total',
      'Times that a listener was too slow and what waited for it was dropped.',
      'streamResyncs',
    ],
  ])
}

function addStore(page: Prometheus, metrics: Metrics): void {
  page.distributions(['dhole_commit_jobs', 'Jobs of one transaction.'], undefined, () => [['', metrics.batchJobs]])
  page.distributions(['dhole_commit_seconds', 'Time of a transaction, without its sync.'], undefined, () => [
    ['', metrics.commitSeconds],
  ])
  page.distributions(['dhole_sync_seconds', 'Time of a sync of the log.'], undefined, () => [['', metrics.syncSeconds]])
  page.distributions(['dhole_checkpoint_seconds', 'Time of moving the log into the file.'], undefined, () => [
    ['', metrics.checkpointSeconds],
  ])
  page.distributions(['dhole_index_build_seconds', 'Time of building an index.'], undefined, () => [
    ['', metrics.indexSeconds],
  ])
  addTotals(page, metrics.totals, [
    ['dhole_checkpoint_bytes_total', 'Length of the log when that began.', 'checkpointBytes'],
    ['dhole_index_builds_total', 'Indexes that were begun to be built.', 'indexesBegun'],
    ['dhole_index_rows_total', 'Children looked at for indexes that are complete.', 'indexRows'],
    ['dhole_store_failures_total', 'Files that cannot be written any more.', 'storeFailures'],
    ['dhole_store_troubles_total', 'Failures of a store that it tries again.', 'storeTroubles'],
  ])
}

function addMessages(page: Prometheus, { totals }: Metrics): void {
  addTotals(page, totals, [
    ['dhole_sms_recorded_total', 'Text messages recorded.', 'messagesRecorded'],
    ['dhole_sms_returned_total', 'Final states handed over.', 'statesReturned'],
  ])
  page.totals(['dhole_sms_reports_total', 'Reports of text messages.'], ['result'], () => [
    [{ result: 'accepted' }, totals.reportsAccepted],
    [{ result: 'ignored' }, totals.reportsIgnored],
  ])
}

function addTotals(
  page: Prometheus,
  totals: Totals,
  rows: readonly (readonly [name: string, help: string, total: keyof Totals])[],
): void {
  for (const [name, help, total] of rows) page.total([name, help], () => totals[total])
}
