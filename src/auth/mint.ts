import { customCaller } from './claims.ts'
import { sign, verifySignature } from './signature.ts'
import { SuperSecret } from './super-secret.ts'

/** What a custom token is to say. */
export interface TokenOptions {
  /** The user: 1 to 64 of `0-9 A-Z a-z -`. Only a token of an admin may go without. */
  readonly uid?: string | undefined
  /** What rules see as `auth.token`. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined
  /** How long it is good, in seconds. Default 24 hours. */
  readonly expiresIn?: number | undefined
  /** Whether no rule applies to it. Default false. */
  readonly admin?: boolean | undefined
  /** Whether answers tell why rules refused. Default false. */
  readonly debug?: boolean | undefined
}

const SECOND_MS = 1000

/**
 * Makes a custom token, signed with the super secret.
 * @throws `token-payload` when no gate would take it: a wrong `uid`, or too long a text; RangeError unless
 *   `expiresIn` is a whole number above 0; TypeError for an empty secret
 * @see docs/reference/protocol.md#credentials
 */
export async function mintToken(secret: string, options: TokenOptions): Promise<string> {
  const { uid, claims, expiresIn, admin, debug } = options
  if (expiresIn !== undefined && !(Number.isSafeInteger(expiresIn) && expiresIn > 0)) {
    throw new RangeError('the life of a token must be a whole number of seconds above 0')
  }
  const root = new SuperSecret(secret)
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
  const { payload: said } = await verifySignature(token, root)
  customCaller(said, '', now)
  return token
}
