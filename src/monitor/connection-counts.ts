import {
  CONNECTION_ENDS,
  type ConnectionCarrier,
  type EndedConnection,
  MESSAGE_STATUSES,
  type MessageStatus,
} from '../observer.ts'

type Cause = EndedConnection['cause']

/** Counts of connections of SDKs. */
export class ConnectionCounts {
  /** Open ones, and all that were opened in this way. */
  readonly byCarrier: Record<ConnectionCarrier, { open: number; opened: number }> = {
    websocket: { open: 0, opened: 0 },
    polling: { open: 0, opened: 0 },
  }
  readonly ends = new Map<Cause, number>(CONNECTION_ENDS.map((cause) => [cause, 0]))
  /** Answers by status. */
  readonly answers = new Map<MessageStatus, number>(MESSAGE_STATUSES.map((status) => [status, 0]))
  /** Values that clients wanted written at the end of their sessions. */
  readonly leftValues = { written: 0, dropped: 0 }
  /** Sessions of other processes whose values were written here. */
  sessionsTaken = 0
  /** Open listens. */
  listens = 0
  readonly messages = { received: 0, sent: 0 }
  readonly bytes = { received: 0, sent: 0 }

  opened(carrier: ConnectionCarrier): void {
    this.byCarrier[carrier].open++
    this.byCarrier[carrier].opened++
  }

  changed(before: ConnectionCarrier, after: ConnectionCarrier): void {
    this.byCarrier[before].open--
    this.byCarrier[after].open++
  }

  ended(carrier: ConnectionCarrier, cause: Cause): void {
    this.byCarrier[carrier].open--
    this.ends.set(cause, (this.ends.get(cause) ?? 0) + 1)
  }

  received(bytes: number): void {
    this.messages.received++
    this.bytes.received += bytes
  }

  sent(bytes: number): void {
    this.messages.sent++
    this.bytes.sent += bytes
  }
}
