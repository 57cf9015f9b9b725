import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/** Longest token, in characters; ours have about 250. */
const MAX_LENGTH = 1024
const ID_BYTES = 18

const sessionSchema = Type.Object(
  {
    /** Random, new with each login. */
    id: Type.String({ minLength: 1 }),
    /** Application of the session; absent for the operator. */
    app: Type.Optional(Type.String()),
    /** Time of the login and of the last renewal, in milliseconds since 1970. */
    begun: Type.Integer(),
    seen: Type.Integer(),
    /** Generation of the sessions; another one after a logout everywhere. */
    generation: Type.String(),
  },
  { additionalProperties: false },
)

/** What a session token says. */
export type Session = Static<typeof sessionSchema>

export function newSessionId(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(ID_BYTES))).toString('base64url')
}

/** The session as text, signed so that every process with the same key can check it. */
export function signed(session: Session, key: Uint8Array): string {
  const payload = Buffer.from(JSON.stringify(session)).toString('base64url')
  return `${payload}.${macOf(payload, key).toString('base64url')}`
}

/** What a token says, which may be forged; `undefined` for what is no token. */
export function claimedSession(token: string): Session | undefined {
  if (token.length > MAX_LENGTH) return undefined
  try {
    const session: unknown = JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString())
    return Value.Check(sessionSchema, session) ? session : undefined
  } catch {
    return undefined
  }
}

/** Whether a token was signed with this key. */
export function isSignedWith(token: string, key: Uint8Array): boolean {
  const dot = token.indexOf('.')
  const mac = macOf(token.slice(0, dot), key)
  const given = Buffer.from(token.slice(dot + 1), 'base64url')
  return given.byteLength === mac.byteLength && timingSafeEqual(given, mac)
}

/** The text that a page of the session sends with each call. It does not reveal the token, nor the token it. */
export function csrfOf({ id, generation }: Session, key: Uint8Array): string {
  // No payload of a token holds a space.
  return macOf(`csrf ${id} ${generation}`, key).toString('base64url')
}

/** Compares in constant time. */
export function isSame(given: string, wanted: string): boolean {
  const [left, right] = [given, wanted].map((text) => new Bun.CryptoHasher('sha256').update(text).digest())
  return left !== undefined && right !== undefined && timingSafeEqual(left, right)
}

function macOf(text: string, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
