import { timingSafeEqual } from 'node:crypto'
import { DholeError } from '../tree/error.ts'

/** Who asks. Tokens and their claims come with rules; until then there is the owner and everybody else. */
export interface Caller {
  readonly admin: boolean
}

const ANYBODY: Caller = { admin: false }
const OWNER: Caller = { admin: true }

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
