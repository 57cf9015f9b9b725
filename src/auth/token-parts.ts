import type { ErrorCode } from '../error.ts'

/** The JSON of a part of a token, 0 for the header and 1 for the payload; `null` where it is none. */
export function decodedPart(text: string, index: 0 | 1): unknown {
  const part = text.split('.', 2)[index]
  if (part === undefined) return null
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as unknown
  } catch {
    return null
  }
}

const REASONS: Partial<Record<ErrorCode, string>> = {
  'bad-token':
    'It is no token of three parts in base64url, or its signature is not of the super secret of this application.',
  'token-expired': 'It has expired.',
  'token-payload':
    'Claims are missing, of a wrong type, or named twice. A custom token has `v` 1 with `uid` and `claims`, or `v` 0 with `d`, and `iat`.',
  'token-refused': 'It has another algorithm or type than HS256 and JWT, is for another application, or not valid yet.',
}

/** Why a token is refused, in words. */
export function reasonOf(code: ErrorCode): string {
  return REASONS[code] ?? 'It is not accepted.'
}
