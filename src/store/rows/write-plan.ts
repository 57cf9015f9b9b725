import { edit } from '../../tree/edit.ts'
import { isStringText, type JsonText, parseStored } from '../../tree/json/print.ts'
import type { Priority } from '../../tree/priority.ts'
import { leafOf, type Value } from '../../tree/value.ts'
import type { Write } from '../../tree/write.ts'
import { chunkedTextOf, interiorOf, ROOT_KEY, ROOT_PARENT, type Slot } from './slot.ts'

/** Address of a slot, with the key as a request writes it. */
export interface SlotAddress {
  readonly parent: number
  readonly key: string
}

/** A slot on the path of a write: a child of the interior node `parent`. */
export interface PathSlot extends SlotAddress {
  /** Content before the write; `undefined` where no slot exists. */
  readonly slot: Slot | undefined
}

/** A text that is ready to be stored below an interior node. */
export interface PreparedText {
  /** Encoded by `sortKey`. */
  readonly key: string
  readonly kind: number
  readonly text: JsonText
  /** Traits that it adds to its parent. */
  readonly traits: number
  /** Content that the slot must have: this text, none (`undefined`), or anything but an interior node. */
  readonly expected: { readonly text: JsonText } | undefined | 'any'
}

export const ROOT_ADDRESS: SlotAddress = { parent: ROOT_PARENT, key: ROOT_KEY }

/** The change that a write makes to the last slot of its path. */
export type SlotChange =
  | { readonly kind: 'priority'; readonly interior: number; readonly priority: Priority | undefined }
  /** Removes the slot; where `slot` is `undefined` there is none. */
  | { readonly kind: 'remove'; readonly slot: Slot | undefined }
  /** The chunked text stays; its priority is that of `value`, which has the beginning of the string. */
  | { readonly kind: 'head'; readonly text: number; readonly value: Value }
  /** Stores a value. `isWritten` says whether it is the value of the write itself, not a subtree around it. */
  | { readonly kind: 'store'; readonly value: Value; readonly isWritten: boolean }

/**
 * Plans a write from the slots on its path. The last of them is the slot that changes.
 * @param stored value of that slot, if it is parsed already
 */
export function planSlotChange(write: Write, slotPath: readonly PathSlot[], stored?: Value): SlotChange {
  const { slot } = lastSlot(slotPath)
  const interior = interiorOf(slot)
  if (write.kind === 'priority' && interior !== undefined) {
    return { kind: 'priority', interior, priority: write.priority }
  }
  const below = write.path.slice(slotPath.length - 1)
  const isWritten = below.length === 0 && write.kind === 'value'
  // Nothing is below a string, which a child replaces: it need not be parsed.
  const isString = below.length > 0 && typeof slot?.value === 'string' && isStringText(slot.value)
  if (isString && (write.kind !== 'value' || write.value === undefined)) return { kind: 'remove', slot: undefined }
  const value = isWritten ? write.value : edit(isString ? undefined : (stored ?? storedValue(slot)), below, write)
  const text = isWritten ? undefined : chunkedTextOf(slot)
  // Only a value that is set below it replaces the string.
  if (text !== undefined && value !== undefined && leafOf(value) !== undefined) return { kind: 'head', text, value }
  return value === undefined ? { kind: 'remove', slot } : { kind: 'store', value, isWritten }
}

function storedValue(slot: Slot | undefined): Value | undefined {
  return slot === undefined || slot.value === null ? undefined : parseStored(slot.value)
}

export function lastSlot(slotPath: readonly PathSlot[]): PathSlot {
  return slotPath[slotPath.length - 1] ?? { ...ROOT_ADDRESS, slot: undefined }
}
