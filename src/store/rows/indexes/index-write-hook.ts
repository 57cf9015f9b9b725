import type { JsonText } from '../../../tree/json/print.ts'
import { type SortValue, sortKey, sortValue } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import { type Value, valueAt } from '../../../tree/value.ts'
import type { Write } from '../../../tree/write.ts'
import { parseBeginning } from '../long-string.ts'
import { interiorOf, ownText, type Slot } from '../slot.ts'
import type { PathSlot } from '../write-plan.ts'
import {
  type AdjacentChildren,
  type EntryTable,
  type IndexShape,
  mayChangeEntry,
  updateEntries,
} from './index-entries.ts'
import { type EntryValue, entryOf } from './index-value.ts'

/** An entry that a write may change. */
interface AffectedEntry<I> {
  readonly index: I
  readonly depth: number
  readonly parent: number
  /** Encoded by `sortKey`. */
  readonly key: string
  /** `undefined` where no child exists, and for a key that the index over integer keys leaves out. */
  readonly before: EntryValue | undefined
  readonly adjacent: AdjacentChildren
}

/** Takes what the last slot of a write's path holds after it. */
export type AfterWrite = (value: Value | undefined, text: JsonText | undefined) => void

/** Reads the tree that is being written. */
export interface SortValueReader {
  slot(parent: number, key: string): Slot | undefined
  /** Sort value of a slot in an order by a child path. */
  sortValueBelow(slot: Pick<Slot, 'id' | 'value'>, path: Path): SortValue
}

/** The indexes of the tree that is being written. */
export interface WrittenIndexes<I extends IndexShape> {
  readonly definitions: {
    /** Whether it is known that no index exists. */
    readonly isEmpty?: boolean
    /** The indexes of a list. */
    of(listId: number): readonly I[]
  }
  readonly entries: EntryTable<I>
  /** The children next to a key of a list, after the write. @param key encoded by `sortKey` */
  adjacentTo(listId: number, key: string): AdjacentChildren
  /** What a write to a child does for an index: changes its entry, has it noted, or nothing. */
  upkeepOf(index: I, key: string): 'entry' | 'note' | 'none'
  /** Records what a child was for the build of its index. */
  note(key: string, before: EntryValue | undefined): void
}

/**
 * Updates the entries of every index that a write can affect: those of all lists on its path. It reads the sort values
 * before the write, compares them with those after the write and writes only the differences.
 */
export class IndexWriteHook<I extends IndexShape> {
  readonly #indexes: WrittenIndexes<I>
  readonly #reader: SortValueReader

  constructor(indexes: WrittenIndexes<I>, reader: SortValueReader) {
    this.#indexes = indexes
    this.#reader = reader
  }

  /** Whether a list has an index. */
  hasIndex(listId: number): boolean {
    return this.#indexes.definitions.of(listId).length > 0
  }

  /**
   * Call it before the write.
   * @param slotPath the slots from the root down to the end of the write
   * @returns a function to call after the write, with the new value of the last slot where it is known, and its text if
   * it is one slot
   */
  beforeWrite(write: Write, slotPath: readonly PathSlot[]): AfterWrite | undefined {
    const { definitions } = this.#indexes
    if (definitions.isEmpty === true) return undefined
    const affected: AffectedEntry<I>[] = []
    const read = this.#readerOf(slotPath)
    for (const [depth, { parent, key: plainKey, slot }] of slotPath.entries()) {
      if (depth === 0) continue
      const indexes = definitions.of(parent)
      if (indexes.length === 0) continue
      const key = sortKey(plainKey)
      const adjacent = this.#indexes.adjacentTo(parent, key)
      for (const index of indexes) {
        const upkeep = this.#indexes.upkeepOf(index, key)
        if (upkeep === 'none' || !mayChangeEntry(index, write, slotPath, depth)) continue
        const before = slot && entryOf(index, key, ownText(slot), (path) => read(depth, path))
        if (upkeep === 'note') this.#indexes.note(key, before)
        else affected.push({ index, depth, parent, key, before, adjacent })
      }
    }
    if (affected.length === 0) return undefined
    return (last, text) => {
      for (const each of affected) {
        // The new value of the last slot is at hand: its text need not be read back.
        const isKnown = last !== undefined && each.depth === slotPath.length - 1
        const after = isKnown
          ? entryOf(each.index, each.key, text ?? null, (path) => sortValue(valueAt(last, path)))
          : this.#entryAfter(each)
        updateEntries(this.#indexes.entries, { ...each, after })
      }
    }
  }

  /** Reads sort values below the slots of a path before the write. It parses the text of the last slot once. */
  #readerOf(slotPath: readonly PathSlot[]): (depth: number, path: Path) => SortValue {
    let parsed: Value | undefined
    return (depth, path) => {
      const slot = slotPath[depth]?.slot
      if (slot === undefined) return sortValue(undefined)
      if (interiorOf(slot) !== undefined) return this.#reader.sortValueBelow(slot, path)
      parsed ??= parseBeginning(slot.value ?? '')
      return sortValue(valueAt(parsed, path))
    }
  }

  #entryAfter({ index, parent, key }: AffectedEntry<I>): EntryValue | undefined {
    const slot = this.#reader.slot(parent, key)
    return slot && entryOf(index, key, ownText(slot), (path) => this.#reader.sortValueBelow(slot, path))
  }
}
