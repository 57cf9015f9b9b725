import { DholeError, type ErrorCode } from '../../../error.ts'

/** Code of errors that have no other one. */
const UNKNOWN = 29_999

/** Codes of the Sync SDK, which applications find in `error.code`. @see docs/reference/sdk-protocol.md#error-codes */
const CODES: Partial<Record<ErrorCode, number>> = {
  internal: 26_001,
  'too-busy': 26_002,
  unavailable: 26_003,
  'permission-denied': 26_101,
  quota: 26_102,
  'too-many-failures': 26_103,
  'read-too-big': 26_104,
  'write-too-big': 26_104,
  'leaf-too-big': 26_105,
  'key-too-long': 26_106,
  'too-deep': 26_106,
  'token-expired': 26_801,
  'bad-token': 26_802,
  'token-payload': 26_802,
  'token-refused': 26_802,
}

/** The code of what a request has failed with. */
export function codeOf(error: unknown): number {
  return (error instanceof DholeError ? CODES[error.code] : CODES.internal) ?? UNKNOWN
}
