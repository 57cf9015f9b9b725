import { PRIORITY } from '../../../tree/key.ts'
import { compareSortValues, SortKind, type SortValue } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import type { Write } from '../../../tree/write.ts'
import type { PathSlot } from '../write-plan.ts'
import type { EntryValue } from './index-value.ts'

/** What the entries of an index depend on. */
export interface IndexShape {
  /** Child path below each child; `undefined` for the index over integer keys. */
  readonly path: Path | undefined
  /** Whether they hold the short texts of the children. */
  readonly covering: boolean
}

/** Whether a child is absent, or has no value at the indexed path, or has one. */
export type Presence = 'absent' | 'empty' | 'valued'

/** A child next to another one in key order. */
export interface AdjacentChild {
  /** Encoded by `sortKey`. */
  readonly key: string
  presence(path: Path): Presence
}

/** The children before and after a key. Each is read when it is first used. */
export interface AdjacentChildren {
  readonly before: AdjacentChild | undefined
  readonly after: AdjacentChild | undefined
}

/** Writes the entries of the index `I`. All keys are encoded by `sortKey`. */
export interface EntryTable<I> {
  insert(index: I, value: EntryValue, key: string): void
  /** Replaces the text in an entry. */
  setText(index: I, value: EntryValue, key: string): void
  remove(index: I, value: SortValue, key: string): void
  /** Adds the mark of a child without a value, unless the mark exists. */
  mark(index: I, key: string): void
  /** Removes the mark of a child, if it has one. */
  unmark(index: I, key: string): void
}

/** The entry of one child before and after a write. */
export interface EntryChange<I extends IndexShape> {
  readonly index: I
  readonly key: string
  /** `undefined` where no child exists, and for a key that the index over integer keys leaves out. */
  readonly before: EntryValue | undefined
  readonly after: EntryValue | undefined
  readonly adjacent: AdjacentChildren
}

/** Whether the child has a value, and so an entry, in an index. */
export function isValued<V extends SortValue>(value: V | undefined): value is V {
  return value !== undefined && value.kind !== SortKind.none
}

function presenceOf(value: SortValue | undefined): Presence {
  return value === undefined ? 'absent' : isValued(value) ? 'valued' : 'empty'
}

/** Writes what differs between the entries of a child before and after a write. */
export function updateEntries<I extends IndexShape>(table: EntryTable<I>, change: EntryChange<I>): void {
  const { index, key, before, after } = change
  if (before !== undefined && after !== undefined && compareSortValues(before, after) === 0) {
    if (isValued(after) && before.text !== after.text) table.setText(index, after, key)
    return
  }
  if (isValued(before)) table.remove(index, before, key)
  if (isValued(after)) table.insert(index, after, key)
  const [was, is] = [presenceOf(before), presenceOf(after)]
  if (index.path === undefined || was === is) return
  if (was === 'empty') table.unmark(index, key)
  markAdjacent(table, change, index.path, is)
}

/**
 * As `updateEntries`, for a child that was written several times since `before`, and whose neighbors may have been
 * written too: it assumes nothing of their marks.
 */
export function mendEntry<I extends IndexShape>(table: EntryTable<I>, change: EntryChange<I>): void {
  const { index, key, before, after } = change
  const differs = before === undefined || after === undefined || compareSortValues(before, after) !== 0
  if (differs && isValued(before)) table.remove(index, before, key)
  if (differs && isValued(after)) table.insert(index, after, key)
  // The text that the entry has is not known.
  if (!differs && isValued(after) && index.covering) table.setText(index, after, key)
  if (index.path === undefined) return
  const is = presenceOf(after)
  if (is !== 'empty') table.unmark(index, key)
  markAdjacent(table, change, index.path, is)
}

/** Marks each child without a value that is now next to a child with one. A mark too many is harmless and stays. */
function markAdjacent<I extends IndexShape>(
  table: EntryTable<I>,
  { index, key, adjacent }: EntryChange<I>,
  path: Path,
  presence: Presence,
): void {
  const { before, after } = adjacent
  const beforeHas = before?.presence(path)
  const afterHas = after?.presence(path)
  if (presence === 'empty') {
    if (beforeHas === 'valued' || afterHas === 'valued') table.mark(index, key)
    return
  }
  if (before !== undefined && beforeHas === 'empty' && (presence === 'valued' || afterHas === 'valued')) {
    table.mark(index, before.key)
  }
  if (after !== undefined && afterHas === 'empty' && (presence === 'valued' || beforeHas === 'valued')) {
    table.mark(index, after.key)
  }
}

/** Whether a write can change the entry of the child at this depth of its path. */
export function mayChangeEntry(
  { path, covering }: IndexShape,
  write: Write,
  slotPath: readonly PathSlot[],
  depth: number,
): boolean {
  const removes = write.kind === 'value' && write.value === undefined
  // A new child gets an entry whatever it holds, and a child can vanish with the last node below it.
  if (removes || slotPath[depth]?.slot === undefined) return true
  if (path === undefined) return false
  // Whatever the child is sorted by, its text changes. An interior node on the path has none before and after.
  if (covering && depth === slotPath.length - 1) return true
  const below = write.path.slice(depth)
  const target = write.kind === 'priority' ? [...below, PRIORITY] : below
  // An interior node on the path stays an interior node.
  if (path.length < slotPath.length - 1 - depth) return false
  return path.slice(0, target.length).every((key, index) => key === target[index])
}
