import { timingSafeEqual } from 'node:crypto'

/** The only parameter that is not signed. */
const UNSIGNED = 'signature'
const HEX = /^[0-9a-f]{64}$/i

/** Name and value of a parameter, decoded. */
type Parameter = readonly [name: string, value: string]

/**
 * Signs parameters: the hash of their {@link signedText text}, `&` and the key.
 * @param parameters each name once, in any order
 * @returns SHA-256 as 64 lower-case hex digits
 * @see docs/reference/protocol.md#signing
 */
export function signatureOf(parameters: Iterable<Parameter>, key: string): string {
  return Bun.CryptoHasher.hash('sha256', `${signedText(parameters)}&${key}`, 'hex')
}

/** The signed text, without the key: `name=value` of each parameter but `signature`, sorted by name ignoring case. */
export function signedText(parameters: Iterable<Parameter>): string {
  const signed: { name: string; folded: string; value: string }[] = []
  for (const [name, value] of parameters) {
    if (name !== UNSIGNED) signed.push({ name, folded: name.toLowerCase(), value })
  }
  if (signed.length > 1) signed.sort((a, b) => compare(a.folded, b.folded) || compare(a.name, b.name))
  return signed.map(({ name, value }) => `${name}=${value}`).join('&')
}

/** Whether a signature is the expected one, ignoring case. Takes the same time wherever they differ. */
export function isSignature(shown: string, expected: string): boolean {
  if (!HEX.test(shown) || !HEX.test(expected)) return false
  return timingSafeEqual(Buffer.from(shown, 'hex'), Buffer.from(expected, 'hex'))
}

/** By code unit: no collation, which would depend on the machine. */
function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
