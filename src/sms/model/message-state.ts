import type { CountName } from './counts.ts'
import { isOffered } from './final-seq.ts'
import type { MessageRecord } from './message.ts'
import type { Report, State } from './report.ts'

/** State of a message and how it got there. Times are milliseconds since 1970. */
export interface MessageState {
  readonly status: State
  readonly code: string
  readonly receivedAt: number | null
  readonly producedAt: number | null
  readonly finalSeq: number | null
  readonly returnedAt: number | null
}

/** State of a new message. */
export const NOT_SENT: MessageState = {
  status: 0,
  code: '',
  receivedAt: null,
  producedAt: null,
  finalSeq: null,
  returnedAt: null,
}

/** What decides about a report or an import of a stored message. */
interface KnownState {
  readonly status: State
  readonly code: string
  readonly messageId: string | null
}

/** A stored message: which one it is, and what a report can change. */
export interface StoredMessage extends KnownState {
  readonly batchId: number
  readonly position: number
  readonly rrid: string
  readonly mobile: string
}

/** Outcome of a report about a stored message. */
export type ReportJudgement = Extract<
  CountName,
  'reportsAccepted' | 'reportsRepeated' | 'reportsContradicting' | 'reportsLate'
>

/** What a report does: only an accepted one changes the message. @see docs/reference/protocol.md#states */
export function judgeReport(stored: KnownState, { state, code }: Report): ReportJudgement {
  if (stored.status === state && stored.code === code) return 'reportsRepeated'
  if (stored.status < 2) return 'reportsAccepted'
  return state === 1 ? 'reportsLate' : 'reportsContradicting'
}

/** State of a message after an accepted report. @param finalSeq number of the final state; `null` when it is not final */
export function reportedState({ state, code, receivedAt }: Report, finalSeq: number | null, now: number): MessageState {
  return { status: state, code, receivedAt, producedAt: state > 1 ? now : null, finalSeq, returnedAt: null }
}

/** What an imported record changes of a stored message. A message takes a newer state, never an older one. */
export function judgeImport(
  stored: KnownState,
  record: MessageRecord,
): { readonly isNamed: boolean; readonly isMoved: boolean } {
  return {
    // Gateways assign ids when they send, which may be after the batch was recorded.
    isNamed: record.messageId !== undefined && stored.messageId === null,
    isMoved: stored.status < 2 && record.status > stored.status,
  }
}

/** State of an imported message. */
export interface ImportedState {
  /** Without the number of its final state. */
  readonly state: Omit<MessageState, 'finalSeq'>
  /** When its state was reported, for a final state that is offered here; it was not returned elsewhere, and is not too old. */
  readonly offered: number | undefined
}

/** The state of an imported record. @param now in milliseconds since 1970 */
export function importedState(record: MessageRecord, now: number): ImportedState {
  const { status, deliveryStatus: code, receivedAt, returnedAt } = record
  const producedAt = status < 2 ? undefined : (record.producedAt ?? receivedAt)
  const isOfferedHere = producedAt !== undefined && returnedAt === undefined && isOffered(producedAt, now)
  return {
    state: {
      status,
      code,
      receivedAt: receivedAt ?? null,
      producedAt: producedAt ?? null,
      returnedAt: returnedAt ?? null,
    },
    offered: isOfferedHere ? receivedAt : undefined,
  }
}
