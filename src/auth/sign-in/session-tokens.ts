import { DholeError } from '../../error.ts'
import type { Caller } from '../caller.ts'
import { GRANTS, isUid, PROVIDER, SIGN_IN } from '../claims.ts'
import { isJsonObject, type JsonObject, member } from '../json-object.ts'
import { ISSUER, sign, verifyWith } from '../signature.ts'
import type { SuperSecret } from '../super-secret.ts'
import type { SignedIn } from './signed-in.ts'

const SECOND_MS = 1000
/** Lifetime of an ID token, in seconds. */
const LIFETIME = 60 * 60
/** Label of the key of refresh tokens. Another one than that of ID tokens: neither may stand for the other. */
const REFRESH_LABEL = 'dhole refresh token key 1'

/** What a client gets that signs a user in. */
export interface SessionTokens {
  readonly uid: string
  readonly idToken: string
  readonly refreshToken: string
}

/** The user of an ID token of a sign-in. */
export interface SignedInUser {
  readonly uid: string
  /** When the user has signed in, in seconds since 1970. */
  readonly since: number
}

interface IssueOptions {
  /** Application that accepts the tokens. */
  readonly application: string
  readonly secret: SuperSecret
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Issues an ID token and a refresh token for a sign-in.
 * @throws `token-expired` when the sign-in has ended; `token-payload` when a token would be too long
 * @see docs/reference/protocol.md#sign-in
 */
export async function issueSession(user: SignedIn, options: IssueOptions): Promise<SessionTokens> {
  const refreshToken = await sign(refreshPayload(user, options), options.secret.keyFor(REFRESH_LABEL))
  return { uid: user.uid, idToken: await issueSignInToken(user, options), refreshToken }
}

/** Issues an ID token, which lives for an hour or the rest of the sign-in. @throws as {@link issueSession} */
export function issueSignInToken(user: SignedIn, { application, secret, now }: IssueOptions): Promise<string> {
  const issued = Math.floor(now / SECOND_MS)
  if (user.until <= issued) throw new DholeError('token-expired')
  const payload = {
    ...user.claims,
    iss: ISSUER,
    aud: application,
    auth_time: user.since,
    user_id: user.uid,
    sub: user.uid,
    iat: issued,
    exp: Math.min(issued + LIFETIME, user.until),
    [SIGN_IN]: { identities: {}, sign_in_provider: PROVIDER },
    ...grantsOf(user),
  }
  return sign(payload, secret.idKey)
}

/** Verifies the signature of a refresh token. @throws as `verifySignature` */
export function verifyRefreshToken(text: string, secret: SuperSecret): Promise<JsonObject> {
  const key = secret.keyFor(REFRESH_LABEL)
  return verifyWith(text, 'HS256', () => key)
}

/**
 * The sign-in of a refresh token whose signature is verified.
 * @param now in milliseconds since 1970
 * @throws `token-expired`; `token-refused` for another application
 */
export function signedInOf(payload: JsonObject, application: string, now: number): SignedIn {
  const [uid, claims] = [member(payload, 'sub'), member(payload, 'claims')]
  const [since, until] = [member(payload, 'auth_time'), member(payload, 'exp')]
  const grants = member(payload, GRANTS) ?? {}
  if (typeof uid !== 'string' || !isUid(uid) || !isJsonObject(claims) || !isJsonObject(grants)) throw unusable()
  if (typeof since !== 'number' || typeof until !== 'number') throw unusable()
  if (member(payload, 'aud') !== application) throw new DholeError('token-refused')
  if (now >= until * SECOND_MS) throw new DholeError('token-expired')
  const [isAdmin, isDebugging] = [member(grants, 'admin') === true, member(grants, 'debug') === true]
  return { uid, claims, isAdmin, isDebugging, since, until }
}

/** The user of a caller; `undefined` unless the ID token is one of a sign-in. */
export function signedInUserOf({ auth }: Caller): SignedInUser | undefined {
  const { uid, token } = auth ?? {}
  const since = isJsonObject(token) ? member(token, 'auth_time') : undefined
  return typeof uid === 'string' && typeof since === 'number' ? { uid, since } : undefined
}

function refreshPayload(user: SignedIn, { application }: IssueOptions): JsonObject {
  const { uid, claims, since, until } = user
  return { aud: application, sub: uid, claims, auth_time: since, exp: until, ...grantsOf(user) }
}

function grantsOf({ isAdmin, isDebugging }: SignedIn): JsonObject {
  if (!isAdmin && !isDebugging) return {}
  return { [GRANTS]: { ...(isAdmin ? { admin: true } : {}), ...(isDebugging ? { debug: true } : {}) } }
}

function unusable(): DholeError {
  return new DholeError('token-payload')
}
