import { createHmac } from 'node:crypto'
import { Authenticator, type CredentialOrigin } from '../../../src/auth/authenticator.ts'
import { FailedAttempts } from '../../../src/auth/failed-attempts.ts'
import { DholeError } from '../../../src/error.ts'

// Tokens written without the library that reads them.

export const SECRET = 'a-secret-of-the-application'
export const OTHER_SECRET = 'a-secret-of-somebody-else'
export const APPLICATION = 'zoo'

/** The time of all tests, in seconds and in milliseconds. */
export const NOW = 1_750_000_000
export const NOW_MS = NOW * 1000
export const DAY = 24 * 60 * 60

export const HEADER = { alg: 'HS256', typ: 'JWT' }

/** Nobody knows where these come from, so nothing is counted. */
export const NOWHERE: CredentialOrigin = { address: undefined, isBearer: false }

export function base64url(text: string | Uint8Array): string {
  return Buffer.from(text).toString('base64url')
}

interface Making {
  readonly secret?: string | Uint8Array
  readonly hash?: 'sha256' | 'sha384' | 'sha512'
}

/** A token of a header and a payload, as texts that need not be JSON, or as what is printed as JSON. */
export function token(
  payload: unknown,
  header: unknown = HEADER,
  { secret = SECRET, hash = 'sha256' }: Making = {},
): string {
  const signed = `${base64url(textOf(header))}.${base64url(textOf(payload))}`
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`
}

/** A good payload of Wilddog's family, with changes; `undefined` takes a member away. */
export function wilddog(changes: object = {}): object {
  return { v: 1, uid: 'ann', iat: NOW - 10, ...changes }
}

/** A good payload of Firebase's family, with changes. */
export function firebase(changes: object = {}): object {
  return { v: 0, d: { uid: 'ann' }, iat: NOW - 10, ...changes }
}

/** The payload of a token, unchecked. */
export function payloadOf(text: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString())
}

export function authenticator(options: Partial<ConstructorParameters<typeof Authenticator>[0]> = {}): Authenticator {
  return new Authenticator({
    application: APPLICATION,
    secret: SECRET,
    failedAttempts: new FailedAttempts(0),
    now: () => NOW_MS,
    ...options,
  })
}

/** The name of the failure, or what came instead. */
export async function failureOf(attempt: () => unknown): Promise<unknown> {
  try {
    return await attempt()
  } catch (thrown) {
    if (thrown instanceof DholeError) return thrown.code
    throw thrown
  }
}

function textOf(part: unknown): string | Uint8Array {
  return typeof part === 'string' || part instanceof Uint8Array ? part : JSON.stringify(part)
}
