import { parseStored } from '../../../tree/json/print.ts'
import { PRIORITY } from '../../../tree/key.ts'
import { compareSortValues, SortKind, type SortValue, sortKey, sortValue } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import { type Value, valueAt } from '../../../tree/value.ts'
import type { Write } from '../../../tree/write.ts'
import type { Slot } from '../tree/slot.ts'
import type { TreeReader } from '../tree/tree-reader.ts'
import type { Definition, IndexDefinitions } from './definitions.ts'
import { type IndexEntries, keyEntry } from './entries.ts'
import type { Neighbor, Neighbors, Presence } from './neighbors.ts'

/** A slot on the way of a write: a child of the interior node `parent`. */
export interface PathSlot {
  readonly parent: number
  readonly key: string
  /** What stood there before the write. */
  readonly slot: Slot | undefined
}

/** An entry that a write may change. */
interface AffectedEntry {
  readonly definition: Definition
  readonly depth: number
  readonly pathSlot: PathSlot
  /** Sort key of the child. */
  readonly key: string
  /** `undefined` where there was no child, or no integer key for the index over those. */
  readonly before: SortValue | undefined
  readonly adjacent: AdjacentChildren
}

/** The children next to one, looked for when they are needed. */
class AdjacentChildren {
  readonly #neighbors: Neighbors
  readonly #listId: number
  readonly #key: string
  #before: { readonly child: Neighbor | undefined } | undefined
  #after: { readonly child: Neighbor | undefined } | undefined

  constructor(neighbors: Neighbors, listId: number, key: string) {
    this.#neighbors = neighbors
    this.#listId = listId
    this.#key = key
  }

  get before(): Neighbor | undefined {
    this.#before ??= { child: this.#neighbors.before(this.#listId, this.#key) }
    return this.#before.child
  }

  get after(): Neighbor | undefined {
    this.#after ??= { child: this.#neighbors.after(this.#listId, this.#key) }
    return this.#after.child
  }
}

/**
 * Keeps the entries of all indexes that a write can touch: those of every list on its way. What they were is read before
 * the write and compared with what they are after it; only what differs is written.
 */
export class IndexWriteHook {
  readonly #definitions: IndexDefinitions
  readonly #entries: IndexEntries
  readonly #reader: TreeReader
  readonly #neighbors: Neighbors

  constructor(definitions: IndexDefinitions, entries: IndexEntries, reader: TreeReader, neighbors: Neighbors) {
    this.#definitions = definitions
    this.#entries = entries
    this.#reader = reader
    this.#neighbors = neighbors
  }

  /** Whether a list has an index. */
  hasIndex(listId: number): boolean {
    return this.#definitions.of(listId).length > 0
  }

  /**
   * Call it before the write.
   * @param way the slots from the root down to where the write ends
   * @returns to be called after the write, with the value that stands in the last slot of the way now, where known
   */
  beforeWrite(write: Write, slotPath: readonly PathSlot[]): ((last: Value | undefined) => void) | undefined {
    if (this.#definitions.isEmpty) return undefined
    const affected: AffectedEntry[] = []
    const read = this.#lastReader(slotPath)
    for (const [depth, pathSlot] of slotPath.entries()) {
      if (depth === 0) continue
      const definitions = this.#definitions.of(pathSlot.parent)
      if (definitions.length === 0) continue
      const key = sortKey(pathSlot.key)
      const adjacent = new AdjacentChildren(this.#neighbors, pathSlot.parent, key)
      for (const definition of definitions) {
        if (!isBuilt(definition, key) || !mayChange(definition, write, slotPath, depth)) continue
        const before = pathSlot.slot && this.#entryOf(definition, key, (path) => read(depth, path))
        affected.push({ definition, depth, pathSlot, key, before, adjacent })
      }
    }
    if (affected.length === 0) return undefined
    return (last) => {
      for (const each of affected) this.#update(each, this.#entryAfter(each, slotPath, last))
    }
  }

  /** Reads sort values below the slots of a way as they are, the text of the last one once. */
  #lastReader(slotPath: readonly PathSlot[]): (depth: number, path: Path) => SortValue {
    let parsed: Value | undefined
    return (depth, path) => {
      const slot = slotPath[depth]?.slot
      if (slot === undefined) return sortValue(undefined)
      if (slot.id !== null) return this.#reader.sortValueBelow(slot, path)
      parsed ??= parseStored(slot.value ?? '')
      return sortValue(valueAt(parsed, path))
    }
  }

  #entryOf({ path }: Definition, key: string, read: (path: Path) => SortValue): SortValue | undefined {
    return path === undefined ? keyEntry(key) : read(path)
  }

