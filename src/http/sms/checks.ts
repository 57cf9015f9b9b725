import { DholeError } from '../../error.ts'
import type { SmsParameters } from '../../sms/format/call-parameters.ts'
import { isMilliseconds, MAX_SKEW_MS } from '../../sms/model/call-time.ts'
import { isSignature, signatureOf } from '../../sms/model/signature.ts'

/** Value of a parameter that is not empty: forms and templates send empty ones too. */
export function given(parameters: SmsParameters, name: string): string | undefined {
  return parameters.get(name) || undefined
}

/** Signature of a request. @throws `sms-no-signature` */
export function signatureIn(parameters: SmsParameters): string {
  const signature = given(parameters, 'signature')
  if (signature === undefined) throw new DholeError('sms-no-signature')
  return signature
}

/** @throws `sms-bad-arguments` when it is missing or empty */
export function required(parameters: SmsParameters, name: string): string {
  const value = given(parameters, name)
  if (value === undefined) throw new DholeError('sms-bad-arguments', `${name}: missing`)
  return value
}

/**
 * @param text time of a request, milliseconds since 1970
 * @throws `sms-bad-timestamp` when it is malformed, or too far from now
 * @see docs/reference/protocol.md#checks
 */
export function checkTimestamp(text: string, now: number): void {
  if (!isMilliseconds(text) || Math.abs(now - Number(text)) > MAX_SKEW_MS) throw new DholeError('sms-bad-timestamp')
}

/**
 * @param shown signature of the request
 * @param documented the only parameter that old clients sign, whatever else they send
 * @throws `sms-bad-signature`
 * @see docs/reference/protocol.md#signing
 */
export function checkSignature(shown: string, parameters: SmsParameters, key: string, documented?: string): void {
  if (isSignature(shown, signatureOf(parameters, key))) return
  const value = documented === undefined ? undefined : parameters.get(documented)
  const isKnown = documented !== undefined && value !== undefined
  if (isKnown && isSignature(shown, signatureOf([[documented, value]], key))) return
  throw new DholeError('sms-bad-signature')
}

/** Holds the key, which may be read on first use: requests that are refused for other reasons do not read it. */
export interface KeyHolder {
  readonly key: string
}

/**
 * Checks a signed call: signature and time are present, the time is current, the signature is valid.
 * @throws `sms-no-signature`, `sms-bad-arguments`, `sms-bad-timestamp`, `sms-bad-signature`
 */
export function checkSigned(parameters: SmsParameters, holder: KeyHolder, now: number, documented?: string): void {
  const signature = signatureIn(parameters)
  checkTimestamp(required(parameters, 'timestamp'), now)
  checkSignature(signature, parameters, holder.key, documented)
}
