import type { MessageRecord } from './message.ts'

/** Messages of one batch that are counted by state: more are not looked at. */
export const MOST_COUNTED = 1000
/** Batches in which one call looks for a telephone number. */
export const MOST_SEARCHED = 2000

/** A batch in a list. */
export interface BatchSummary {
  readonly rrid: string
  /** In milliseconds since 1970. */
  readonly submittedAt: number
  /** Number of its first `MOST_COUNTED` messages in each state. */
  readonly states: readonly [notSent: number, sending: number, delivered: number, failed: number]
  /** Whether it has more messages. */
  readonly isCut: boolean
}

/** Position in a list; opaque to callers. */
export type LookupCursor = readonly [batch: number, position: number]

export interface BatchList {
  readonly batches: readonly BatchSummary[]
  /** Absent on the last page. */
  readonly next?: LookupCursor | undefined
}

/** Which messages are looked for: those of a batch, those to a number, or the one of both. */
export type MessageSearch =
  | { readonly rrid: string; readonly mobile?: string | undefined }
  | { readonly rrid?: undefined; readonly mobile: string }

export interface FoundPage {
  readonly messages: readonly MessageRecord[]
  /** Absent when all was looked at. */
  readonly next?: LookupCursor | undefined
}
