import { DholeError } from '../../error.ts'

/** Longest text in an index, in bytes: together with the other columns of its row it fits into one entry. */
const MAX_KEY_BYTES = 1800
const QUOTE = '"'

/**
 * A text as it is stored: itself, or JSON when it has a character 0 or half of a surrogate pair, which PostgreSQL does not store.
 * Two texts are stored alike only if they are equal.
 */
export function encodeText(text: string): string {
  const isPlain = text.isWellFormed() && !text.includes('\0') && !text.startsWith(QUOTE)
  return isPlain ? text : JSON.stringify(text)
}

export function decodeText(stored: string): string {
  return stored.startsWith(QUOTE) ? (JSON.parse(stored) as string) : stored
}

/** A text of an index as it is stored. @throws `sms-bad-arguments` when it is too long */
export function encodeKey(name: string, text: string): string {
  const stored = encodeText(text)
  if (stored.length * 3 > MAX_KEY_BYTES && Buffer.byteLength(stored) > MAX_KEY_BYTES) {
    throw new DholeError('sms-bad-arguments', `${name}: expected at most ${MAX_KEY_BYTES} bytes`)
  }
  return stored
}
