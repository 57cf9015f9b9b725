import { SortKind, type SortValue, sortText } from '../../../tree/order.ts'

/** Longest text of an entry, in UTF-16 code units; one more where that would halve a character. What is longer is cut, and looked up where that matters. */
const MAX_TEXT = 1024

/** A sort value as the table holds it: texts encoded, and not too long. */
export interface IndexValue extends SortValue {
  /** Whether it stands for a longer text than it holds. */
  readonly cut: boolean
}

export function indexValue({ kind, value }: SortValue): IndexValue {
  if (typeof value === 'number') return { kind, value, cut: false }
  const beginning = beginningOf(value)
  return { kind, value: sortText(beginning), cut: beginning.length < value.length }
}

/** Never half a character at its end: the other half decides how it compares with others as long. */
function beginningOf(text: string): string {
  if (text.length <= MAX_TEXT) return text
  const beginning = text.slice(0, MAX_TEXT)
  return beginning.isWellFormed() ? beginning : text.slice(0, MAX_TEXT + 1)
}

/** Whether an entry's value may be that of several texts, because they were cut. */
export function isLong({ kind, value }: SortValue): boolean {
  return kind === SortKind.string && typeof value === 'string' && value.length >= MAX_TEXT
}
