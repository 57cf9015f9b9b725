import type { SortValue } from '../../../tree/order.ts'
import type { TextLimit } from '../../rows/index-value.ts'

/** Longest text of an entry, in UTF-16 code units; one more where the limit would split a surrogate pair. */
const MAX_TEXT = 1024

/** The first `MAX_TEXT` code units. A surrogate pair stays whole, because its second half decides the order. */
function beginningOf(text: string): string {
  if (text.length <= MAX_TEXT) return text
  const beginning = text.slice(0, MAX_TEXT)
  return beginning.isWellFormed() ? beginning : text.slice(0, MAX_TEXT + 1)
}

/** What the entries of a file hold of texts. */
export const TEXT_LIMIT: TextLimit = { beginningOf, isLong: (sorted) => sorted.length >= MAX_TEXT }

/** A sort value with the same stored form, which shares no memory with a longer text. */
export function ownValue({ kind, value }: SortValue): SortValue {
  if (typeof value === 'number') return { kind, value }
  return { kind, value: JSON.parse(JSON.stringify(beginningOf(value))) }
}
