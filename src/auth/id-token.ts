import { DholeError } from '../error.ts'
import type { Caller } from './caller.ts'
import { PROVIDER } from './claims.ts'
import { ISSUER, sign } from './signature.ts'
import type { SuperSecret } from './super-secret.ts'

const SECOND_MS = 1000
/** Longest lifetime of an ID token, in seconds. */
const MAX_LIFETIME = 60 * 60

/** Result of exchanging a custom token. */
export interface IdToken {
  readonly idToken: string
  /** Lifetime in seconds. */
  readonly expireIn: number
}

/**
 * Issues an ID token for the caller of a custom token. It expires no later than the custom token.
 * @param now in milliseconds since 1970
 * @throws `token-expired` when less than a second is left; `token-payload` when the ID token would be too long
 * @see docs/reference/protocol.md#credentials
 */
export async function issueIdToken(
  caller: Caller,
  options: { readonly application: string; readonly secret: SuperSecret; readonly now: number },
): Promise<IdToken> {
  const { application, secret, now } = options
  const issued = Math.floor(now / SECOND_MS)
  const end = Math.floor((caller.expiresAt ?? Number.POSITIVE_INFINITY) / SECOND_MS)
  const expireIn = Math.min(MAX_LIFETIME, end - issued)
  if (expireIn < 1) throw new DholeError('token-expired')
  const payload = {
    v: 1,
    iss: ISSUER,
    aud: application,
    ...userOf(caller),
    iat: issued,
    exp: issued + expireIn,
    ...(caller.kind === 'admin' ? { admin: true } : {}),
    ...(caller.debug ? { debug: true } : {}),
  }
  return { idToken: await sign(payload, secret.idKey), expireIn }
}

function userOf({ auth }: Caller): Readonly<Record<string, unknown>> {
  if (auth === null) return {}
  const { uid, token } = auth
  return { sub: uid, uid, provider: PROVIDER, claims: token }
}
