import type { Slot } from '../../../rows/slot.ts'

/** Maximum slots, and length of their values in UTF-16 code units, of a generation. */
const MAX_SLOTS = 4096
const MAX_LENGTH = 512 * 1024
/** Longest value that is kept over batches, in UTF-16 code units. */
const MAX_VALUE = 16 * 1024

/** By parent and key; `undefined` for a slot that is known to be empty. */
class Generation {
  readonly #slots = new Map<number, Map<string, Slot | undefined>>()
  #count = 0
  #length = 0

  get isFull(): boolean {
    return this.#count > MAX_SLOTS || this.#length > MAX_LENGTH
  }

  has(parent: number, key: string): boolean {
    return this.#slots.get(parent)?.has(key) === true
  }

  get(parent: number, key: string): Slot | undefined {
    return this.#slots.get(parent)?.get(key)
  }

  set(parent: number, key: string, slot: Slot | undefined): void {
    this.delete(parent, key)
    let siblings = this.#slots.get(parent)
    if (siblings === undefined) {
      siblings = new Map()
      this.#slots.set(parent, siblings)
    }
    siblings.set(key, slot)
    this.#count++
    this.#length += lengthOf(slot)
  }

  delete(parent: number, key: string): void {
    const siblings = this.#slots.get(parent)
    if (siblings === undefined || !siblings.has(key)) return
    this.#count--
    this.#length -= lengthOf(siblings.get(key))
    siblings.delete(key)
    if (siblings.size === 0) this.#slots.delete(parent)
  }
}

/**
 * Slots without interior nodes, as of the applied batch. Those that were used last stay known over batches. Within a
 * batch nothing is forgotten: a job that has asked for a slot finds it.
 */
export class SlotCache {
  #young = new Generation()
  #old = new Generation()

  has(parent: number, key: string): boolean {
    return this.#young.has(parent, key) || this.#old.has(parent, key)
  }

  /** The slot, which counts as used. @returns `undefined` for an empty one, and one that is not known */
  get(parent: number, key: string): Slot | undefined {
    if (this.#young.has(parent, key)) return this.#young.get(parent, key)
    if (!this.#old.has(parent, key)) return undefined
    const slot = this.#old.get(parent, key)
    this.#old.delete(parent, key)
    this.#young.set(parent, key, slot)
    return slot
  }

  set(parent: number, key: string, slot: Slot | undefined): void {
    this.#old.delete(parent, key)
    this.#young.set(parent, key, slot)
  }

  delete(parent: number, key: string): void {
    this.#young.delete(parent, key)
    this.#old.delete(parent, key)
  }

  /** A batch that has written these slots is applied. */
  advance(slots: ReadonlyMap<number, ReadonlyMap<string, Slot | undefined>>): void {
    for (const [parent, changed] of slots) {
      for (const [key, slot] of changed) {
        if ((slot !== undefined && slot.id !== null) || lengthOf(slot) > MAX_VALUE) this.delete(parent, key)
        else this.set(parent, key, slot)
      }
    }
    if (!this.#young.isFull) return
    this.#old = this.#young
    this.#young = new Generation()
  }
}

function lengthOf(slot: Slot | undefined): number {
  return slot?.value?.length ?? 0
}
