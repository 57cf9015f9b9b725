import type { Slot } from '../../rows/slot.ts'

/** Maximum cached slots: about a megabyte. */
const MAX_CACHED = 4096

/** Slots of interior nodes in one snapshot or one transaction. Most paths share their first nodes. */
export class InteriorCache {
  readonly #byParent = new Map<number, Map<string, Slot>>()
  #count = 0

  /** @param key encoded by `sortKey` */
  get(parent: number, key: string): Slot | undefined {
    return this.#byParent.get(parent)?.get(key)
  }

  add(parent: number, key: string, slot: Slot): void {
    if (this.#count >= MAX_CACHED) this.clear()
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
