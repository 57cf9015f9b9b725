import type { RawParameters } from '../url/parameters.ts'

/**
 * Whether a request shows that a Firebase client sent it: then the few answers in which the two families differ are
 * Firebase's.
 * @see docs/reference/protocol.md#marks-of-firebase-clients
 */
export function speaksFirebase(request: Request, { values }: RawParameters): boolean {
  if ('ns' in values || 'access_token' in values) return true
  const { headers } = request
  if (headers.has('x-goog-api-client') || isBearer(headers.get('authorization'))) return true
  return [...headers.keys()].some((name) => name.startsWith('x-firebase-'))
}

export function isBearer(authorization: string | null): boolean {
  return authorization !== null && /^bearer(\s|$)/i.test(authorization)
}
