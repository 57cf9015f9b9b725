import type { Status } from '../../protocol/sms/calls.ts'
import { keyOf } from './ledger.ts'

/** Sees every record that anybody is told, wherever it comes from, and remembers the furthest state of each message. */
export class Witness {
  readonly #seen = new Map<string, Pick<Status, 'status' | 'deliveryStatus'>>()

  /**
   * A record that was told.
   * @param isNow whether it was asked for when everything else was over; others may be of before what was seen already
   * @returns what is wrong with it: another final state than before, or a state before one that was seen
   */
  see({ status, deliveryStatus, ...name }: Status | Omit<Status, 'receiveTime'>, isNow: boolean): string | undefined {
    const key = keyOf(name)
    const before = this.#seen.get(key)
    if (before === undefined || status > before.status) this.#seen.set(key, { status, deliveryStatus })
    if (before === undefined) return undefined
    const told = `${key}: ${status} ${deliveryStatus} after ${before.status} ${before.deliveryStatus}`
    if (isNow && status < before.status) return `back from a state: ${told}`
    const isOther = status !== before.status || deliveryStatus !== before.deliveryStatus
    return status > 1 && before.status > 1 && isOther ? `two final states: ${told}` : undefined
  }
}
