/** A line of a panel. */
interface Series {
  /** Expression of Prometheus; `$of` stands for the selection of instances. */
  readonly expression: string
  /** Its name; `{{label}}` stands for a label. */
  readonly legend: string
}

interface Panel {
  readonly title: string
  readonly meaning: string
  readonly unit: string
  /** Whether values may be below zero. */
  readonly isSigned?: boolean
  readonly series: readonly Series[]
}

interface Section {
  readonly title: string
  readonly panels: readonly Panel[]
}

const OF = 'instance=~"$instance"'
const DATA_SOURCE = { type: 'prometheus', uid: `$\{datasource}` }
/** Grafana divides a page into 24 columns. */
const COLUMNS = 24
const WIDTH = 8
const HEIGHT = 8

const rate = (metric: string, by?: string) => {
  const inner = `rate(${metric}{${OF}}[$__rate_interval])`
  return by === undefined ? `sum(${inner})` : `sum by (${by}) (${inner})`
}
const quantile = (share: number, metric: string, by?: string) =>
  `histogram_quantile(${share}, ${rate(`${metric}_bucket`, by === undefined ? 'le' : `le, ${by}`)})`
const value = (metric: string) => `${metric}{${OF}}`
/** The middle and the 99th percentile of a histogram. */
const spread = (metric: string): readonly Series[] => [
  { expression: quantile(0.5, metric), legend: 'p50' },
  { expression: quantile(0.99, metric), legend: 'p99' },
]

const FAILED = `sum(rate(dhole_requests_total{${OF}, status="5xx"}[$__rate_interval]))`

