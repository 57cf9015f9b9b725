import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { nowInSeconds } from './token.ts'

const AUDIENCE = 'https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit'
const EMAIL = 'backend@project.iam.gserviceaccount.com'

/** A service account of Firebase. */
export interface ServiceAccount {
  readonly privateKey: KeyObject
  /** PEM text. */
  readonly publicKey: string
}

export function serviceAccount(bits = 2048): ServiceAccount {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits })
  return { privateKey, publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() }
}

/** The payload of a custom token as Firebase's admin SDKs make it, with changes; `undefined` takes a member away. */
export function ticketPayload(changes: object = {}, now = nowInSeconds()): object {
  return { aud: AUDIENCE, iat: now, exp: now + 3600, iss: EMAIL, sub: EMAIL, uid: 'ann', ...changes }
}

/** A token of a payload, as Firebase's admin SDKs sign it. */
export function signedByAccount(payload: object, { privateKey }: ServiceAccount): string {
  const signed = [{ alg: 'RS256', typ: 'JWT' }, payload].map(encoded).join('.')
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
}

/** A token of a payload, as they make it for an emulator. */
export function unsignedToken(payload: object): string {
  return `${encoded({ alg: 'none', typ: 'JWT' })}.${encoded(payload)}.`
}

function encoded(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
