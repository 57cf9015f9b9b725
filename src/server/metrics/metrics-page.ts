import packageJson from '../../../package.json' with { type: 'json' }
import type { MetricsPage, PrintedMetrics } from '../../http/system/metrics-page.ts'
import { OPERATIONS } from '../../observer.ts'
import type { Metrics } from './metrics.ts'
import { ProcessMetrics } from './process-metrics.ts'
import { CONTENT_TYPE, histogram, type Metric, metric } from './prometheus.ts'

/**
 * Prints the metrics for Prometheus. Labels have fixed values, so the number of lines is bounded.
 * @see docs/how-to/monitor.md#metrics
 */
export class PrometheusPage implements MetricsPage {
  readonly #metrics: readonly Metric[]
  /** Measures from the first request for metrics on. */
  #process: ProcessMetrics | undefined

  constructor(metrics: Metrics) {
    this.#metrics = [
      ...ofRequests(metrics),
      ...ofStreams(metrics),
      ...ofStore(metrics),
      ...ofMessages(metrics),
      metric('gauge', 'dhole_applications_open', 'Applications that are open.', () => metrics.totals.applications),
      metric('gauge', 'dhole_info', 'Always 1; the label is the version.', () => [
        [{ version: packageJson.version }, 1],
      ]),
    ]
  }

  async print(): Promise<PrintedMetrics> {
    this.#process ??= new ProcessMetrics()
    const texts = await Promise.all([...this.#metrics, ...this.#process.metrics].map((print) => print()))
    return { text: `${texts.join('\n\n')}\n`, contentType: CONTENT_TYPE }
  }

  /** Stops measuring. */
  close(): void {
    this.#process?.close()
  }
}

function ofRequests({ operations, refusals, denials, totals }: Metrics): readonly Metric[] {
  return [
    metric('counter', 'dhole_requests_total', 'Requests answered.', function* () {
      for (const [operation, { classes }] of operations) {
        for (const [hundreds, count] of classes.entries()) {
          if (count > 0) yield [{ operation, status: `${hundreds}xx` }, count]
        }
      }
    }),
    histogram(
      'dhole_request_seconds',
      'Time until the answer was ready to be sent; of a stream, until it was open.',
      function* () {
        for (const [operation, { seconds }] of operations) yield [{ operation }, seconds]
      },
    ),
    metric('counter', 'dhole_request_bytes_total', 'Bytes of bodies that came.', function* () {
      for (const [operation, { bytesIn }] of operations) yield [{ operation }, bytesIn]
    }),
    metric('counter', 'dhole_response_bytes_total', 'Bytes of bodies answered, but streams.', function* () {
      for (const [operation, { bytesOut }] of operations) yield [{ operation }, bytesOut]
    }),
    metric('counter', 'dhole_errors_total', 'Requests answered with an error, by its name.', function* () {
      for (const [code, count] of refusals) yield [{ code }, count]
    }),
    metric('counter', 'dhole_denials_total', 'Requests that rules did not allow.', function* () {
      for (const operation of OPERATIONS) yield [{ operation }, denials.get(operation) ?? 0]
    }),
    metric('counter', 'dhole_credential_failures_total', 'Wrong credentials.', () => totals.credentialFailures),
  ]
}

function ofStreams({ totals }: Metrics): readonly Metric[] {
  return [
    metric('gauge', 'dhole_streams_open', 'Those who listen, over HTTPS or in this process.', () => totals.streams),
    metric('counter', 'dhole_streams_opened_total', 'Streams that were opened.', () => totals.streamsOpened),
    metric('counter', 'dhole_stream_bytes_total', 'Bytes written to streams.', () => totals.streamBytes),
    metric(
      'counter',
      'dhole_stream_resyncs_total',
      'Times that a listener was too slow and what waited for it was dropped.',
      () => totals.streamResyncs,
    ),
  ]
}

function ofStore(metrics: Metrics): readonly Metric[] {
  const { batchJobs, commitSeconds, syncSeconds, checkpointSeconds, indexSeconds, totals } = metrics
  return [
    histogram('dhole_commit_jobs', 'Jobs of one transaction.', () => [[{}, batchJobs]]),
    histogram('dhole_commit_seconds', 'Time of a transaction, without its sync.', () => [[{}, commitSeconds]]),
    histogram('dhole_sync_seconds', 'Time of a sync of the log.', () => [[{}, syncSeconds]]),
    histogram('dhole_checkpoint_seconds', 'Time of moving the log into the file.', () => [[{}, checkpointSeconds]]),
    histogram('dhole_index_build_seconds', 'Time of building an index.', () => [[{}, indexSeconds]]),
    metric(
      'counter',
      'dhole_checkpoint_bytes_total',
      'Length of the log when that began.',
      () => totals.checkpointBytes,
    ),
    metric('counter', 'dhole_index_builds_total', 'Indexes that were begun to be built.', () => totals.indexesBegun),
    metric(
      'counter',
      'dhole_index_rows_total',
      'Children looked at for indexes that are complete.',
      () => totals.indexRows,
    ),
    metric(
      'counter',
      'dhole_store_failures_total',
      'Files that cannot be written any more.',
      () => totals.storeFailures,
    ),
    metric(
      'counter',
      'dhole_store_troubles_total',
      'Failures of a store that it tries again.',
      () => totals.storeTroubles,
    ),
  ]
}

function ofMessages({ totals }: Metrics): readonly Metric[] {
  return [
    metric('counter', 'dhole_sms_recorded_total', 'Text messages recorded.', () => totals.messagesRecorded),
    metric('counter', 'dhole_sms_returned_total', 'Final states handed over.', () => totals.statesReturned),
    metric('counter', 'dhole_sms_reports_total', 'Reports of text messages.', () => [
      [{ result: 'accepted' }, totals.reportsAccepted],
      [{ result: 'ignored' }, totals.reportsIgnored],
    ]),
  ]
}
