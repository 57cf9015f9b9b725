import type { Slot } from '../../rows/slot.ts'

/** Remembered at most: about a megabyte. */
const MOST = 4096

/**
 * Slots of interior nodes that one snapshot was seen to have. Nothing changes in a snapshot, and most ways through the
 * tree begin alike.
 */
export class InteriorCache {
  readonly #byParent = new Map<number, Map<string, Slot>>()
  #count = 0

  /** @param key as it stands in the table */
  get(parent: number, key: string): Slot | undefined {
    return this.#byParent.get(parent)?.get(key)
  }

  add(parent: number, key: string, slot: Slot): void {
    if (this.#count >= MOST) this.clear()
    let slots = this.#byParent.get(parent)
    if (slots === undefined) {
      slots = new Map()
      this.#byParent.set(parent, slots)
    }
    slots.set(key, slot)
    this.#count++
  }

  clear(): void {
    this.#byParent.clear()
    this.#count = 0
  }
}
