import { isStringText, parseStored } from '../../../tree/json/print.ts'
import { sortKey } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import { type Leaf, leafOf, type Value, valueAt } from '../../../tree/value.ts'
import { ROOT_KEY, ROOT_PARENT, type Slot } from './slot.ts'
import { childKeys, type TreeReader } from './tree-reader.ts'

/** A slot that was visited, and those below it. */
interface VisitedSlot {
  readonly slot: Slot | undefined
  /** What its text says, once somebody wanted to know. */
  value: Value | undefined
  readonly below: Map<string, VisitedSlot>
}

/** Where a path ends: at an interior node, or at a value inside the text of a slot. */
type PathTarget = { readonly interior: number } | { readonly value: Value } | undefined

/** Where slots are found. */
export interface SlotSource {
  /** @param key as it stands in the table */
  slot(parent: number, key: string): Slot | undefined
}

/**
 * Looks at single places for one piece of logic, while nothing changes: places near each other share their way, and no
 * text is parsed twice.
 */
export class Lookup {
  readonly #reader: TreeReader
  readonly #slots: SlotSource
  #root: VisitedSlot | undefined

  /** @param slots may know some of them already */
  constructor(reader: TreeReader, slots: SlotSource) {
    this.#reader = reader
    this.#slots = slots
  }

  exists(path: Path): boolean {
    return this.#find(path) !== undefined
  }

  /** The leaf there, with or without a priority. */
  leaf(path: Path): Leaf | undefined {
    const found = this.#find(path)
    return found !== undefined && 'value' in found ? leafOf(found.value) : undefined
  }

  /** Number of children. */
  count(path: Path): number {
    const found = this.#find(path)
    if (found === undefined) return 0
    return 'value' in found ? childKeys(found.value).length : this.#reader.subtrees.interior(found.interior).childCount
  }

  #find(path: Path): PathTarget {
    let visited = this.#root
    if (visited === undefined) {
      visited = this.#visit(ROOT_PARENT, ROOT_KEY)
      this.#root = visited
    }
    for (const [depth, key] of path.entries()) {
      if (visited.slot === undefined) return undefined
      const parent: number | null = visited.slot.id
      if (parent === null) return inside(visited, path.slice(depth))
      let next: VisitedSlot | undefined = visited.below.get(key)
      if (next === undefined) {
        next = this.#visit(parent, sortKey(key))
        visited.below.set(key, next)
      }
      visited = next
    }
    if (visited.slot === undefined) return undefined
    return visited.slot.id === null ? inside(visited, []) : { interior: visited.slot.id }
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
