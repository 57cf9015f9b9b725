import type { JsonText } from '../../../tree/json/print.ts'
import { isIntegerKey, keyOf, SortKind, type SortValue, sortText } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'

/**
 * Which beginning of a text an entry holds. A longer text is cut, and a reader looks up the whole text where the order
 * depends on it. Of two texts the smaller one never has the greater beginning.
 */
export interface TextLimit {
  /** The beginning of a text, or all of it. */
  beginningOf(text: string): string
  /** Whether several texts may have the same beginning. @param sorted the beginning, encoded by `sortText` */
  isLong(sorted: string): boolean
}

/** Longest text of a child in an entry of a covering index, in UTF-16 code units. */
const MAX_COVERED = 256

/** What an index has of a child. */
export interface EntryValue extends SortValue {
  /** In a covering index the text of the child, if it is short. */
  readonly text?: JsonText | null
}

/** The text of a child that an entry of a covering index holds; `null` when readers look the child up. */
export function coveredText(text: JsonText | null): JsonText | null {
  return text !== null && text.length <= MAX_COVERED ? text : null
}

/** A sort value as an index entry stores it: text is encoded by `sortText` and cut. */
export interface IndexValue extends SortValue {
  /** Whether the entry holds only the beginning of its text. */
  readonly cut: boolean
}

/** The stored form of a sort value. */
export function indexValue({ kind, value }: SortValue, limit: TextLimit): IndexValue {
  if (typeof value === 'number') return { kind, value, cut: false }
  const beginning = limit.beginningOf(value)
  return { kind, value: sortText(beginning), cut: beginning.length < value.length }
}

/** Whether several texts may share an entry's value because they were cut. */
export function isLong({ kind, value }: SortValue, limit: TextLimit): boolean {
  return kind === SortKind.string && typeof value === 'string' && limit.isLong(value)
}

/**
 * What an index has of a child.
 * @param text stored text of the child; `null` for an interior node
 * @param read reads its sort value at a path
 */
export function entryOf(
  { path, covering }: { readonly path: Path | undefined; readonly covering: boolean },
  key: string,
  text: JsonText | null,
  read: (path: Path) => SortValue,
): EntryValue | undefined {
  if (path === undefined) return keyEntry(key)
  const value = read(path)
  return covering ? { ...value, text: coveredText(text) } : value
}

/** Sort value of a child in the index over integer keys; `undefined` for other keys, which have no entry there. */
export function keyEntry(key: string): SortValue | undefined {
  return isIntegerKey(key) ? { kind: SortKind.string, value: keyOf(key) } : undefined
}
