import { Metrics } from '../../src/monitor/metrics.ts'
import { DatabaseMetrics } from '../../src/server/metrics/database-metrics.ts'
import { PrometheusPage } from '../../src/server/metrics/metrics-page.ts'
import { tableOf } from './page-block.ts'

interface Meaning {
  readonly meaning: string
  /** Labels, each with its values where the page above the table does not list them. */
  readonly labels?: Readonly<Record<string, string>>
}

/** What each metric counts, for those who read its values. */
export const MEANINGS: Readonly<Record<string, Meaning>> = {
  dhole_requests_total: { meaning: 'requests answered', labels: { operation: '', status: '`2xx` to `5xx`' } },
  dhole_request_seconds: {
    meaning: 'time until the answer was ready to send; for streams, until they were open',
    labels: { operation: '' },
  },
  dhole_request_bytes_total: { meaning: 'bytes of request bodies, as sent', labels: { operation: '' } },
  dhole_response_bytes_total: {
    meaning:
      'bytes of answers, without streams and batch queries of text messages; long answers count as they are given to the connection',
    labels: { operation: '' },
  },
  dhole_errors_total: {
    meaning: 'requests answered with an error, by the [name of the error](errors.md)',
    labels: { code: '' },
  },
  dhole_denials_total: { meaning: 'requests without permission', labels: { operation: '' } },
  dhole_credential_failures_total: { meaning: 'wrong credentials, and missing ones for `/metrics`' },
  dhole_streams_open: { meaning: 'open streams' },
  dhole_streams_opened_total: { meaning: 'streams that were opened' },
  dhole_stream_bytes_total: { meaning: 'bytes written to streams' },
  dhole_stream_resyncs_total: {
    meaning:
      'times that the waiting events of a slow listener were dropped, because they were too many or memory was short; the stream begins anew',
  },
  dhole_connections_open: { meaning: 'open connections of SDKs', labels: { carrier: '`websocket`, `polling`' } },
  dhole_connections_opened_total: {
    meaning: 'connections of SDKs that were opened; one that changes to a WebSocket stays the same',
    labels: { carrier: '`websocket`, `polling`' },
  },
  dhole_connections_ended_total: {
    meaning: 'connections of SDKs that have ended, by [cause](sdk-protocol.md#ends)',
    labels: {
      cause: '`left`, `lost`, `away`, `not-understood`, `too-big`, `too-much`, `too-slow`',
    },
  },
  dhole_listens_open: { meaning: 'open listens of SDKs; they count as open streams too' },
  dhole_messages_total: {
    meaning: 'messages of SDKs that came, and messages passed to them',
    labels: { direction: '`received`, `sent`' },
  },
  dhole_message_bytes_total: { meaning: 'their bytes', labels: { direction: '`received`, `sent`' } },
  dhole_message_answers_total: {
    meaning: 'answers to requests of SDKs; `datastale` are transactions that must be tried again',
    labels: { status: '[statuses](sdk-protocol.md#statuses)' },
  },
  dhole_left_values_total: {
    meaning:
      'values that clients wanted written [on disconnect](sdk-protocol.md#on-disconnect); `dropped` are those that were refused then',
    labels: { outcome: '`written`, `dropped`' },
  },
  dhole_sessions_taken_total: {
    meaning:
      'sessions of processes that have ended, and of clients that have come here from another process, whose values this process has written',
  },
  dhole_commit_jobs: {
    meaning:
      'writes in one transaction, and checks of readiness, one for each look at this page; 0 is work of the storage itself',
  },
  dhole_commit_seconds: { meaning: 'time of a transaction, without its sync' },
  dhole_sync_seconds: { meaning: 'time of a sync of the log, for which writes wait' },
  dhole_checkpoint_seconds: { meaning: 'time to move the log into the file, in another thread' },
  dhole_index_build_seconds: { meaning: 'time until an index was complete' },
  dhole_checkpoint_bytes_total: { meaning: "sum of the log's length at the beginning of each checkpoint" },
  dhole_index_builds_total: { meaning: 'index builds that were begun' },
  dhole_index_rows_total: { meaning: 'children read to build indexes' },
  dhole_store_failures_total: { meaning: 'files that can no longer be written' },
  dhole_store_troubles_total: { meaning: 'steps of the storage that failed and are tried again' },
  dhole_database_round_trips_total: {
    meaning: 'PostgreSQL: uses of a connection; each is one round trip or a few',
    labels: { kind: '`statement`, `snapshot`, `transaction`, `other`' },
  },
  dhole_database_reconnects_total: { meaning: 'PostgreSQL: connections that were lost' },
  dhole_database_away: { meaning: 'PostgreSQL: 1 while no connection can be opened, else 0' },
  dhole_batch_conflicts_total: {
    meaning: 'PostgreSQL: transactions that another process came before, and that ran again',
  },
  dhole_batches_in_doubt_total: {
    meaning: 'PostgreSQL: commits whose answer was lost; what became of each was asked for',
  },
  dhole_follower_lag_batches: {
    meaning: 'PostgreSQL: transactions of other processes that were read at once; the count is how often some were',
  },
  dhole_follower_resets_total: {
    meaning:
      'PostgreSQL: times that the log did not reach back to what this process knew, so that all streams began anew',
  },
  dhole_hints_total: {
    meaning: 'PostgreSQL: notifications sent and received, and transactions that the clock found without one',
    labels: { kind: '`sent`, `received`, `late`' },
  },
  dhole_checks_total: { meaning: 'PostgreSQL: questions for the last transaction, each for all reads of a turn' },
  dhole_checked_reads_total: { meaning: 'PostgreSQL: reads and writes that these questions were asked for' },
  dhole_processes_alive: { meaning: 'PostgreSQL: servers that use the same schema and were alive 12 seconds ago' },
  dhole_database_clock_offset_seconds: { meaning: 'PostgreSQL: clock of this process minus that of the database' },
  dhole_sms_recorded_total: { meaning: 'text messages recorded, without repeated records' },
  dhole_sms_returned_total: { meaning: 'final states delivered, counted when the delivery is stored' },
  dhole_sms_reports_total: { meaning: 'reports received', labels: { result: '`accepted`, `ignored`' } },
  dhole_applications_open: { meaning: 'open applications' },
  dhole_ready: {
    meaning:
      '1 if [`/ready`](protocol.md#health-readiness-and-metrics) answers 200, else 0; checking takes three seconds where the disk does not answer',
  },
  dhole_info: { meaning: 'always 1; the label is the version of Dhole', labels: { version: '' } },
  process_cpu_seconds_total: { meaning: 'processor time of the process, user and system' },
  process_start_time_seconds: { meaning: 'start of the process, in seconds since 1970' },
  process_resident_memory_bytes: { meaning: 'resident memory of the process' },
  process_open_fds: { meaning: 'open file descriptors, connections included; Linux only' },
  process_max_fds: { meaning: 'largest number of open file descriptors; Linux only' },
  dhole_event_loop_delay_seconds: {
    meaning:
      'delay of the event loop since the last request for metrics; when several programs read the metrics, each sees only the time since the last reading of any of them',
    labels: { quantile: '`0.5`, `0.99`, `1`' },
  },
}

/** Name and type of every metric that `/metrics` serves, in its order. */
export async function servedMetrics(): Promise<readonly (readonly [name: string, type: string])[]> {
  const page = new PrometheusPage(new Metrics(), async () => 'ready', new DatabaseMetrics())
  const { text } = await page.print()
  page.close()
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type] as const)
}

/** The table of docs/reference/metrics.md. @throws Error when a metric has no meaning here, or the other way round */
export async function metricsBlock(): Promise<string> {
  const served = await servedMetrics()
  const names = new Set(served.map(([name]) => name))
  for (const name of Object.keys(MEANINGS)) if (!names.has(name)) throw new Error(`/metrics does not serve ${name}`)
  const rows = served.map(([name, type]) => {
    const known = MEANINGS[name]
    if (known === undefined) throw new Error(`${name} has no meaning in packaging/documents/metrics.ts`)
    const labels = Object.entries(known.labels ?? {}).map(([label, values]) => label + (values && ` (${values})`))
    return [`\`${name}\``, type, labels.join(', '), known.meaning]
  })
  return `\n${tableOf(['metric', 'type', 'labels', 'meaning'], rows)}\n\n`
}
