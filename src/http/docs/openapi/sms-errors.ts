import { DholeError, type ErrorCode } from '../../../error.ts'
import { bodyOf, statusOf } from '../../response/error-texts.ts'
import type { SmsCall } from '../../sms/schemas.ts'
import { errorMedia, examplesOf, retryAfter, type SmsErrorCode } from './errors.ts'
import { type ExampleObject, type ResponseObject, schemaRef } from './schemas.ts'

const SIGNED: readonly SmsCall[] = ['statuses', 'batch', 'record', 'report', 'receipt']
const RECORD: readonly SmsCall[] = ['record']

/** Which calls can fail how. The compiler sees to it that no error is forgotten. */
const reach: Readonly<Record<SmsErrorCode, readonly SmsCall[]>> = {
  'sms-app-unknown': SIGNED,
  'sms-no-signature': SIGNED,
  'sms-bad-arguments': SIGNED,
  'sms-bad-timestamp': SIGNED,
  'sms-bad-signature': SIGNED,
  'sms-too-often': ['statuses'],
  'sms-no-mobiles': RECORD,
  'sms-too-many-mobiles': RECORD,
  'sms-bad-array': RECORD,
  'sms-bad-mobile': RECORD,
  // Only paths that the document does not have.
  'sms-not-offered': [],
  'sms-failed': SIGNED,
  'sms-key-unknown': SIGNED,
  'sms-unavailable': SIGNED,
}

const codes = Object.keys(reach) as readonly SmsErrorCode[]

const STATUS_TEXT: Readonly<Record<number, string>> = {
  400: 'The request is wrong; nothing is written.',
  401: 'It is signed with another key, or something else was signed.',
  404: 'There is no such application, or the request came without encryption.',
  429: 'The last correctly signed call was less than a second ago, or whatever is set for the application.',
  500: 'The service failed. The cause is in its log.',
  503: 'The application is out of service for now.',
}

/** The reply to a request without encryption. */
export const insecure: ResponseObject = {
  description: `The request came without encryption. \`errcode\` ${bodyOf(new DholeError('https-required')).errcode}.`,
  content: { 'application/json': errorMedia(['https-required']) },
}

/** The error answers of a call by status. */
export function smsErrorResponses(call: SmsCall): Record<string, ResponseObject> {
  const some = codes.filter((code) => reach[code].includes(call))
  const byStatus = Map.groupBy<number, ErrorCode>([...some, 'https-required'], statusOf)
  const sorted = [...byStatus].toSorted(([left], [right]) => left - right)
  return Object.fromEntries(sorted.map(([status, reachable]) => [String(status), errorResponse(status, reachable)]))
}

function errorResponse(status: number, some: readonly ErrorCode[]): ResponseObject {
  const numbers = [...new Set(some.map((code) => bodyOf(new DholeError(code)).errcode))].join(', ')
  return {
    description: `${STATUS_TEXT[status]} \`errcode\` ${numbers}.`,
    ...(status === 429 || status === 503 ? { headers: { 'Retry-After': retryAfter } } : {}),
    content: { 'application/json': errorMedia(some) },
  }
}

/** Texts that name something of the request: here those of one. */
const hints: Readonly<Partial<Record<SmsErrorCode, string>>> = {
  'sms-bad-arguments': 'data/1/receiveTime: expected YYYY-MM-DD HH:MM:SS',
  'sms-bad-array': 'messageIds: expected as many as mobiles',
  'sms-bad-mobile': 'mobiles: "123" is no telephone number',
}

/** The body of every error of these calls. */
export const smsErrorExamples: Readonly<Record<string, ExampleObject>> = examplesOf(codes, hints)

/** What a call gets that there is none of. */
export const notOffered: ResponseObject = {
  description: 'Any call below `/api/v1` and `/api/v2` that is not documented, such as those that would send.',
  content: {
    'application/json': {
      schema: schemaRef('Error'),
      examples: { 'sms-not-offered': { $ref: '#/components/examples/sms-not-offered' } },
    },
  },
}
