import { type SortValue, sortKey, sortValue } from '../../../../tree/order.ts'
import type { Path } from '../../../../tree/path.ts'
import { valueAt } from '../../../../tree/value.ts'
import { parseBeginning } from '../../../rows/long-string.ts'
import { type ChildRow, type Interior, isChild, NOWHERE, ROOT_KEY, ROOT_PARENT, type Slot } from '../../../rows/slot.ts'
import { Journal } from '../journal.ts'
import { Missing, type Unknown, type WorkingTree } from '../working-tree.ts'
import type { BaseTree } from './base-tree.ts'
import { SortedKeys } from './sorted-keys.ts'

/** Where an interior node hangs. */
export interface Place {
  readonly parent: number
  /** Encoded by `sortKey`. */
  readonly key: string
}

/** By the key that was asked for. */
type NearestKept = Map<string, ChildRow | undefined>

/** The tree in one open batch. Keys are encoded by `sortKey`. */
export class WorkingSet implements WorkingTree {
  readonly #base: BaseTree
  readonly #journal = new Journal()
  readonly #slots = new Map<number, Map<string, Slot | undefined>>()
  readonly #interiors = new Map<number, Interior>()
  readonly #made = new Map<number, Place>()
  readonly #removed = new Map<number, true>()
  readonly #detached = new Map<number, true>()
  readonly #settings = new Map<string, string>()
  readonly #records = new Map<string, string>()
  /** Keys of the written children of lists in which a neighbor was looked for. */
  readonly #sorted = new Map<number, SortedKeys>()
  /** Nearest children that the batch has not changed, as they were found: removing a long list key by key stays linear. */
  readonly #kept = { before: new Map<number, NearestKept>(), after: new Map<number, NearestKept>() }
  #length = 0

  constructor(base: BaseTree) {
    this.#base = base
  }

  slot(parent: number, key: string): Slot | undefined {
    const changed = this.#slots.get(parent)
    if (changed !== undefined) {
      const slot = changed.get(key)
      if (slot !== undefined || changed.has(key)) return slot
    }
    return this.#made.has(parent) ? undefined : this.#base.slot(parent, key)
  }

  interior(id: number): Interior {
    const interior = this.#interiors.get(id) ?? this.#base.interior(id)
    if (interior === undefined) throw new Error(`no row of the interior node ${id}`)
    return interior
  }

  /** What is not known of the slots on a path; `undefined` when all are known. */
  unknownOn(path: Path): Unknown | undefined {
    return this.#unknownBelow(ROOT_PARENT, [ROOT_KEY, ...path.map(sortKey)])
  }

  sortValueBelow({ value, id }: Pick<ChildRow, 'value' | 'id'>, path: Path): SortValue {
    if (id === null) return sortValue(valueAt(parseBeginning(value ?? ''), path))
    const keys = path.map(sortKey)
    const unknown = this.#unknownBelow(id, keys)
    if (unknown !== undefined) throw new Missing(unknown)
    let parent = id
    for (const [depth, key] of keys.entries()) {
      const slot = this.slot(parent, key)
      if (slot === undefined) return sortValue(undefined)
      if (slot.id === null) return sortValue(valueAt(parseBeginning(slot.value ?? ''), path.slice(depth + 1)))
      parent = slot.id
    }
    return sortValue({})
  }

  neighbor(list: number, key: string, side: 'before' | 'after'): ChildRow | undefined {
    const kept = this.#made.has(list) ? undefined : this.#nearestKept(list, key, side)
    const changed = this.#nearestChange(list, key, side)
    if (changed === undefined || kept === undefined) return changed ?? kept
    const isChangedBefore = changed.key < kept.key
    return isChangedBefore === (side === 'before') ? kept : changed
  }

  setting(name: string): string | undefined {
    return this.#settings.get(name)
  }

  /** Text of a record. @throws `Missing` */
  record(key: string): string | undefined {
    return this.#records.get(key) ?? this.#base.record(key)
  }

  setSlot(parent: number, key: string, slot: Slot | undefined): void {
    let changed = this.#slots.get(parent)
    if (changed === undefined) {
      changed = new Map()
      this.#slots.set(parent, changed)
    }
    this.#journal.set(changed, key, slot)
    this.#length += slot?.value?.length ?? 0
    if (!isChild(key)) return
    if (slot === undefined) this.#sorted.get(parent)?.delete(key)
    else this.#sorted.get(parent)?.add(key)
  }

