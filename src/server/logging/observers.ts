import type { Monitor } from '../../monitor/monitor.ts'
import type { Observer } from '../../observer.ts'
import type { DatabaseMetrics } from '../metrics/database-metrics.ts'
import type { LogObserver } from './log.ts'

/** Passes every event to the metrics, and some to the log. */
export function observeBoth(monitor: Monitor, log: Required<LogObserver>, database?: DatabaseMetrics): Observer {
  const { metrics } = monitor
  return {
    ...database?.events,
    databaseAway(place, reason) {
      database?.events.databaseAway()
      log.databaseAway(place, reason)
    },
    databaseBack(place, milliseconds) {
      database?.events.databaseBack()
      log.databaseBack(place, milliseconds)
    },
    storeFailed(file, error) {
      metrics.storeFailed()
      log.storeFailed(file, error)
    },
    storeTroubled(file, error) {
      metrics.storeTroubled()
      log.storeTroubled(file, error)
    },
    requestFailed: (method, path, error, id) => log.requestFailed(method, path, error, id),
    requestEnded(request) {
      monitor.requestEnded(request)
      log.requestEnded(request)
    },
    answerSent: (operation, bytes) => metrics.answerSent(operation, bytes),
    requestRefused: (operation, code) => metrics.requestRefused(operation, code),
    credentialFailed: () => metrics.credentialFailed(),
    credentialsExceeded: (network, perMinute) => log.credentialsExceeded(network, perMinute),
    proxyUnnamed: (address) => log.proxyUnnamed(address),
    secretShort: (application, name, length) => log.secretShort(application, name, length),
    streamOpened: () => metrics.streamOpened(),
    streamClosed: () => metrics.streamClosed(),
    streamResynced: () => metrics.streamResynced(),
    streamSent: (bytes) => metrics.streamSent(bytes),
    connectionOpened: (carrier) => metrics.connectionOpened(carrier),
    carrierChanged: (before, after) => metrics.carrierChanged(before, after),
    connectionEnded(connection) {
      metrics.connectionEnded(connection)
      log.connectionEnded(connection)
    },
    messageReceived: (bytes) => metrics.messageReceived(bytes),
    messageSent: (bytes) => metrics.messageSent(bytes),
    messageAnswered: (status) => metrics.messageAnswered(status),
    listenOpened: () => metrics.listenOpened(),
    listenClosed: () => metrics.listenClosed(),
    batchCommitted: (jobs, milliseconds) => metrics.batchCommitted(jobs, milliseconds),
    logSynced: (milliseconds) => metrics.logSynced(milliseconds),
    checkpointed: (logBytes, milliseconds) => metrics.checkpointed(logBytes, milliseconds),
    indexBegun: () => metrics.indexBegun(),
    indexBuilt: (rows, milliseconds) => metrics.indexBuilt(rows, milliseconds),
    messagesRecorded: (count) => metrics.messagesRecorded(count),
    messagesReported: (accepted, ignored) => metrics.messagesReported(accepted, ignored),
    statesReturned: (count) => metrics.statesReturned(count),
    applicationOpened: () => metrics.applicationOpened(),
    applicationClosed: () => metrics.applicationClosed(),
  }
}
