import { createPublicKey, type KeyObject } from 'node:crypto'
import { isJsonObject, member } from '../json-object.ts'

/** Most keys of one application: each is tried for a token. */
const MAX_KEYS = 8
const LEAST_BITS = 2048
const PEM_BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g
const PUBLIC = new Set(['PUBLIC KEY', 'RSA PUBLIC KEY', 'CERTIFICATE'])

/**
 * The public keys of service accounts, whose custom tokens sign users in.
 * @param pem one or more public keys or certificates
 * @throws TypeError for other text, private keys, other kinds of keys than RSA, short keys and too many
 * @see docs/reference/protocol.md#sign-in
 */
export function readServiceKeys(pem: string): readonly KeyObject[] {
  const blocks = [...pem.matchAll(PEM_BLOCK)]
  if (blocks.length === 0) throw new TypeError('expected a public key or a certificate as PEM text')
  if (blocks.length > MAX_KEYS) throw new TypeError(`expected at most ${MAX_KEYS} keys`)
  return blocks.map(([block, label = '']) => {
    if (!PUBLIC.has(label)) throw new TypeError(`expected a public key or a certificate, not ${label}`)
    return checked(read(block, label))
  })
}

function read(block: string, label: string): KeyObject {
  try {
    return createPublicKey(block)
  } catch (cause) {
    throw new TypeError(`the ${label} cannot be read`, { cause })
  }
}

function checked(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== 'rsa') throw new TypeError('expected an RSA key')
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < LEAST_BITS) throw new TypeError(`expected an RSA key of ${LEAST_BITS} bits or more, not ${bits}`)
  return key
}

/**
 * The public keys in a file about service accounts, as PEM text: the file with a private key that Google hands out, its list of
 * certificates, or PEM text as it is. A private key is dropped.
 * @throws TypeError as {@link readServiceKeys}
 */
export function publicKeysOf(text: string): string {
  const json = parsed(text)
  const key = isJsonObject(json) ? member(json, 'private_key') : undefined
  const pem = typeof key === 'string' ? publicKeyOf(key) : isJsonObject(json) ? Object.values(json).join('\n') : text
  readServiceKeys(pem)
  return pem
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function publicKeyOf(privateKey: string): string {
  try {
    return createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString()
  } catch (cause) {
    throw new TypeError('the private_key cannot be read', { cause })
  }
}
