import type { SortValue } from '../../../tree/order.ts'
import { INDEXED_LENGTH } from '../../rows/chunked-text.ts'
import type { TextLimit } from '../../rows/indexes/index-value.ts'

/** The first `INDEXED_LENGTH` code units. A surrogate pair stays whole, because its second half decides the order. */
function beginningOf(text: string): string {
  if (text.length <= INDEXED_LENGTH) return text
  const beginning = text.slice(0, INDEXED_LENGTH)
  return beginning.isWellFormed() ? beginning : text.slice(0, INDEXED_LENGTH + 1)
}

/** What the entries of a file hold of texts. */
export const TEXT_LIMIT: TextLimit = { beginningOf, isLong: (sorted) => sorted.length >= INDEXED_LENGTH }

/** A sort value with the same stored form, which shares no memory with a longer text. */
export function ownValue({ kind, value }: SortValue): SortValue {
  if (typeof value === 'number') return { kind, value }
  return { kind, value: JSON.parse(JSON.stringify(beginningOf(value))) }
}
