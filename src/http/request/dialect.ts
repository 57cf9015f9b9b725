import type { Family } from '../../query/query.ts'
import type { Exchange } from '../exchange.ts'

/**
 * The family of clients whose replies a request gets where the two differ: Firebase's if the request shows a Firebase
 * client, else that of the application's profile.
 * @see docs/reference/protocol.md#marks-of-firebase-clients
 */
export function familyOf(exchange: Exchange): Family {
  if (isFirebaseClient(exchange)) return 'firebase'
  return exchange.knownApplication?.database.profile ?? 'wilddog'
}

function isFirebaseClient({ request, target }: Exchange): boolean {
  const { values } = target.raw
  return 'ns' in values || 'access_token' in values || hasFirebaseHeader(request)
}

export function hasFirebaseHeader({ headers }: Request): boolean {
  if (headers.has('x-goog-api-client') || isBearer(headers.get('authorization'))) return true
  return [...headers.keys()].some((name) => name.startsWith('x-firebase-'))
}

export function isBearer(authorization: string | null): boolean {
  return authorization !== null && /^bearer(\s|$)/i.test(authorization)
}
