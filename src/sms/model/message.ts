import type { State } from './report.ts'

/** A batch of messages that other software has sent. */
export interface Batch {
  /** Default: a new one. */
  readonly rrid?: string | undefined
  /** Telephone numbers in the order of submission, each once. */
  readonly mobiles: readonly string[]
  /** Gateway ids of the messages, in the same order. */
  readonly messageIds?: readonly string[] | undefined
}

/** All stored data of one message: a line of an import or export. Times are milliseconds since 1970. */
export interface MessageRecord {
  readonly rrid: string
  readonly mobile: string
  readonly status: State
  /** The carrier's code; empty while there is none. */
  readonly deliveryStatus: string
  readonly submittedAt: number
  /** When the carrier reported its state; absent without a report. */
  readonly receivedAt?: number | undefined
  readonly messageId?: string | undefined
  /** When its final state became known here. */
  readonly producedAt?: number | undefined
  /** When a batch query returned its final state. */
  readonly returnedAt?: number | undefined
}

/** Position of an export; opaque to callers. */
export type ExportCursor = readonly [batch: number, position: number]

export interface ExportPage {
  readonly records: readonly MessageRecord[]
  /** Cursor of the next page; absent on the last one. */
  readonly next?: ExportCursor | undefined
}

/** Outcome of an import. */
export interface ImportCount {
  readonly added: number
  /** Stored already, and not older than the imported record: unchanged. */
  readonly known: number
  /** Stored already, and given the imported state or a `messageId`. */
  readonly changed: number
}
