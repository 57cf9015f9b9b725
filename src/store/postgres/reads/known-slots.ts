import { DholeError } from '../../../error.ts'
import { sortKey } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import type { InteriorSource, SlotSource } from '../../rows/lookup.ts'
import { type Interior, ROOT_KEY, ROOT_PARENT, type Slot } from '../../rows/slot.ts'
import type { WantedSlots } from '../slot-steps.ts'

/** The slots along a path, from the root down. */
export function slotsAlong(path: Path): WantedSlots {
  return { parent: ROOT_PARENT, keys: [ROOT_KEY, ...path.map(sortKey)] }
}

/** What one read knows of its snapshot. Keys are encoded by `sortKey`. */
export class KnownSlots implements SlotSource, InteriorSource {
  readonly #slots = new Map<number, Map<string, Slot | undefined>>()
  readonly #interiors = new Map<number, Interior>()

  slot(parent: number, key: string): Slot | undefined {
    return this.#slots.get(parent)?.get(key)
  }

  interior(id: number): Interior {
    const interior = this.#interiors.get(id)
    if (interior === undefined) throw new DholeError('internal', undefined, { cause: `no interior row ${id}` })
    return interior
  }

  know(parent: number, key: string, slot: Slot | undefined, interior?: Interior): void {
    let slots = this.#slots.get(parent)
    if (slots === undefined) {
      slots = new Map()
      this.#slots.set(parent, slots)
    }
    slots.set(key, slot)
    if (interior !== undefined) this.#interiors.set(interior.id, interior)
  }

  /** What is not known of the slots on a path; `undefined` when all are known. */
  unknownOn(path: Path): WantedSlots | undefined {
    const { parent: top, keys } = slotsAlong(path)
    let parent = top
    for (const [depth, key] of keys.entries()) {
      const slots = this.#slots.get(parent)
      if (slots === undefined || !slots.has(key)) return { parent, keys: keys.slice(depth) }
      const slot = slots.get(key)
      if (slot === undefined) return undefined
      // Its text was left out.
      if (slot.id === null && slot.value === null) return { parent, keys: keys.slice(depth) }
      if (slot.id === null) return undefined
      parent = slot.id
    }
    return undefined
  }
}
