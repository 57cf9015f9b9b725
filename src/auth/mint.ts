import { customCaller } from './claims.ts'
import { sign, verifySignature } from './signature.ts'
import { SuperSecret } from './super-secret.ts'

/** Content of a custom token. */
export interface TokenOptions {
  /** The user: 1 to 64 of `0-9 A-Z a-z -`. Only the token of an admin may lack it. */
  readonly uid?: string | undefined
  /** `auth.token` of the rules. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined
  /** Lifetime in seconds. Default 24 hours. */
  readonly expiresIn?: number | undefined
  /** Whether no rule applies to the token. Default false. */
  readonly admin?: boolean | undefined
  /** Whether replies contain the trace of the rules. Default false. */
  readonly debug?: boolean | undefined
}

const SECOND_MS = 1000

/**
 * Makes a custom token, signed with the super secret.
 * @throws `token-payload` when no server would accept it: a wrong `uid`, or too long a text; RangeError unless
 *   `expiresIn` is a whole number above 0; TypeError for an empty secret
 * @see docs/reference/protocol.md#credentials
 */
export async function mintToken(secret: string, options: TokenOptions): Promise<string> {
  return await mintWith(new SuperSecret(secret), options)
}

/** As `mintToken`. */
export async function mintWith(root: SuperSecret, options: TokenOptions): Promise<string> {
  const { uid, claims, expiresIn, admin, debug } = options
  if (expiresIn !== undefined && !(Number.isSafeInteger(expiresIn) && expiresIn > 0)) {
    throw new RangeError('the life of a token must be a whole number of seconds above 0')
  }
  const now = Date.now()
  const issued = Math.floor(now / SECOND_MS)
  const payload = {
    v: 1,
    ...(uid === undefined ? {} : { uid }),
    ...(claims === undefined ? {} : { claims }),
    iat: issued,
    ...(expiresIn === undefined ? {} : { exp: issued + expiresIn }),
    ...(admin ? { admin } : {}),
    ...(debug ? { debug } : {}),
  }
  const token = await sign(payload, root.customKey)
  const { payload: signed } = await verifySignature(token, root)
  customCaller(signed, '', now)
  return token
}
