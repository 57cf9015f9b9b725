import { isCode } from '../model/carrier-codes.ts'
import { isMessageId } from '../model/message-id.ts'
import type { ReceiveTime } from './receive-time.ts'

/** A field that is looked at, with its value up to the next blank. What stands behind `text:` is the message itself. */
const FIELD = /(?:^|\s)(id|stat|done ?date|text):(\S*)/gi

/** Contents of an SMPP delivery receipt. */
export interface Receipt {
  readonly messageId: string
  readonly code: string
  /** In milliseconds since 1970; absent when the receipt has no date that can be read. */
  readonly receivedAt: number | undefined
}

/**
 * Reads the text of a delivery receipt as SMPP 3.4 suggests it: `id:… sub:… dlvrd:… submit date:… done date:… stat:…
 * err:… text:…`. Carriers differ, so the fields may come in any order and case, and only `id` and `stat` must be there.
 * Of a field that comes twice the first one counts.
 * @param time zone of its dates
 * @returns `undefined` when it is no receipt
 * @see docs/reference/protocol.md#gateways
 */
export function parseReceipt(text: string, time: ReceiveTime): Receipt | undefined {
  const fields = fieldsOf(text)
  const messageId = fields.get('id') ?? ''
  const code = fields.get('stat') ?? ''
  if (!isMessageId(messageId) || !isCode(code)) return undefined
  return { messageId, code, receivedAt: time.parseReceiptDate(fields.get('donedate') ?? '') }
}

function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (const [, written = '', value = ''] of text.matchAll(FIELD)) {
    const name = written.toLowerCase().replace(' ', '')
    if (name === 'text') break
    if (!fields.has(name)) fields.set(name, value)
  }
  return fields
}
