import { isStringText, type JsonText, parseStored } from '../../tree/json/print.ts'
import { sortKey } from '../../tree/order.ts'
import type { Path } from '../../tree/path.ts'
import { childKeys, type Leaf, leafOf, type Value, valueAt } from '../../tree/value.ts'
import { longStringOf } from './long-string.ts'
import { chunkedTextOf, type Interior, interiorOf, ROOT_KEY, ROOT_PARENT, type Slot } from './slot.ts'

/** A slot that was read, and the slots read below it. */
interface VisitedSlot {
  readonly slot: Slot | undefined
  /** Parsed text of the slot, once it was needed. */
  value: Value | undefined
  readonly below: Map<string, VisitedSlot>
}

/** A leaf whose string is stored in chunks. */
export interface ChunkedLeaf {
  /** Id of the text. */
  readonly text: number
}

/** Where a path ends: at an interior node, at a chunked text, or at a value inside the text of a slot. */
type PathTarget = { readonly interior: number } | ChunkedLeaf | { readonly value: Value } | undefined

/** Reads slots. */
export interface SlotSource {
  /** @param key encoded by `sortKey` */
  slot(parent: number, key: string): Slot | undefined
}

/** Reads interior nodes. */
export interface InteriorSource {
  interior(id: number): Interior
}

/**
 * Reads single nodes for one program while nothing changes. Paths share the slots that they have in common, and each
 * text is parsed once.
 */
export class Lookup {
  readonly #interiors: InteriorSource
  readonly #slots: SlotSource
  #root: VisitedSlot | undefined

  constructor(interiors: InteriorSource, slots: SlotSource) {
    this.#interiors = interiors
    this.#slots = slots
  }

  exists(path: Path): boolean {
    const { visited, depth } = this.#walk(path)
    // A slot need not be parsed to be there.
    return visited.slot !== undefined && (depth === path.length || this.#find(path) !== undefined)
  }

  /** The text of a leaf's string that takes long to parse; `undefined` for all other leaves, which `leaf` returns. */
  longString(path: Path): JsonText | undefined {
    const { visited, depth } = this.#walk(path)
    const { slot } = visited
    if (slot === undefined || depth < path.length || chunkedTextOf(slot) !== undefined) return undefined
    return slot.value === null ? undefined : longStringOf(slot.value)
  }

  /** The leaf at a path, with or without a priority. */
  leaf(path: Path): Leaf | ChunkedLeaf | undefined {
    const target = this.#find(path)
    if (target === undefined || 'interior' in target) return undefined
    return 'text' in target ? target : leafOf(target.value)
  }

  /** Number of children. */
  count(path: Path): number {
    const target = this.#find(path)
    if (target === undefined || 'text' in target) return 0
    return 'value' in target ? childKeys(target.value).length : this.#interiors.interior(target.interior).childCount
  }

  #find(path: Path): PathTarget {
    const { visited, depth } = this.#walk(path)
    const { slot } = visited
    if (slot === undefined) return undefined
    if (depth < path.length) return inside(visited, path.slice(depth))
    const text = chunkedTextOf(slot)
    if (text !== undefined) return { text }
    const interior = interiorOf(slot)
    return interior === undefined ? inside(visited, []) : { interior }
  }

  /** The last slot on a path, and how many keys of the path lead to it. */
  #walk(path: Path): { readonly visited: VisitedSlot; readonly depth: number } {
    let visited = this.#root
    if (visited === undefined) {
      visited = this.#visit(ROOT_PARENT, ROOT_KEY)
      this.#root = visited
    }
    for (const [depth, key] of path.entries()) {
      const parent: number | undefined = visited.slot && interiorOf(visited.slot)
      if (parent === undefined) return { visited, depth }
      let next: VisitedSlot | undefined = visited.below.get(key)
      if (next === undefined) {
        next = this.#visit(parent, sortKey(key))
        visited.below.set(key, next)
      }
      visited = next
    }
    return { visited, depth: path.length }
  }

  #visit(parent: number, key: string): VisitedSlot {
    return { slot: this.#slots.slot(parent, key), value: undefined, below: new Map() }
  }
}

function inside(visited: VisitedSlot, path: Path): PathTarget {
  if (path.length > 0 && isStringText(visited.slot?.value ?? '')) return undefined
  visited.value ??= parseStored(visited.slot?.value ?? '')
  const value = valueAt(visited.value, path)
  return value === undefined ? undefined : { value }
}
