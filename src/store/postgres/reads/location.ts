import { sortKey } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import type { Value } from '../../../tree/value.ts'
import { type Interior, ROOT_KEY, ROOT_PARENT } from '../../rows/slot.ts'
import { foundInText } from '../../rows/value-in-text.ts'
import type { KnownSlots } from './known-slots.ts'

/** Where a path ends: at an interior node, at the text of a slot, or at a value inside such a text. */
export type Location =
  | { readonly kind: 'interior'; readonly interior: Interior }
  /** `null` for a text that is so long that it was not read. */
  | { readonly kind: 'text'; readonly text: string | null }
  | { readonly kind: 'inside'; readonly value: Value }

/** Finds where a path ends among slots that are known. */
export function locate(known: KnownSlots, path: Path): Location | undefined {
  let slot = known.slot(ROOT_PARENT, ROOT_KEY)
  for (const [depth, key] of path.entries()) {
    if (slot === undefined) return undefined
    if (slot.id === null) {
      const value = foundInText(slot.value ?? '', path.slice(depth))
      return value === undefined ? undefined : { kind: 'inside', value }
    }
    slot = known.slot(slot.id, sortKey(key))
  }
  if (slot === undefined) return undefined
  if (slot.id !== null) return { kind: 'interior', interior: known.interior(slot.id) }
  return { kind: 'text', text: slot.value }
}
