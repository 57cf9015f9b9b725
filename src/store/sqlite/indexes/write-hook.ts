import { type JsonText, parseStored } from '../../../tree/json/print.ts'
import { type SortValue, sortKey, sortValue } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import { type Value, valueAt } from '../../../tree/value.ts'
import type { Write } from '../../../tree/write.ts'
import { type AdjacentChildren, mayChangeEntry, updateEntries } from '../../rows/index-entries.ts'
import { type EntryValue, entryOf } from '../../rows/index-value.ts'
import { interiorOf, ownText } from '../../rows/slot.ts'
import type { PathSlot } from '../../rows/write-plan.ts'
import type { TreeReader } from '../tree/tree-reader.ts'
import type { IndexBuilder } from './building/builder.ts'
import type { IndexDefinition, IndexDefinitions } from './definitions.ts'
import type { IndexEntries } from './entries.ts'
import { LazyNeighbors, type Neighbors } from './neighbors.ts'

/** An entry that a write may change. */
interface AffectedEntry {
  readonly index: IndexDefinition
  readonly depth: number
  readonly parent: number
  /** Encoded by `sortKey`. */
  readonly key: string
  /** `undefined` where no child exists, and for a key that the index over integer keys leaves out. */
  readonly before: EntryValue | undefined
  readonly adjacent: AdjacentChildren
}

/** Takes what the last slot of a write's path holds after it. */
type AfterWrite = (value: Value | undefined, text: JsonText | undefined) => void

/** The indexes on the writer's connection. */
interface IndexTables {
  readonly definitions: IndexDefinitions
  readonly entries: IndexEntries
  readonly neighbors: Neighbors
  readonly builder: IndexBuilder
}

/**
 * Updates the entries of every index that a write can affect: those of all lists on its path. It reads the sort values
 * before the write, compares them with those after the write and writes only the differences. While an index is built,
 * its builder notes the write.
 */
export class IndexWriteHook {
  readonly #definitions: IndexDefinitions
  readonly #entries: IndexEntries
  readonly #reader: TreeReader
  readonly #neighbors: Neighbors
  readonly #builder: IndexBuilder

  constructor({ definitions, entries, neighbors, builder }: IndexTables, reader: TreeReader) {
    this.#definitions = definitions
    this.#entries = entries
    this.#reader = reader
    this.#neighbors = neighbors
    this.#builder = builder
  }

  /** Whether a list has an index. */
  hasIndex(listId: number): boolean {
    return this.#definitions.of(listId).length > 0
  }

  /**
   * Call it before the write.
   * @param slotPath the slots from the root down to the end of the write
   * @returns a function to call after the write, with the new value of the last slot where it is known, and its text if
   * it is one slot
   */
  beforeWrite(write: Write, slotPath: readonly PathSlot[]): AfterWrite | undefined {
    if (this.#definitions.isEmpty) return undefined
    const affected: AffectedEntry[] = []
    const read = this.#readerOf(slotPath)
    for (const [depth, { parent, key: plainKey, slot }] of slotPath.entries()) {
      if (depth === 0) continue
      const definitions = this.#definitions.of(parent)
      if (definitions.length === 0) continue
      const key = sortKey(plainKey)
      const adjacent = new LazyNeighbors(this.#neighbors, parent, key)
      for (const index of definitions) {
        const upkeep = this.#builder.upkeepOf(index, key)
        if (upkeep === 'none' || !mayChangeEntry(index, write, slotPath, depth)) continue
        const before = slot && entryOf(index, key, ownText(slot), (path) => read(depth, path))
        if (upkeep === 'note') this.#builder.note(key, before)
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
        updateEntries(this.#entries, { ...each, after })
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
      parsed ??= parseStored(slot.value ?? '')
      return sortValue(valueAt(parsed, path))
    }
  }

  #entryAfter({ index, parent, key }: AffectedEntry): EntryValue | undefined {
    const slot = this.#reader.slot(parent, key)
    return slot && entryOf(index, key, ownText(slot), (path) => this.#reader.sortValueBelow(slot, path))
  }
}
