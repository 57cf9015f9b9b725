import { BACKSLASH, COLON, COMMA, isSpace, QUOTE } from '../../tree/json/shape/json-shape.ts'

export const DOT = 0x2e
const SLASH = 0x2f

/** Index behind the closing quote of a string; for an incomplete string, the complement of the index to continue at. */
export function endOfString(bytes: Uint8Array, from: number, length: number): number {
  let at = from
  while (at < length) {
    const byte = bytes[at]
    if (byte === QUOTE) return at + 1
    at += byte === BACKSLASH ? 2 : 1
  }
  return ~at
}

/** Whether a string may be a key: no colon precedes it. */
export function mayBeKey(bytes: Uint8Array, quote: number): boolean {
  let at = quote - 1
  while (at >= 0 && isSpace(bytes[at])) at--
  return at < 0 || bytes[at] !== COLON
}

/** Index behind the closing quote of a key; -1 for an incomplete or odd key. */
export function endOfPlainKey(bytes: Uint8Array, from: number, length: number): number {
  if (bytes[from] === DOT) return -1
  for (let at = from; at < length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) return at + 1
    if (byte === SLASH || byte === BACKSLASH) return -1
  }
  return -1
}

/** Index behind the next comma between members that are leaves, or behind the end. */
export function nextMember(bytes: Uint8Array, from: number, end: number): number {
  let at = from
  while (at <= end) {
    const byte = bytes[at]
    if (byte === COMMA) return at + 1
    if (byte !== QUOTE) at++
    else {
      const behind = endOfString(bytes, at + 1, end + 1)
      at = behind < 0 ? end + 1 : behind
    }
  }
  return end + 1
}
