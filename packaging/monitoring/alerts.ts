import { tableOf } from '../documents/page-block.ts'

interface Alert {
  readonly name: string
  /** Expression of Prometheus. */
  readonly when: string
  /** How long it must hold. */
  readonly during: string
  readonly severity: 'critical' | 'warning'
  readonly means: string
}

/** What an operator should be told of. */
export const ALERTS: readonly Alert[] = [
  {
    name: 'DholeDown',
    when: 'up{job="dhole"} == 0',
    during: '1m',
    severity: 'critical',
    means: 'the server is down or does not answer: after a failed sync it ends by itself',
  },
  {
    name: 'DholeNotReady',
    when: 'dhole_ready == 0',
    // Told within a minute, with the intervals of docs/how-to/monitor.md: two samples in a row.
    during: '10s',
    severity: 'critical',
    means: 'the server cannot read or write: the disk is full or broken, or does not answer',
  },
  {
    name: 'DholeStoreFailed',
    when: 'increase(dhole_store_failures_total[5m]) > 0',
    during: '0m',
    severity: 'critical',
    means: 'a sync failed: nothing more is acknowledged; check the disk',
  },
  {
    name: 'DholeStoreTroubled',
    when: 'increase(dhole_store_troubles_total[10m]) > 0',
    during: '0m',
    severity: 'warning',
    means: 'a step of the storage failed: the log has the cause, often a full disk',
  },
  {
    name: 'DholeRequestsFail',
    when: 'sum by (instance) (rate(dhole_requests_total{status="5xx"}[5m])) > 0',
    during: '2m',
    severity: 'warning',
    means: 'requests fail: the log has each by its id',
  },
  {
    name: 'DholeDiskSlow',
    when: 'histogram_quantile(0.99, rate(dhole_sync_seconds_bucket[5m])) > 0.1',
    during: '5m',
    severity: 'warning',
    means: 'the disk is slow, and so is every write',
  },
  {
    name: 'DholeDatabaseAway',
    when: 'dhole_database_away == 1',
    during: '1m',
    severity: 'critical',
    means: 'PostgreSQL cannot be reached: the log has the reason',
  },
  {
    name: 'DholeDatabaseClock',
    when: 'abs(dhole_database_clock_offset_seconds) > 1',
    during: '5m',
    severity: 'warning',
    means: 'the clocks of the server and of PostgreSQL differ: check their time service',
  },
  {
    name: 'DholeHintsLate',
    when: 'rate(dhole_hints_total{kind="late"}[5m]) > 1',
    during: '5m',
    severity: 'warning',
    means: 'notifications of PostgreSQL do not arrive: events of other processes are late',
  },
  {
    name: 'DholeLoopBusy',
    when: 'dhole_event_loop_delay_seconds{quantile="0.99"} > 0.05',
    during: '5m',
    severity: 'warning',
    means: 'more work than one core can do',
  },
  {
    name: 'DholeWrongCredentials',
    when: 'rate(dhole_credential_failures_total[5m]) > 1',
    during: '5m',
    severity: 'warning',
    means: 'a client guesses, or uses an old secret',
  },
  {
    name: 'DholeListenersSlow',
    when: 'rate(dhole_stream_resyncs_total[5m]) > 0.1',
    during: '5m',
    severity: 'warning',
    means: 'listeners are slower than the changes they listen to',
  },
  {
    name: 'DholeClientsCutOff',
    when: 'sum by (instance, cause) (rate(dhole_connections_ended_total{cause=~"too-slow|too-much|too-big|not-understood"}[5m])) > 0.1',
    during: '5m',
    severity: 'warning',
    means: 'connections of SDKs are cut off: the log has the cause of each, and their addresses',
  },
  {
    name: 'DholeConnectionsFull',
    when: 'process_open_fds{job="dhole"} / process_max_fds{job="dhole"} > 0.8',
    during: '2m',
    severity: 'critical',
    means: 'connections will soon be refused',
  },
]

/** The alerts as a file of rules for Prometheus. JSON is YAML too, and quotes every expression. */
export function alertRules(): string {
  const rules = ALERTS.map(({ name, when, during, severity, means }) => ({
    alert: name,
    expr: when,
    for: during,
    labels: { severity },
    annotations: { summary: `${means} ({{ $labels.instance }})` },
  }))
  return `${JSON.stringify({ groups: [{ name: 'dhole', rules }] }, null, 2)}\n`
}

/** The table of docs/how-to/monitor.md. */
export function alertsBlock(): string {
  const rows = ALERTS.map(({ name, when, during, means }) => [`\`${name}\``, `\`${when}\``, during, means])
  return `\n${tableOf(['alert', 'when', 'for', 'means'], rows)}\n\n`
}
