import { DholeError } from '../error.ts'
import { type JsonObject, member, parseJsonObject } from './json-object.ts'
import type { SuperSecret } from './super-secret.ts'

/** The only accepted algorithm. */
const ALGORITHM = 'HS256'
const TYPE = 'JWT'

/** Longest token, in characters. */
export const MAX_TOKEN_LENGTH = 16 * 1024

/** Issuer of ID tokens. */
export const ISSUER = 'dhole'

let library: Promise<typeof import('jose')> | undefined

/** Loaded with the first token: loading it would delay the start. */
function jose(): Promise<typeof import('jose')> {
  library ??= import('jose')
  return library
}

/** A token with a right signature and unchecked claims. */
export interface SignedToken {
  /** `id`: issued by this service. `custom`: signed with the super secret by the operator. */
  readonly kind: 'id' | 'custom'
  readonly payload: JsonObject
}

/** The signature may be empty, so that a token without an algorithm is refused for the algorithm. */
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]*)$/

/**
 * Checks the form, the header and the signature of a token.
 * @throws `bad-token` for text that is no token and a wrong signature; `token-refused` for another algorithm, type, or a
 *   critical extension; `token-payload` for a rightly signed payload that is no unambiguous JSON object
 * @see docs/reference/protocol.md#credentials
 */
export async function verifySignature(text: string, secret: SuperSecret): Promise<SignedToken> {
  const [header, body] = partsOf(text)
  checkHeader(header)
  const payload = parseJsonObject(body)
  const kind = typeof payload === 'object' && member(payload, 'iss') === ISSUER ? 'id' : 'custom'
  await checkSignature(text, kind === 'id' ? secret.idKey : secret.customKey)
  if (typeof payload === 'string') throw new DholeError('token-payload')
  return { kind, payload }
}

/** Signs a payload. @throws `token-payload` when the token would be longer than the limit */
export async function sign(payload: JsonObject, key: Uint8Array): Promise<string> {
  const { CompactSign } = await jose()
  const text = await new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
    .sign(key)
  if (text.length > MAX_TOKEN_LENGTH) throw new DholeError('token-payload')
  return text
}

/** Header and payload of a token in compact form. @throws `bad-token` */
function partsOf(text: string): [Uint8Array, Uint8Array] {
  if (text.length > MAX_TOKEN_LENGTH) throw new DholeError('bad-token')
  const [, header = '', body = '', signature = ''] = COMPACT.exec(text) ?? []
  if (header === '') throw new DholeError('bad-token')
  decode(signature)
  return [decode(header), decode(body)]
}

/** Decodes canonical base64url: no padding, no stray bits. @throws `bad-token` */
function decode(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new DholeError('bad-token')
  return bytes
}

/** Checks the header. It never selects a key: `kid`, `jku`, `jwk` and the like are ignored. */
function checkHeader(bytes: Uint8Array): void {
  const header = parseJsonObject(bytes)
  if (header === 'no-object') throw new DholeError('bad-token')
  if (header === 'ambiguous') throw new DholeError('token-payload')
  if (member(header, 'alg') !== ALGORITHM) throw new DholeError('token-refused')
  if (Object.hasOwn(header, 'typ') && header['typ'] !== TYPE) throw new DholeError('token-refused')
  if (Object.hasOwn(header, 'crit') || Object.hasOwn(header, 'b64')) throw new DholeError('token-refused')
}

/** @throws `bad-token` */
async function checkSignature(text: string, key: Uint8Array): Promise<void> {
  const { compactVerify, errors } = await jose()
  try {
    await compactVerify(text, key, { algorithms: [ALGORITHM] })
  } catch (cause) {
    if (cause instanceof errors.JOSEError) throw new DholeError('bad-token', undefined, { cause })
    throw cause
  }
}
