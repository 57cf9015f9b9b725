import type { KeyObject } from 'node:crypto'
import { DholeError } from '../error.ts'
import { isJsonObject, type JsonObject, member, parseJsonObject } from './json-object.ts'
import type { SuperSecret } from './super-secret.ts'
import { decodedPart } from './token-parts.ts'

/** Algorithm of all tokens that are credentials. */
const ALGORITHM = 'HS256'
const TYPE = 'JWT'

/** `RS256`: only for custom tokens of a service account, which are no credentials. */
type SignatureAlgorithm = typeof ALGORITHM | 'RS256'
/** A shared key for HS256, a public one for RS256. */
type VerificationKey = Uint8Array | KeyObject

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
  let kind: SignedToken['kind'] = 'custom'
  const payload = await verifyWith(text, ALGORITHM, (claims) => {
    if (claims !== undefined && member(claims, 'iss') === ISSUER) kind = 'id'
    return kind === 'id' ? secret.idKey : secret.customKey
  })
  return { kind, payload }
}

/**
 * As {@link verifySignature}, for an algorithm and a key.
 * @param keyOf the key for a payload, `undefined` where that is no unambiguous object
 * @returns the payload
 */
export async function verifyWith(
  text: string,
  algorithm: SignatureAlgorithm,
  keyOf: (payload: JsonObject | undefined) => VerificationKey,
): Promise<JsonObject> {
  const { header, body } = partsOf(text)
  checkHeader(header, algorithm)
  const payload = parseJsonObject(body)
  const claims = typeof payload === 'string' ? undefined : payload
  await checkSignature(text, keyOf(claims), algorithm)
  if (claims === undefined) throw new DholeError('token-payload')
  return claims
}

/**
 * The payload of a token without a signature: of the algorithm `none`.
 * @throws `bad-token`, `token-refused`, `token-payload` as {@link verifySignature}
 */
export function unsignedPayload(text: string): JsonObject {
  const { header, body, signature } = partsOf(text)
  checkHeader(header, 'none')
  const payload = parseJsonObject(body)
  if (signature !== '' || payload === 'no-object') throw new DholeError('bad-token')
  if (payload === 'ambiguous') throw new DholeError('token-payload')
  return payload
}

/** Algorithm that a header names; `undefined` where there is no header that can be read. @throws `bad-token` for too long a text */
export function algorithmOf(text: string): unknown {
  if (text.length > MAX_TOKEN_LENGTH) throw new DholeError('bad-token')
  const header = decodedPart(text, 0)
  return isJsonObject(header) ? member(header, 'alg') : undefined
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

/** The parts of a token in compact form. */
interface TokenParts {
  readonly header: Uint8Array
  readonly body: Uint8Array
  /** As sent. */
  readonly signature: string
}

/** @throws `bad-token` */
function partsOf(text: string): TokenParts {
  if (text.length > MAX_TOKEN_LENGTH) throw new DholeError('bad-token')
  const [, header = '', body = '', signature = ''] = COMPACT.exec(text) ?? []
  if (header === '') throw new DholeError('bad-token')
  decode(signature)
  return { header: decode(header), body: decode(body), signature }
}

/** Decodes canonical base64url: no padding, no stray bits. @throws `bad-token` */
function decode(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new DholeError('bad-token')
  return bytes
}

/** Checks the header. It never selects a key: `kid`, `jku`, `jwk` and the like are ignored. */
function checkHeader(bytes: Uint8Array, algorithm: SignatureAlgorithm | 'none'): void {
  const header = parseJsonObject(bytes)
  if (header === 'no-object') throw new DholeError('bad-token')
  if (header === 'ambiguous') throw new DholeError('token-payload')
  if (member(header, 'alg') !== algorithm) throw new DholeError('token-refused')
  if (Object.hasOwn(header, 'typ') && header['typ'] !== TYPE) throw new DholeError('token-refused')
  if (Object.hasOwn(header, 'crit') || Object.hasOwn(header, 'b64')) throw new DholeError('token-refused')
}

/** @throws `bad-token` */
async function checkSignature(text: string, key: VerificationKey, algorithm: SignatureAlgorithm): Promise<void> {
  const { compactVerify, errors } = await jose()
  try {
    await compactVerify(text, key, { algorithms: [algorithm] })
  } catch (cause) {
    if (cause instanceof errors.JOSEError) throw new DholeError('bad-token', undefined, { cause })
    throw cause
  }
}
