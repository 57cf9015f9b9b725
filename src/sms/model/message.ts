import type { State } from './report.ts'

/** A batch of messages that other software has sent. */
export interface Batch {
  /** Default: one is made. */
  readonly rrid?: string | undefined
  /** Telephone numbers in the order of submission, each once. */
  readonly mobiles: readonly string[]
  /** What the gateway calls each message, in the same order. */
  readonly messageIds?: readonly string[] | undefined
}

/** Everything that is kept of one message: a line of an import or export. Times are milliseconds since 1970. */
export interface MessageRecord {
  readonly rrid: string
  readonly mobile: string
  readonly status: State
  /** The carrier's code; empty while there is none. */
  readonly deliveryStatus: string
  readonly submittedAt: number
  /** When the carrier reported the state it is in; absent while there is no report. */
  readonly receivedAt?: number | undefined
  readonly messageId?: string | undefined
  /** When its final state became known here. */
  readonly producedAt?: number | undefined
  /** When a batch query handed its final state over. */
  readonly returnedAt?: number | undefined
}

/** Where an export stands; opaque to others. */
export type ExportCursor = readonly [batch: number, position: number]

export interface ExportPage {
  readonly records: readonly MessageRecord[]
  /** Absent at the end. */
  readonly next?: ExportCursor | undefined
}

/** What an import has done. */
export interface ImportCount {
  readonly added: number
  /** There already, and not older than what was imported: left as they were. */
  readonly known: number
  /** There already, and moved on to the state that was imported, or given a `messageId` it did not have. */
  readonly changed: number
}
