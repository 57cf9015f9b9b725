import { timingSafeEqual } from 'node:crypto'
import { DholeError } from '../tree/error.ts'

/** What rules see as `auth`: `uid`, `provider`, `token`, and whatever else the token says. */
export type Auth = Readonly<Record<string, unknown>>

/** Who asks. */
export interface Caller {
  /** `admin`: no rule applies. `anybody`: no credential was shown. */
  readonly kind: 'admin' | 'user' | 'anybody'
  readonly auth: Auth | null
  /** When the credential ends, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined
  /** Whether answers tell why rules refused. */
  readonly debug?: boolean | undefined
}

export const ANYBODY: Caller = { kind: 'anybody', auth: null }
const OWNER: Caller = { kind: 'admin', auth: null }

/**
 * Judges the credential of a request. A bad one is an error, never "nobody".
 * @param credential as sent, `undefined` when none was
 * @param secret the application's super secret
 * @throws `bad-token`
 * @see docs/protocol.md#credentials
 */
export function identify(credential: string | undefined, secret: string): Caller {
  if (credential === undefined) return ANYBODY
  if (!sameText(credential, secret)) throw new DholeError('bad-token')
  return OWNER
}

/** Compares in a time that tells nothing of where two texts differ: digests have one length. */
function sameText(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right))
}

function digest(text: string): Buffer {
  return new Bun.CryptoHasher('sha256').update(text).digest()
}
