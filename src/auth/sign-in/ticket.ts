import type { KeyObject } from 'node:crypto'
import { DholeError } from '../../error.ts'
import { customCaller } from '../claims.ts'
import type { JsonObject } from '../json-object.ts'
import type { Keyring } from '../keyring.ts'
import { algorithmOf, unsignedPayload, verifyWith } from '../signature.ts'
import { type SignedIn, signedInWithCredential, signedInWithTicket } from './signed-in.ts'

/** What custom tokens are verified with, beside the super secret. */
export interface TicketKeys {
  /** Public keys of service accounts. */
  readonly service: readonly KeyObject[]
  /** Whether tokens without a signature are accepted, as emulators accept them. */
  readonly acceptsUnsigned: boolean
}

/** A custom token whose signature is verified. */
export interface Ticket {
  /** Whether it is signed with the super secret. */
  readonly isOwn: boolean
  /** Whether it is an ID token. */
  readonly isIdToken: boolean
  readonly payload: JsonObject
}

/**
 * Verifies the signature of a custom token that signs a user in: HS256 with the super secret, RS256 with the key of a
 * service account, or none where that is accepted.
 * @throws as `verifySignature`
 */
export async function verifyTicket(text: string, keyring: Keyring, keys: TicketKeys): Promise<Ticket> {
  const algorithm = algorithmOf(text)
  if (algorithm === 'RS256' && keys.service.length > 0) return foreign(await verifyWithAny(text, keys.service))
  if (algorithm === 'none' && keys.acceptsUnsigned) return foreign(unsignedPayload(text))
  const { kind, payload } = await keyring.verify(text)
  return { isOwn: true, isIdToken: kind === 'id', payload }
}

function foreign(payload: JsonObject): Ticket {
  return { isOwn: false, isIdToken: false, payload }
}

/**
 * The sign-in of a verified custom token. Only the super secret makes administrators.
 * @throws `bad-token` for an ID token, and as `customCaller` and `signedInWithTicket`
 */
export function signInOf({ isOwn, isIdToken, payload }: Ticket, application: string, now: number): SignedIn {
  if (isIdToken) throw new DholeError('bad-token')
  const isCredential = isOwn && Object.hasOwn(payload, 'v')
  return isCredential
    ? signedInWithCredential(customCaller(payload, application, now), now)
    : signedInWithTicket(payload, now)
}

async function verifyWithAny(text: string, [key, ...others]: readonly KeyObject[]): Promise<JsonObject> {
  if (key === undefined) throw new DholeError('bad-token')
  try {
    return await verifyWith(text, 'RS256', () => key)
  } catch (thrown) {
    const isOfOther = thrown instanceof DholeError && thrown.code === 'bad-token'
    if (!isOfOther || others.length === 0) throw thrown
    return verifyWithAny(text, others)
  }
}