  #entryAfter(
    { definition, depth, pathSlot, key }: AffectedEntry,
    slotPath: readonly PathSlot[],
    last: Value | undefined,
  ): SortValue | undefined {
    // Only here the new text need not be read back.
    if (last !== undefined && depth === slotPath.length - 1) {
      return this.#entryOf(definition, key, (path) => sortValue(valueAt(last, path)))
    }
    const slot = this.#reader.slot(pathSlot.parent, key)
    if (slot === undefined) return undefined
    return this.#entryOf(definition, key, (path) => this.#reader.sortValueBelow(slot, path))
  }

  #update({ definition, key, before, adjacent }: AffectedEntry, after: SortValue | undefined): void {
    if (before !== undefined && after !== undefined && compareSortValues(before, after) === 0) return
    if (isValue(before)) this.#entries.remove(definition, before, key)
    if (isValue(after)) this.#entries.insert(definition, after, key)
    if (definition.path === undefined || presenceOf(before) === presenceOf(after)) return
    if (presenceOf(before) === 'empty') this.#entries.unmark(definition, key)
    this.#markAdjacent(definition, definition.path, key, presenceOf(after), adjacent)
  }

  /** Marks those without a value that stand next to one that has one now. Marks too many do no harm, and stay. */
  #markAdjacent(definition: Definition, path: Path, key: string, presence: Presence, adjacent: AdjacentChildren): void {
    const { before, after: next } = adjacent
    const after = next !== undefined && isBuilt(definition, next.key) ? next : undefined
    const beforeHas = before?.presence(path)
    const afterHas = after?.presence(path)
    if (presence === 'empty') {
      if (beforeHas === 'valued' || afterHas === 'valued') this.#entries.mark(definition, key)
      return
    }
    if (before !== undefined && beforeHas === 'empty' && (presence === 'valued' || afterHas === 'valued')) {
      this.#entries.mark(definition, before.key)
    }
    if (after !== undefined && afterHas === 'empty' && (presence === 'valued' || beforeHas === 'valued')) {
      this.#entries.mark(definition, after.key)
    }
  }
}

function isValue(value: SortValue | undefined): value is SortValue {
  return value !== undefined && value.kind !== SortKind.none
}

function presenceOf(value: SortValue | undefined): Presence {
  return value === undefined ? 'absent' : isValue(value) ? 'valued' : 'empty'
}

/** Whether the building of an index has come to a child yet. */
function isBuilt({ builtTo }: Definition, key: string): boolean {
  return builtTo === null || key <= builtTo
}

/** Whether a write can change the entry of the child at that depth of its way. */
function mayChange({ path }: Definition, write: Write, slotPath: readonly PathSlot[], depth: number): boolean {
  const removes = write.kind === 'value' && write.value === undefined
  // A new child has an entry whatever is in it, and one may vanish with the last thing below it.
  if (removes || slotPath[depth]?.slot === undefined) return true
  if (path === undefined) return false
  const below = write.path.slice(depth)
  const target = write.kind === 'priority' ? [...below, PRIORITY] : below
  // An interior node on the way stays one.
  if (path.length < slotPath.length - 1 - depth) return false
  return path.slice(0, target.length).every((key, index) => key === target[index])
}
