import { isStringText, parseStored } from '../../../tree/json/print.ts'
import { sortKey } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import { type Leaf, leafOf, type Value, valueAt } from '../../../tree/value.ts'
import { ROOT_KEY, ROOT_PARENT, type Slot } from './slot.ts'
import { childKeys, type TreeReader } from './tree-reader.ts'

/** A slot that was met, and those below it. */
interface Met {
  readonly slot: Slot | undefined
  /** What its text says, once somebody wanted to know. */
  value: Value | undefined
  readonly below: Map<string, Met>
}

/** Where a path ends: at an interior node, or at a value inside the text of a slot. */
type Found = { readonly interior: number } | { readonly value: Value } | undefined

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
  #root: Met | undefined

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

  #find(path: Path): Found {
    let met = this.#root
    if (met === undefined) {
      met = this.#meet(ROOT_PARENT, ROOT_KEY)
      this.#root = met
    }
    for (const [depth, key] of path.entries()) {
      if (met.slot === undefined) return undefined
      const parent: number | null = met.slot.id
      if (parent === null) return inside(met, path.slice(depth))
      let next: Met | undefined = met.below.get(key)
      if (next === undefined) {
        next = this.#meet(parent, sortKey(key))
        met.below.set(key, next)
      }
      met = next
    }
    if (met.slot === undefined) return undefined
    return met.slot.id === null ? inside(met, []) : { interior: met.slot.id }
  }

  #meet(parent: number, key: string): Met {
    return { slot: this.#slots.slot(parent, key), value: undefined, below: new Map() }
  }
}

function inside(met: Met, path: Path): Found {
  if (path.length > 0 && isStringText(met.slot?.value ?? '')) return undefined
  met.value ??= parseStored(met.slot?.value ?? '')
  const value = valueAt(met.value, path)
  return value === undefined ? undefined : { value }
}
