import { DholeError, type ErrorCode } from '../../error.ts'
import type { ErrorFormat } from '../exchange.ts'
import { errorReply, knownError } from '../response/error-reply.ts'

/** Codes that the calls about text messages have in place of general ones. */
const SMS_CODES: Partial<Record<ErrorCode, ErrorCode>> = {
  'app-unknown': 'sms-app-unknown',
  unavailable: 'sms-unavailable',
  quota: 'sms-too-often',
  'too-busy': 'sms-unavailable',
}
/** General codes that stay. */
const KEPT: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['method-not-allowed', 'https-required'])

/** Errors of the calls about text messages. */
export const smsErrors: ErrorFormat = {
  errorOf: (thrown) => {
    const error = knownError(thrown)
    if (error.code.startsWith('sms-') || KEPT.has(error.code)) return error
    return new DholeError(SMS_CODES[error.code] ?? 'sms-failed', undefined, { cause: thrown })
  },
  reply: (exchange, error) => errorReply(exchange, error, {}),
}
