import { DholeError } from '../error.ts'
import type { Auth, Caller } from './caller.ts'
import { freeze, isJsonObject, type JsonObject, member } from './json-object.ts'

const SECOND_MS = 1000
/** Maximum clock difference to the issuer of a token. */
export const LEEWAY_MS = 5 * SECOND_MS
/** Lifetime of a token without `exp`, in seconds. */
const DEFAULT_LIFETIME = 24 * 60 * 60

/** User names in tokens of Wilddog. */
const WILDDOG_UID = /^[0-9A-Za-z-]{1,64}$/
/** Longest user name in tokens of Firebase, in UTF-16 code units. */
const MAX_UID_LENGTH = 256

/** Default of `provider`. */
export const PROVIDER = 'custom'

/** Member of ID tokens of a sign-in that holds what claims of users must not grant: `admin` and `debug`. */
export const GRANTS = 'dhole'
/** Member that only ID tokens of a sign-in have. */
export const SIGN_IN = 'firebase'

/** User and validity of a token; times in seconds since 1970. */
interface Claims {
  /** `null` without a user. */
  readonly auth: Auth | null
  readonly since: number
  readonly until: number
  /** Holds `admin` and `debug`. */
  readonly grants: JsonObject
}

/**
 * The caller of a custom token of Wilddog or Firebase, whose signature is verified.
 * @param application that receives the token; an audience of the token must name it
 * @param now in milliseconds since 1970
 * @throws `token-payload` for claims that are missing or of a wrong type; `token-expired`; `token-refused` when it is
 *   not valid yet, or issued for another application
 * @see docs/reference/protocol.md#credentials
 */
export function customCaller(payload: JsonObject, application: string, now: number): Caller {
  const caller = callerOf(customClaims(payload), now)
  const audience = member(payload, 'aud')
  const audiences = Array.isArray(audience) ? audience : [audience ?? application]
  if (!audiences.includes(application)) throw new DholeError('token-refused')
  return caller
}

/** The caller of an ID token. Parameters and errors as of {@link customCaller}; the audience is required. */
export function idCaller(payload: JsonObject, application: string, now: number): Caller {
  const caller = callerOf(idClaims(payload), now)
  if (member(payload, 'aud') !== application) throw new DholeError('token-refused')
  return caller
}

/**
 * The caller of a token without a signature, as SDKs make it for an emulator. Its times and its audience do not count, and
 * it never makes an administrator.
 * @throws `token-payload` for one without a user
 */
export function unsignedCaller(payload: JsonObject): Caller {
  const uid = member(payload, 'sub') ?? member(payload, 'user_id')
  if (typeof uid !== 'string' || !isUid(uid)) throw unusable()
  return Object.freeze({ kind: 'user', auth: authOf({}, uid, withoutGrants(payload)) })
}

function customClaims(payload: JsonObject): Claims {
  switch (member(payload, 'v')) {
    case 0:
      return firebaseClaims(payload)
    case 1:
      return wilddogClaims(payload)
    default:
      throw unusable()
  }
}

function wilddogClaims(payload: JsonObject): Claims {
  const uid = readUid(payload, (text) => WILDDOG_UID.test(text), payload)
  const token = objectOf(payload, 'claims')
  const issued = timeOf(payload, 'iat')
  return {
    auth: uid === undefined ? null : authOf({}, uid, token),
    since: Math.max(timeOf(payload, 'nbf', issued), issued),
    until: timeOf(payload, 'exp', issued + DEFAULT_LIFETIME),
    grants: payload,
  }
}

function firebaseClaims(payload: JsonObject): Claims {
  const token = objectOf(payload, 'd')
  const uid = readUid(token, isUid, payload)
  const issued = timeOf(payload, 'iat')
  const since = timeOf(payload, 'nbf', issued)
  return {
    auth: uid === undefined ? null : authOf(token, uid, token),
    since: Math.max(since, issued),
    until: timeOf(payload, 'exp', since + DEFAULT_LIFETIME),
    grants: payload,
  }
}

function idClaims(payload: JsonObject): Claims {
  if (isJsonObject(member(payload, SIGN_IN))) return signInClaims(payload)
  if (member(payload, 'v') !== 1) throw unusable()
  const uid = readUid(payload, isUid, payload)
  const issued = timeOf(payload, 'iat')
  return {
    auth: uid === undefined ? null : authOf({}, uid, objectOf(payload, 'claims')),
    since: Math.max(timeOf(payload, 'nbf', issued), issued),
    until: timeOf(payload, 'exp'),
    grants: payload,
  }
}

/** Claims of users are members of the token itself, so that one named `admin` grants nothing. */
function signInClaims(payload: JsonObject): Claims {
  const uid = member(payload, 'sub')
  if (typeof uid !== 'string' || !isUid(uid)) throw unusable()
  const grants = objectOf(payload, GRANTS)
  return {
    auth: authOf({}, uid, withoutGrants(payload)),
    since: timeOf(payload, 'iat'),
    until: timeOf(payload, 'exp'),
    grants,
  }
}

function withoutGrants({ [GRANTS]: _, ...token }: JsonObject): JsonObject {
  return token
}

function callerOf({ auth, since, until, grants }: Claims, now: number): Caller {
  const kind = flagOf(grants, 'admin') ? 'admin' : 'user'
  const debug = flagOf(grants, 'debug')
  if (now >= until * SECOND_MS) throw new DholeError('token-expired')
  if (since * SECOND_MS > now + LEEWAY_MS) throw new DholeError('token-refused')
  // `exp` may be any finite number.
  const expiresAt = Math.min(until * SECOND_MS, Number.MAX_SAFE_INTEGER)
  return Object.freeze({ kind, auth, expiresAt, ...(debug ? { debug } : {}) })
}

/** Objects without prototypes, so that a member such as `constructor` is one only if the token has it. */
function authOf(members: JsonObject, uid: string, token: JsonObject): Auth {
  const provider = member(members, 'provider') ?? PROVIDER
  return freeze(withoutPrototype({ ...members, uid, provider, token: withoutPrototype(token) }))
}

function withoutPrototype(members: JsonObject): Record<string, unknown> {
  return Object.assign(Object.create(null), members)
}

/** The user name. Only the token of an admin may lack it. */
function readUid(members: JsonObject, isGood: (uid: string) => boolean, payload: JsonObject): string | undefined {
  const uid = member(members, 'uid')
  if (uid === undefined && flagOf(payload, 'admin')) return undefined
  if (typeof uid !== 'string' || !isGood(uid)) throw unusable()
  return uid
}

/** Whether a text may name a user in tokens of Firebase. */
export function isUid(uid: string): boolean {
  return uid !== '' && uid.length <= MAX_UID_LENGTH
}

/** An object; empty when the member is missing or null. */
function objectOf(payload: JsonObject, name: string): JsonObject {
  const object = member(payload, name) ?? {}
  if (!isJsonObject(object)) throw unusable()
  return object
}

/** A finite time in seconds. @param missing default when the member is absent */
function timeOf(payload: JsonObject, name: string, missing?: number): number {
  const time = Object.hasOwn(payload, name) ? payload[name] : missing
  if (typeof time !== 'number' || !Number.isFinite(time)) throw unusable()
  return time
}

function flagOf(payload: JsonObject, name: string): boolean {
  const flag = member(payload, name) ?? false
  if (typeof flag !== 'boolean') throw unusable()
  return flag
}

function unusable(): DholeError {
  return new DholeError('token-payload')
}
