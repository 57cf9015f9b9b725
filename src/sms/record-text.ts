import type { ReceiveTime } from './receive-time.ts'
import type { State } from './report.ts'

/** What a client is told of one message. */
export interface StatusRecord {
  readonly status: State
  readonly mobile: string
  readonly rrid: string
  readonly code: string
  readonly receivedAt: number | null
}

/** Neither is JSON text by itself; all else of a code is. */
const NEEDS_ESCAPE = /["\\]/

/** A record as JSON. While there is no final state the time is empty. @see docs/protocol.md#records */
export function recordText({ status, mobile, rrid, code, receivedAt }: StatusRecord, time: ReceiveTime): string {
  const received = status < 2 || receivedAt === null ? '' : time.format(receivedAt)
  const delivery = NEEDS_ESCAPE.test(code) ? JSON.stringify(code) : `"${code}"`
  return `{"status":${status},"mobile":${JSON.stringify(mobile)},"receiveTime":"${received}","rrid":"${rrid}","deliveryStatus":${delivery}}`
}