/** What the dashboard shows. */
export const SECTIONS: readonly Section[] = [
  {
    title: 'Whether all is well',
    panels: [
      {
        title: 'Ready',
        meaning: '0: the server cannot read or write, because the disk is full, broken, or does not answer.',
        unit: 'none',
        series: [{ expression: value('dhole_ready'), legend: '{{instance}}' }],
      },
      {
        title: 'Failed requests a second',
        meaning: 'Status 5xx: the server could not do what it was asked.',
        unit: 'reqps',
        series: [{ expression: FAILED, legend: 'failed' }],
      },
      {
        title: 'Troubles of the storage',
        meaning: 'Steps that failed and are tried again, and files that can no longer be written.',
        unit: 'none',
        series: [
          { expression: `sum(increase(dhole_store_troubles_total{${OF}}[$__rate_interval]))`, legend: 'troubles' },
          { expression: `sum(increase(dhole_store_failures_total{${OF}}[$__rate_interval]))`, legend: 'failures' },
        ],
      },
    ],
  },
  {
    title: 'Requests',
    panels: [
      {
        title: 'Requests a second',
        meaning: 'Answered requests by operation.',
        unit: 'reqps',
        series: [{ expression: rate('dhole_requests_total', 'operation'), legend: '{{operation}}' }],
      },
      {
        title: 'Time to the answer, 99 of 100',
        meaning: 'Until the answer is ready to send; of streams, until they are open.',
        unit: 's',
        series: [{ expression: quantile(0.99, 'dhole_request_seconds', 'operation'), legend: '{{operation}}' }],
      },
      {
        title: 'Errors a second',
        meaning: 'Answers with an error, by its name.',
        unit: 'reqps',
        series: [{ expression: rate('dhole_errors_total', 'code'), legend: '{{code}}' }],
      },
      {
        title: 'Bytes a second',
        meaning: 'Bodies of requests and answers, and what is written to streams.',
        unit: 'Bps',
        series: [
          { expression: rate('dhole_request_bytes_total'), legend: 'received' },
          { expression: rate('dhole_response_bytes_total'), legend: 'answered' },
          { expression: rate('dhole_stream_bytes_total'), legend: 'streamed' },
        ],
      },
      {
        title: 'Refused a second',
        meaning: 'Requests without permission, and wrong credentials.',
        unit: 'reqps',
        series: [
          { expression: rate('dhole_denials_total'), legend: 'not permitted' },
          { expression: rate('dhole_credential_failures_total'), legend: 'wrong credential' },
        ],
      },
    ],
  },
  {
    title: 'Storage',
    panels: [
      {
        title: 'Sync of the log',
        meaning: 'Every write waits for one.',
        unit: 's',
        series: spread('dhole_sync_seconds'),
      },
      {
        title: 'Transaction',
        meaning: 'Time that a transaction holds the event loop or others, without its sync.',
        unit: 's',
        series: spread('dhole_commit_seconds'),
      },
      {
        title: 'Writes in one transaction',
        meaning: 'Writes that arrive together share a transaction and a sync.',
        unit: 'none',
        series: spread('dhole_commit_jobs'),
      },
      {
        title: 'Syncs a second',
        meaning: 'Each makes all transactions before it durable.',
        unit: 'ops',
        series: [{ expression: rate('dhole_sync_seconds_count'), legend: 'syncs' }],
      },
      {
        title: 'Checkpoints',
        meaning: 'Time to move the log into the file.',
        unit: 's',
        series: spread('dhole_checkpoint_seconds'),
      },
      {
        title: 'Moved by checkpoints',
        meaning: 'Bytes a second that went through the log into the file.',
        unit: 'Bps',
        series: [{ expression: rate('dhole_checkpoint_bytes_total'), legend: 'log' }],
      },
      {
        title: 'Builds of indexes',
        meaning: 'Begun a second, when queries ask for an order for the first time, and the children read for them.',
        unit: 'ops',
        series: [
          { expression: rate('dhole_index_builds_total'), legend: 'builds' },
          { expression: rate('dhole_index_rows_total'), legend: 'children' },
        ],
      },
      {
        title: 'Time to build an index',
        meaning: 'Until it is complete. Queries wait for it.',
        unit: 's',
        series: spread('dhole_index_build_seconds'),
      },
    ],
  },
  {
    title: 'PostgreSQL',
    panels: [
      {
        title: 'Connections',
        meaning: 'Whether PostgreSQL is away, and connections that were lost.',
        unit: 'none',
        series: [
          { expression: value('dhole_database_away'), legend: 'away {{instance}}' },
          { expression: `increase(${value('dhole_database_reconnects_total')}[$__rate_interval])`, legend: 'lost' },
        ],
      },
      {
        title: 'Uses of a connection a second',
        meaning: 'Each is one round trip to PostgreSQL, or a few.',
        unit: 'ops',
        series: [{ expression: rate('dhole_database_round_trips_total', 'kind'), legend: '{{kind}}' }],
      },
      {
        title: 'Questions for fresh reads a second',
        meaning: 'One question serves all reads of a turn: the further apart the lines, the more they share.',
        unit: 'ops',
        series: [
          { expression: rate('dhole_checks_total'), legend: 'questions' },
          { expression: rate('dhole_checked_reads_total'), legend: 'reads' },
        ],
      },
      {
        title: 'Contention',
        meaning: 'Transactions that ran again because another process came first, and commits whose answer was lost.',
        unit: 'ops',
        series: [
          { expression: rate('dhole_batch_conflicts_total'), legend: 'conflicts' },
          { expression: rate('dhole_batches_in_doubt_total'), legend: 'in doubt' },
        ],
      },
      {
        title: 'Notifications a second',
        meaning: 'Sent and received, and transactions of others that were found without one.',
        unit: 'ops',
        series: [{ expression: rate('dhole_hints_total', 'kind'), legend: '{{kind}}' }],
      },
      {
        title: 'Transactions behind',
        meaning: 'Transactions of other processes that were read at once, and times that the log did not reach back.',
        unit: 'none',
        series: [
          ...spread('dhole_follower_lag_batches'),
          { expression: rate('dhole_follower_resets_total'), legend: 'resets' },
        ],
      },
      {
        title: 'Processes and clocks',
        meaning:
          'Servers on the same schema, and how far the clock of each is ahead of that of PostgreSQL, in seconds.',
        unit: 'none',
        isSigned: true,
        series: [
          { expression: value('dhole_processes_alive'), legend: 'processes seen by {{instance}}' },
          { expression: value('dhole_database_clock_offset_seconds'), legend: 'clock of {{instance}}' },
        ],
      },
    ],
  },
  {
    title: 'Streams',
    panels: [
      {
        title: 'Open streams',
        meaning: 'Listeners that are connected.',
        unit: 'none',
        series: [{ expression: value('dhole_streams_open'), legend: '{{instance}}' }],
      },
      {
        title: 'Streams opened a second',
        meaning: 'Many at a time: clients reconnect.',
        unit: 'ops',
        series: [{ expression: rate('dhole_streams_opened_total'), legend: 'opened' }],
      },
      {
        title: 'Slow listeners',
        meaning: 'Times a second that the waiting events of a slow listener were dropped, and its stream began anew.',
        unit: 'ops',
        series: [{ expression: rate('dhole_stream_resyncs_total'), legend: 'dropped' }],
      },
    ],
  },
  {
    title: 'Connections of SDKs',
    panels: [
      {
        title: 'Open connections',
        meaning: 'Over WebSockets, and by long polling.',
        unit: 'none',
        series: [
          { expression: `sum by (carrier) (${value('dhole_connections_open')})`, legend: '{{carrier}}' },
          { expression: `sum(${value('dhole_listens_open')})`, legend: 'listens' },
        ],
      },
      {
        title: 'Opened and ended a second',
        meaning:
          'Many ends for too-slow: clients do not read. Many for too-much: they send more than can be carried out.',
        unit: 'ops',
        series: [
          { expression: rate('dhole_connections_opened_total', 'carrier'), legend: 'opened {{carrier}}' },
          { expression: rate('dhole_connections_ended_total', 'cause'), legend: 'ended {{cause}}' },
        ],
      },
      {
        title: 'Messages a second',
        meaning: 'Requests of clients; answers and pushes to them.',
        unit: 'ops',
        series: [{ expression: rate('dhole_messages_total', 'direction'), legend: '{{direction}}' }],
      },
      {
        title: 'Bytes of messages a second',
        meaning: 'In both directions.',
        unit: 'Bps',
        series: [{ expression: rate('dhole_message_bytes_total', 'direction'), legend: '{{direction}}' }],
      },
      {
        title: 'Answers a second',
        meaning: 'Many datastale: transactions of several clients contend for the same node.',
        unit: 'ops',
        series: [{ expression: rate('dhole_message_answers_total', 'status'), legend: '{{status}}' }],
      },
      {
        title: 'Written on disconnect a second',
        meaning:
          'Values of clients that are gone; dropped: rules refuse them. Sessions taken: a server has ended another way.',
        unit: 'ops',
        series: [
          { expression: rate('dhole_left_values_total', 'outcome'), legend: '{{outcome}}' },
          { expression: rate('dhole_sessions_taken_total'), legend: 'sessions taken' },
        ],
      },
    ],
  },
  {
    title: 'Text messages',
    panels: [
      {
        title: 'Text messages a second',
        meaning: 'Recorded messages, accepted and ignored reports, and delivered final states.',
        unit: 'ops',
        series: [
          { expression: rate('dhole_sms_recorded_total'), legend: 'recorded' },
          { expression: rate('dhole_sms_reports_total', 'result'), legend: 'reports {{result}}' },
          { expression: rate('dhole_sms_returned_total'), legend: 'final states delivered' },
        ],
      },
    ],
  },
  {
    title: 'Process',
    panels: [
      {
        title: 'Delay of the event loop',
        meaning:
          'How late the server comes to what it has to do. Above 50 ms for minutes: more work than one core can do.',
        unit: 's',
        series: [{ expression: value('dhole_event_loop_delay_seconds'), legend: '{{instance}} {{quantile}}' }],
      },
      {
        title: 'Processor',
        meaning: 'Cores in use.',
        unit: 'none',
        series: [
          { expression: `rate(${value('process_cpu_seconds_total')}[$__rate_interval])`, legend: '{{instance}}' },
        ],
      },
      {
        title: 'Memory',
        meaning: 'Resident memory. Growth for days at the same load is a leak.',
        unit: 'bytes',
        series: [{ expression: value('process_resident_memory_bytes'), legend: '{{instance}}' }],
      },
      {
        title: 'Open file descriptors',
        meaning: 'Share of those allowed; connections take one each.',
        unit: 'percentunit',
        series: [{ expression: `${value('process_open_fds')} / ${value('process_max_fds')}`, legend: '{{instance}}' }],
      },
      {
        title: 'Open applications',
        meaning: 'Applications whose files are open.',
        unit: 'none',
        series: [{ expression: value('dhole_applications_open'), legend: '{{instance}}' }],
      },
      {
        title: 'Running since',
        meaning: 'Time since the start of the process.',
        unit: 's',
        series: [{ expression: `time() - ${value('process_start_time_seconds')}`, legend: '{{instance}}' }],
      },
    ],
  },
]

