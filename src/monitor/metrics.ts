import type { ErrorCode } from '../error.ts'
import {
  type ConnectionCarrier,
  type EndedConnection,
  type EndedRequest,
  type MessageStatus,
  type Observer,
  OPERATIONS,
  type Operation,
} from '../observer.ts'
import { ConnectionCounts } from './connection-counts.ts'
import { Distribution } from './distribution.ts'

const MS = 1000
/** Seconds. */
const OF_REQUESTS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const OF_DISK = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const OF_LONG_WORK = [0.001, 0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300]
const OF_BATCHES = [0, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1000]
const HUNDRED = 100
/** Status classes 0 to 5. */
const CLASSES = 6

/** Counts of one operation. */
export class OperationCounts {
  /** Responses by status class. */
  readonly classes = new Float64Array(CLASSES)
  readonly seconds = new Distribution(OF_REQUESTS)
  bytesIn = 0
  bytesOut = 0
}

/**
 * Counts internal events. All labels are fixed, so the memory is bounded: paths and names of applications are not kept.
 */
export class Metrics implements Observer {
  readonly operations: ReadonlyMap<Operation, OperationCounts> = new Map(
    OPERATIONS.map((name) => [name, new OperationCounts()]),
  )
  /** Error responses by error code. */
  readonly refusals = new Map<ErrorCode, number>()
  /** Requests denied by rules. */
  readonly denials = new Map<Operation, number>()
  readonly connections = new ConnectionCounts()
  readonly batchJobs = new Distribution(OF_BATCHES)
  readonly commitSeconds = new Distribution(OF_DISK)
  readonly syncSeconds = new Distribution(OF_DISK)
  readonly checkpointSeconds = new Distribution(OF_LONG_WORK)
  readonly indexSeconds = new Distribution(OF_LONG_WORK)
  /** Totals since the start; `streams` and `applications` are current numbers. */
  readonly totals = {
    credentialFailures: 0,
    streams: 0,
    streamsOpened: 0,
    streamResyncs: 0,
    streamBytes: 0,
    streamWrites: 0,
    checkpointBytes: 0,
    indexesBegun: 0,
    indexRows: 0,
    messagesRecorded: 0,
    reportsAccepted: 0,
    reportsIgnored: 0,
    statesReturned: 0,
    applications: 0,
    storeFailures: 0,
    storeTroubles: 0,
  }

  storeFailed(): void {
    this.totals.storeFailures++
  }

  storeTroubled(): void {
    this.totals.storeTroubles++
  }

  /** Counted by `requestEnded` with its response. */
  requestFailed(): void {}

  requestEnded({ operation, status, milliseconds, bytesIn, bytesOut }: EndedRequest): void {
    const counts = this.operations.get(operation)
    if (counts === undefined) return
    const hundreds = Math.min(Math.trunc(status / HUNDRED), CLASSES - 1)
    counts.classes[hundreds] = (counts.classes[hundreds] ?? 0) + 1
    counts.seconds.add(milliseconds / MS)
    counts.bytesIn += bytesIn
    counts.bytesOut += bytesOut
  }

  answerSent(operation: Operation, bytes: number): void {
    const counts = this.operations.get(operation)
    if (counts !== undefined) counts.bytesOut += bytes
  }

  requestRefused(operation: Operation, code: ErrorCode): void {
    add(this.refusals, code)
    if (code === 'permission-denied') add(this.denials, operation)
  }

  credentialFailed(): void {
    this.totals.credentialFailures++
  }

  streamOpened(): void {
    this.totals.streams++
    this.totals.streamsOpened++
  }

  streamClosed(): void {
    this.totals.streams--
  }

  streamResynced(): void {
    this.totals.streamResyncs++
  }

  streamSent(bytes: number): void {
    this.totals.streamBytes += bytes
    this.totals.streamWrites++
  }

  connectionOpened(carrier: ConnectionCarrier): void {
    this.connections.opened(carrier)
  }

  carrierChanged(before: ConnectionCarrier, after: ConnectionCarrier): void {
    this.connections.changed(before, after)
  }

  connectionEnded({ carrier, cause }: EndedConnection): void {
    this.connections.ended(carrier, cause)
  }

  messageReceived(bytes: number): void {
    this.connections.received(bytes)
  }

  messageSent(bytes: number): void {
    this.connections.sent(bytes)
  }

  messageAnswered(status: MessageStatus): void {
    add(this.connections.answers, status)
  }

  leftValueEnded(outcome: 'written' | 'dropped'): void {
    this.connections.leftValues[outcome]++
  }

  sessionTaken(): void {
    this.connections.sessionsTaken++
  }

  listenOpened(): void {
    this.connections.listens++
  }

  listenClosed(): void {
    this.connections.listens--
  }

  batchCommitted(jobs: number, milliseconds: number): void {
    this.batchJobs.add(jobs)
    this.commitSeconds.add(milliseconds / MS)
  }

  logSynced(milliseconds: number): void {
    this.syncSeconds.add(milliseconds / MS)
  }

  checkpointed(logBytes: number, milliseconds: number): void {
    this.checkpointSeconds.add(milliseconds / MS)
    this.totals.checkpointBytes += logBytes
  }

  indexBegun(): void {
    this.totals.indexesBegun++
  }

  indexBuilt(rows: number, milliseconds: number): void {
    this.indexSeconds.add(milliseconds / MS)
    this.totals.indexRows += rows
  }

  messagesRecorded(count: number): void {
    this.totals.messagesRecorded += count
  }

  messagesReported(accepted: number, ignored: number): void {
    this.totals.reportsAccepted += accepted
    this.totals.reportsIgnored += ignored
  }

  statesReturned(count: number): void {
    this.totals.statesReturned += count
  }

  applicationOpened(): void {
    this.totals.applications++
  }

  applicationClosed(): void {
    this.totals.applications--
  }
}

export type Totals = Metrics['totals']

function add<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
