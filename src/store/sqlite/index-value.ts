import { SortKind, type SortValue, sortText } from '../../tree/order.ts'

/** Longest text of an entry, in UTF-16 code units. What is longer is cut, and looked up where that matters. */
const MAX_TEXT = 1024

/** A sort value as the table holds it: texts encoded, and not too long. */
export interface IndexValue extends SortValue {
  /** Whether it stands for a longer text than it holds. */
  readonly cut: boolean
}

export function indexValue({ kind, value }: SortValue): IndexValue {
  if (typeof value === 'number') return { kind, value, cut: false }
  if (value.length <= MAX_TEXT) return { kind, value: sortText(value), cut: false }
  return { kind, value: sortText(cutText(value)), cut: true }
}

/** The beginning of a text, never half a character at its end. */
function cutText(text: string): string {
  const beginning = text.slice(0, MAX_TEXT)
  return beginning.isWellFormed() ? beginning : beginning.slice(0, -1)
}

/** Whether an entry's value may be that of several texts, because they were cut. */
export function isLong({ kind, value }: SortValue): boolean {
  return kind === SortKind.string && typeof value === 'string' && value.length >= MAX_TEXT - 1
}
