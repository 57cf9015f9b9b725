import { DholeError } from '../../error.ts'
import type { SmsParameters } from '../../sms/format/call-parameters.ts'
import { MAX_MOBILE_LENGTH } from '../../sms/format/push.ts'
import { parseReceipt } from '../../sms/format/receipt.ts'
import type { ReceiveTime } from '../../sms/format/receive-time.ts'
import { isMilliseconds } from '../../sms/model/call-time.ts'
import { CODE_FORM, isCode, stateOf } from '../../sms/model/carrier-codes.ts'
import { isMessageId, MESSAGE_ID_FORM } from '../../sms/model/message-id.ts'
import type { MessageName, Report } from '../../sms/model/report.ts'
import { isRrid, RRID_FORM } from '../../sms/model/rrid.ts'
import { isSignature } from '../../sms/model/signature.ts'
import { isSource, tokenOf } from '../../sms/model/source.ts'
import { checkSigned, given, type KeyHolder, required } from './checks.ts'

/** The last moment of the year 9999. */
const LAST_MS = 253_402_300_799_999
/** Parameters whose values a receipt contains itself. */
const NOT_BESIDE_RECEIPT = ['messageId', 'stat', 'done']

/**
 * Checks the signature of a report, or its token: gateways that cannot sign call a URL prepared with one.
 * @throws `sms-no-signature`, `sms-bad-arguments`, `sms-bad-timestamp`, `sms-bad-signature`
 * @see docs/reference/protocol.md#signing
 */
export function checkReporter(parameters: SmsParameters, holder: KeyHolder, now: number): void {
  const hasToken = isGiven(parameters, 'source', 'token')
  if (isGiven(parameters, 'signature') || !hasToken) checkSigned(parameters, holder, now)
  else checkToken(parameters, holder)
}

function checkToken(parameters: SmsParameters, holder: KeyHolder): void {
  const token = given(parameters, 'token')
  if (token === undefined) throw new DholeError('sms-no-signature', 'token: missing')
  const source = required(parameters, 'source')
  if (!isSource(source)) throw new DholeError('sms-bad-arguments', 'source: expected 1 to 64 of 0-9 A-Z a-z _ . -')
  if (!isSignature(token, tokenOf(source, holder.key))) throw new DholeError('sms-bad-signature')
}

/**
 * Parses the report of a gateway about one message.
 * @param time zone of the dates in receipts
 * @param now time of the report, unless the gateway sends one
 * @throws `sms-bad-arguments`
 * @see docs/reference/protocol.md#gateways
 */
export function parseDelivery(parameters: SmsParameters, time: ReceiveTime, now: number): Report {
  const receipt = given(parameters, 'receipt')
  if (receipt !== undefined) return receiptReport(receipt, parameters, time, now)
  const message = nameIn(parameters)
  const code = required(parameters, 'stat')
  if (!isCode(code)) throw wrong(`stat: expected ${CODE_FORM}`)
  return reportOf(message, code, doneIn(parameters) ?? now)
}

function receiptReport(text: string, parameters: SmsParameters, time: ReceiveTime, now: number): Report {
  const beside = NOT_BESIDE_RECEIPT.find((name) => isGiven(parameters, name))
  if (beside !== undefined) throw wrong(`${beside}: not together with receipt`)
  const receipt = parseReceipt(text, time)
  if (receipt === undefined) throw wrong('receipt: expected the text of an SMPP delivery receipt, with id and stat')
  // A URL with the batch and the number needs no id of the carrier.
  const message = isGiven(parameters, 'rrid', 'mobile') ? placeIn(parameters) : { messageId: receipt.messageId }
  return reportOf(message, receipt.code, receipt.receivedAt ?? now)
}

/** Unknown codes count as failures: they are not `DELIVRD`. */
function reportOf(message: MessageName, code: string, receivedAt: number): Report {
  return { message, state: stateOf(code) ?? 3, code, receivedAt }
}

function nameIn(parameters: SmsParameters): MessageName {
  const messageId = given(parameters, 'messageId')
  const isPlaced = isGiven(parameters, 'rrid', 'mobile')
  if (messageId === undefined && !isPlaced) throw wrong('messageId, or rrid and mobile: missing')
  if (messageId === undefined) return placeIn(parameters)
  if (isPlaced) throw wrong('messageId: not together with rrid and mobile')
  if (!isMessageId(messageId)) throw wrong(`messageId: expected ${MESSAGE_ID_FORM}`)
  return { messageId }
}

function placeIn(parameters: SmsParameters): MessageName {
  const rrid = required(parameters, 'rrid')
  const mobile = required(parameters, 'mobile')
  if (!isRrid(rrid)) throw wrong(`rrid: expected ${RRID_FORM}`)
  if (mobile.length > MAX_MOBILE_LENGTH) throw wrong(`mobile: expected at most ${MAX_MOBILE_LENGTH} characters`)
  return { rrid, mobile }
}

function doneIn(parameters: SmsParameters): number | undefined {
  const done = given(parameters, 'done')
  if (done === undefined) return undefined
  if (isMilliseconds(done) && Number(done) <= LAST_MS) return Number(done)
  throw wrong('done: expected milliseconds since 1970')
}

/** Whether any of these has a value. */
function isGiven(parameters: SmsParameters, ...names: readonly string[]): boolean {
  return names.some((name) => given(parameters, name) !== undefined)
}

function wrong(hint: string): DholeError {
  return new DholeError('sms-bad-arguments', hint)
}
