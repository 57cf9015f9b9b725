import type { ConnectionCounts } from '../../monitor/connection-counts.ts'
import type { Prometheus } from './prometheus.ts'

/** Adds metrics of connections of SDKs. */
export function addConnections(page: Prometheus, counts: ConnectionCounts): void {
  const carriers = Object.entries(counts.byCarrier)
  page.gauges(['dhole_connections_open', 'Connections of SDKs.'], ['carrier'], () =>
    carriers.map(([carrier, { open }]) => [{ carrier }, open] as const),
  )
  page.totals(['dhole_connections_opened_total', 'Connections of SDKs that were opened.'], ['carrier'], () =>
    carriers.map(([carrier, { opened }]) => [{ carrier }, opened] as const),
  )
  page.totals(['dhole_connections_ended_total', 'Connections of SDKs that have ended.'], ['cause'], () =>
    [...counts.ends].map(([cause, count]) => [{ cause }, count] as const),
  )
  page.gauges(['dhole_listens_open', 'Listens of connections of SDKs.'], [], () => [[{}, counts.listens]])
  page.totals(['dhole_messages_total', 'Messages of connections of SDKs.'], ['direction'], () =>
    Object.entries(counts.messages).map(([direction, count]) => [{ direction }, count] as const),
  )
  page.totals(['dhole_message_bytes_total', 'Bytes of these messages.'], ['direction'], () =>
    Object.entries(counts.bytes).map(([direction, bytes]) => [{ direction }, bytes] as const),
  )
  page.totals(['dhole_message_answers_total', 'Answers to requests of SDKs.'], ['status'], () =>
    [...counts.answers].map(([status, count]) => [{ status }, count] as const),
  )
  page.totals(['dhole_left_values_total', 'Values that clients wanted written on disconnect.'], ['outcome'], () =>
    Object.entries(counts.leftValues).map(([outcome, count]) => [{ outcome }, count] as const),
  )
  page.totals(['dhole_sessions_taken_total', 'Sessions of other processes that were ended here.'], [], () => [
    [{}, counts.sessionsTaken],
  ])
}
