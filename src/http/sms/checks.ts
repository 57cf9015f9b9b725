import { DholeError } from '../../error.ts'
import { isSignature, signatureOf } from '../../sms/model/signature.ts'
import type { SmsParameters } from './parameters.ts'

/** How far the time of a request may be from ours, before or after. */
const MAX_SKEW_MS = 60_000
/** A time in milliseconds since 1970. */
export const MILLISECONDS_PATTERN = '^[0-9]{1,16}$'
const MILLISECONDS = new RegExp(MILLISECONDS_PATTERN)

/** Whether a text is a time in milliseconds since 1970, in decimal digits. */
export function isMilliseconds(text: string): boolean {
  return MILLISECONDS.test(text)
}

/** A parameter that says something: forms and templates send those too that nobody has filled in. */
export function given(parameters: SmsParameters, name: string): string | undefined {
  return parameters.get(name) || undefined
}

/** The signature a request shows. @throws `sms-no-signature` */
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
 * @throws `sms-bad-timestamp` when it is no such text, or not about now
 * @see docs/reference/protocol.md#checks
 */
export function checkTimestamp(text: string, now: number): void {
  if (!isMilliseconds(text) || Math.abs(now - Number(text)) > MAX_SKEW_MS) throw new DholeError('sms-bad-timestamp')
}

/**
 * @param shown what the request says its signature is
 * @param documented the one parameter that old clients sign, whatever else they send
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

/** Who knows the key, which may have to be read first: a request that is no good without does not cause that. */
export interface KeyHolder {
  readonly key: string
}

/**
 * Checks a call that has its time in it: signature and time are there, the time is now, the signature is right.
 * @throws `sms-no-signature`, `sms-bad-arguments`, `sms-bad-timestamp`, `sms-bad-signature`
 */
export function checkSigned(parameters: SmsParameters, holder: KeyHolder, now: number, documented?: string): void {
  const signature = signatureIn(parameters)
  checkTimestamp(required(parameters, 'timestamp'), now)
  checkSignature(signature, parameters, holder.key, documented)
}