/** The dashboard as Grafana imports it. */
export function dashboard(): string {
  const panels: object[] = []
  let y = 0
  for (const section of SECTIONS) {
    panels.push({ id: panels.length + 1, type: 'row', title: section.title, gridPos: { x: 0, y, w: COLUMNS, h: 1 } })
    y++
    for (const [index, panel] of section.panels.entries()) {
      const x = (index * WIDTH) % COLUMNS
      if (x === 0 && index > 0) y += HEIGHT
      panels.push({ id: panels.length + 1, ...panelAt(panel, x, y) })
    }
    y += HEIGHT
  }
  return `${JSON.stringify({ ...FRAME, panels }, null, 2)}\n`
}

const FRAME = {
  title: 'Dhole',
  uid: 'dhole',
  tags: ['dhole'],
  schemaVersion: 39,
  timezone: 'browser',
  refresh: '30s',
  time: { from: 'now-1h', to: 'now' },
  templating: {
    list: [
      { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
      {
        name: 'instance',
        label: 'Server',
        type: 'query',
        datasource: DATA_SOURCE,
        query: { query: 'label_values(dhole_info, instance)', refId: 'instance' },
        refresh: 2,
        multi: true,
        includeAll: true,
        current: { text: 'All', value: '$__all' },
      },
    ],
  },
}

function panelAt({ title, meaning, unit, isSigned, series }: Panel, x: number, y: number): object {
  return {
    type: 'timeseries',
    title,
    description: meaning,
    datasource: DATA_SOURCE,
    gridPos: { x, y, w: WIDTH, h: HEIGHT },
    fieldConfig: {
      defaults: { unit, ...(isSigned ? {} : { min: 0 }), custom: { fillOpacity: 10, showPoints: 'never' } },
      overrides: [],
    },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: series.map(({ expression, legend }, index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource: DATA_SOURCE,
      expr: expression,
      legendFormat: legend,
    })),
  }
}
