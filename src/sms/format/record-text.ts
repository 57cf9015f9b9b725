import type { State } from '../model/report.ts'
import type { ReceiveTime } from './receive-time.ts'

/** State of one message as clients receive it. */
export interface StatusRecord {
  readonly status: State
  readonly mobile: string
  readonly rrid: string
  readonly code: string
  readonly receivedAt: number | null
}

/** Text that needs no escapes in JSON. */
const PLAIN = /^[ !#-[\]-~]*$/

/** A record as JSON. While there is no final state the time is empty. @see docs/reference/protocol.md#records */
export function recordText({ status, mobile, rrid, code, receivedAt }: StatusRecord, time: ReceiveTime): string {
  const received = status < 2 || receivedAt === null ? '' : time.format(receivedAt)
  return `{"status":${status},"mobile":${quoted(mobile)},"receiveTime":"${received}","rrid":"${rrid}","deliveryStatus":${quoted(code)}}`
}

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)
}