  setInterior(interior: Interior): void {
    this.#journal.set(this.#interiors, interior.id, interior)
  }

  /** A new interior node. */
  make(interior: Interior, place: Place): void {
    this.#journal.set(this.#made, interior.id, place)
    this.setInterior(interior)
  }

  /** An interior node without children is removed. */
  remove(id: number): void {
    if (this.#made.has(id)) this.#journal.delete(this.#made, id)
    else this.#journal.set(this.#removed, id, true)
    this.#journal.delete(this.#interiors, id)
  }

  /** A subtree is not part of the tree any more; its rows are removed later. */
  detach(id: number): void {
    this.#journal.set(this.#detached, id, true)
    const place = this.#made.get(id)
    if (place !== undefined) this.#journal.set(this.#made, id, { ...place, parent: NOWHERE })
  }

  setSetting(name: string, text: string): void {
    this.#journal.set(this.#settings, name, text)
  }

  setRecord(key: string, text: string): void {
    this.#journal.set(this.#records, key, text)
  }

  /** A point to go back to. */
  savepoint(): number {
    return this.#journal.savepoint()
  }

  rollBackTo(savepoint: number): void {
    if (savepoint === this.#journal.savepoint()) return
    this.#journal.rollBackTo(savepoint)
    this.#sorted.clear()
    this.#kept.before.clear()
    this.#kept.after.clear()
  }

  /** Approximate length of the text written, in UTF-16 code units. */
  get length(): number {
    return this.#length
  }

  get slots(): ReadonlyMap<number, ReadonlyMap<string, Slot | undefined>> {
    return this.#slots
  }

  /** Changed and made ones. */
  get interiors(): ReadonlyMap<number, Interior> {
    return this.#interiors
  }

  get made(): ReadonlyMap<number, Place> {
    return this.#made
  }

  get removed(): ReadonlyMap<number, true> {
    return this.#removed
  }

  get detached(): ReadonlyMap<number, true> {
    return this.#detached
  }

  get settings(): ReadonlyMap<string, string> {
    return this.#settings
  }

  get records(): ReadonlyMap<string, string> {
    return this.#records
  }

  #unknownBelow(from: number, keys: readonly string[]): Unknown | undefined {
    let parent = from
    for (const [depth, key] of keys.entries()) {
      const changed = this.#slots.get(parent)
      let slot = changed?.get(key)
      if (slot === undefined && changed?.has(key) !== true) {
        if (this.#made.has(parent)) return undefined
        if (!this.#base.has(parent, key)) return { kind: 'slots', parent, keys: keys.slice(depth) }
        slot = this.#base.slot(parent, key)
      }
      if (slot === undefined || slot.id === null) return undefined
      parent = slot.id
    }
    return undefined
  }

  /** The nearest child that the batch has not changed. @throws `Missing` */
  #nearestKept(list: number, key: string, side: 'before' | 'after'): ChildRow | undefined {
    const changed = this.#slots.get(list)
    const found = this.#kept[side].get(list) ?? new Map<string, ChildRow | undefined>()
    this.#kept[side].set(list, found)
    const passed: string[] = []
    let from = key
    for (;;) {
      const child = found.has(from) ? found.get(from) : this.#base.neighbor(list, from, side)
      if (changed === undefined) return child
      passed.push(from)
      if (child === undefined || !changed.has(child.key)) {
        // What is changed stays changed, or is forgotten with this.
        for (const each of passed) found.set(each, child)
        return child
      }
      from = child.key
    }
  }

  /** The nearest child that the batch has written. */
  #nearestChange(list: number, key: string, side: 'before' | 'after'): ChildRow | undefined {
    const changed = this.#slots.get(list)
    if (changed === undefined) return undefined
    let sorted = this.#sorted.get(list)
    if (sorted === undefined) {
      sorted = new SortedKeys(
        [...changed].flatMap(([each, slot]) => (slot !== undefined && isChild(each) ? [each] : [])),
      )
      this.#sorted.set(list, sorted)
    }
    const near = sorted.nearest(key, side)
    const slot = near === undefined ? undefined : changed.get(near)
    return near === undefined || slot === undefined ? undefined : { key: near, value: slot.value, id: slot.id }
  }
}
