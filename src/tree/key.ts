import { DholeError, type ErrorCode } from '../error.ts'
import { MAX_KEY_BYTES } from './limits.ts'

/** The reserved child that holds a node's priority. */
export const PRIORITY = '.priority'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const FORBIDDEN = /[.$#[\]/\u0000-\u001f\u007f]/

/** UTF-8 length of a key or string. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text)
}

/**
 * Throws unless `key` may name a node.
 * @param where error code for a bad character: the key is part of a URL path or of a body
 * @throws `empty-key`, `bad-path` or `bad-key`, `key-too-long`, `bad-data` (a lone surrogate)
 * @see docs/reference/protocol.md#the-data-model
 */
export function checkKey(key: string, where: Extract<ErrorCode, 'bad-path' | 'bad-key'>): void {
  if (key === '') throw new DholeError('empty-key')
  if (FORBIDDEN.test(key)) throw new DholeError(where)
  // No character takes more than three bytes a code unit, so short keys need no count.
  if (key.length > MAX_KEY_BYTES / 3 && utf8Length(key) > MAX_KEY_BYTES) throw new DholeError('key-too-long')
  if (!key.isWellFormed()) throw new DholeError('bad-data')
}

/** Maximum cached keys, and maximum length of one: less than a megabyte. */
const KEPT_KEYS = 4096
const LONGEST_KEPT = 64
/** Byte lengths of legal keys: payloads repeat few keys. */
const knownKeys = new Map<string, number>()

/** Length of a legal key. @throws as `checkKey` */
export function keyBytes(key: string): number {
  const known = knownKeys.get(key)
  if (known !== undefined) return known
  checkKey(key, 'bad-key')
  const bytes = utf8Length(key)
  if (key.length > LONGEST_KEPT) return bytes
  if (knownKeys.size >= KEPT_KEYS) knownKeys.clear()
  knownKeys.set(key, bytes)
  return bytes
}
