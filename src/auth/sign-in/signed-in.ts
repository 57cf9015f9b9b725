import { DholeError } from '../../error.ts'
import type { Caller } from '../caller.ts'
import { GRANTS, isUid, LEEWAY_MS, SIGN_IN } from '../claims.ts'
import { isJsonObject, type JsonObject, member } from '../json-object.ts'

const SECOND_MS = 1000
/** Longest time from a sign-in to its end, in seconds. */
const MAX_SIGN_IN = 30 * 24 * 60 * 60
/** Longest lifetime of a custom token in the form of Firebase's admin SDKs, in seconds. */
const MAX_LIFETIME = 60 * 60
/** Audience of such a token. */
const AUDIENCE = 'https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit'

/** Names of members of ID tokens: claims of users must have others. */
const RESERVED: readonly string[] = [
  ...['acr', 'amr', 'at_hash', 'aud', 'auth_time', 'azp', 'cnf', 'c_hash', 'exp', 'iat', 'iss', 'jti', 'nbf'],
  ...['nonce', 'sub', 'user_id', SIGN_IN, GRANTS],
]

/** A user who has signed in. */
export interface SignedIn {
  readonly uid: string
  readonly claims: JsonObject
  readonly isAdmin: boolean
  readonly isDebugging: boolean
  /** When the user has signed in, and when that ends, in seconds since 1970. */
  readonly since: number
  readonly until: number
}

/**
 * The sign-in with a custom token that is a credential itself. It ends with the token.
 * @param now in milliseconds since 1970
 * @throws `token-payload` for a token without a user, and for claims that have reserved names
 */
export function signedInWithCredential({ auth, kind, debug, expiresAt }: Caller, now: number): SignedIn {
  if (auth === null) throw new DholeError('token-payload', 'A token without a user cannot sign a user in')
  const since = secondsOf(now)
  const end = secondsOf(expiresAt ?? Number.MAX_SAFE_INTEGER)
  return {
    uid: auth['uid'] as string,
    claims: checkedClaims(auth['token'] as JsonObject),
    isAdmin: kind === 'admin',
    isDebugging: debug === true,
    since,
    until: Math.min(end, since + MAX_SIGN_IN),
  }
}

/**
 * The sign-in with a custom token as Firebase's admin SDKs make it.
 * @param payload whose signature is verified
 * @param now in milliseconds since 1970
 * @throws `token-payload`, `token-expired`, `token-refused`
 */
export function signedInWithTicket(payload: JsonObject, now: number): SignedIn {
  const uid = member(payload, 'uid')
  const claims = member(payload, 'claims') ?? {}
  const issued = member(payload, 'iat')
  const end = member(payload, 'exp')
  if (typeof uid !== 'string' || !isUid(uid) || !isJsonObject(claims)) throw new DholeError('token-payload')
  if (!isTime(issued) || !isTime(end) || end - issued > MAX_LIFETIME) {
    throw new DholeError('token-payload', 'Custom tokens have `iat` and `exp`, at most an hour apart')
  }
  if (Object.hasOwn(payload, 'tenant_id')) throw new DholeError('token-payload', 'There are no tenants')
  if (member(payload, 'aud') !== AUDIENCE) throw new DholeError('token-refused')
  if (now >= end * SECOND_MS) throw new DholeError('token-expired')
  if (issued * SECOND_MS > now + LEEWAY_MS) throw new DholeError('token-refused')
  const since = secondsOf(now)
  const until = since + MAX_SIGN_IN
  return { uid, claims: checkedClaims(claims), isAdmin: false, isDebugging: false, since, until }
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function checkedClaims(claims: JsonObject): JsonObject {
  const reserved = RESERVED.find((name) => Object.hasOwn(claims, name))
  if (reserved !== undefined) throw new DholeError('token-payload', `The claim ${reserved} has a reserved name`)
  return claims
}

function secondsOf(ms: number): number {
  return Math.floor(ms / SECOND_MS)
}
