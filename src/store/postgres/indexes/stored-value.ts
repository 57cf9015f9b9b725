import { SortKind, type SortValue } from '../../../tree/order.ts'
import type { TextLimit } from '../../rows/indexes/index-value.ts'

/** An entry's text ends with the character that completes this number of bytes: an entry must fit in a third of a page. */
const TEXT_BYTES = 512
/** Most bytes of one UTF-16 code unit that is encoded by `sortText`: a mark of four and a character of three. */
const MOST_BYTES = 7
const NUMBER_BYTES = 8
const NOTHING = new Uint8Array()

/** What the entries in PostgreSQL hold of texts. */
export const TEXT_LIMIT: TextLimit = {
  beginningOf(text) {
    if (text.length * MOST_BYTES <= TEXT_BYTES) return text
    let bytes = 0
    let end = 0
    while (bytes < TEXT_BYTES && end < text.length) {
      const code = text.codePointAt(end) ?? 0
      bytes += encodedBytes(code)
      end += code > 0xffff ? 2 : 1
    }
    return end === text.length ? text : text.slice(0, end)
  },
  isLong: (sorted) => sorted.length * 3 >= TEXT_BYTES && Buffer.byteLength(sorted) >= TEXT_BYTES,
}

/** Bytes of a character that is encoded by `sortText`, as UTF-8. */
function encodedBytes(code: number): number {
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  if (code < 0xe000) return 3
  if (code <= 0xffff) return MOST_BYTES
  return code === 0x10ffff ? 5 : 4
}

/**
 * The bytes of an entry's value; bytes of one kind order as the values do. A number has eight bytes, a text its UTF-8, and
 * other kinds have none.
 * @param value as `indexValue` returns it: a text is encoded by `sortText` and cut
 */
export function entryBytes({ kind, value }: SortValue): Uint8Array {
  if (kind === SortKind.string) return Buffer.from(String(value))
  if (kind !== SortKind.number) return NOTHING
  const bytes = new Uint8Array(NUMBER_BYTES)
  // -0 + 0 is 0.
  const view = new DataView(bytes.buffer)
  view.setFloat64(0, Number(value) + 0)
  const isNegative = view.getUint8(0) >= 0x80
  if (isNegative) for (const [at, byte] of bytes.entries()) bytes[at] = byte ^ 0xff
  else bytes[0] = (bytes[0] ?? 0) ^ 0x80
  return bytes
}

/** The value that `entryBytes` encoded. */
export function entryValue(kind: number, bytes: Uint8Array): SortValue {
  if (kind === SortKind.string) return { kind, value: Buffer.from(bytes).toString() }
  if (kind !== SortKind.number) return { kind, value: 0 }
  const own = Uint8Array.from(bytes)
  const isNegative = (own[0] ?? 0) < 0x80
  if (isNegative) for (const [at, byte] of own.entries()) own[at] = byte ^ 0xff
  else own[0] = (own[0] ?? 0) ^ 0x80
  return { kind, value: new DataView(own.buffer).getFloat64(0) }
}
