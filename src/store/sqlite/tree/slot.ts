import { mentionsPriority } from '../../../tree/json/print.ts'
import { PRIORITY } from '../../../tree/key.ts'
import { sortKey } from '../../../tree/order.ts'
import { isBranch, type Value } from '../../../tree/value.ts'

/** What a slot holds. The numbers are stored, and order as values do. */
export const SlotKind = {
  false: 1,
  true: 2,
  number: 3,
  string: 4,
  interior: 5,
  /** A whole small subtree as text; also a leaf with a priority. */
  inline: 6,
} as const

/** Bits on an interior node that tell a reader of its children to take care. They are set, never cleared. */
export const Trait = {
  /** A key does not stand in JSON as it is stored: it is an integer, or holds a quote, a backslash or a mended character. */
  carefulKeys: 1,
  /** A child's text is longer than `LONG_TEXT`: read few at a time. */
  longTexts: 2,
  /** There is a priority on the node or in a child's text: what GET answers is not what is stored. */
  priorities: 4,
} as const

/** Longest text, in UTF-16 code units, of which a page of children may hold many. */
const LONG_TEXT = 8192

/** Parent and key of the slot of the root. */
export const ROOT_PARENT = 0
export const ROOT_KEY = ''
/** Parent of a node that is no longer part of the tree. */
export const NOWHERE = -1
/** Above every key. */
export const LAST_KEY = '\u{10FFFF}\u{10FFFF}'

/** A slot as it stands in the table: text, or the id of an interior node. */
export interface Slot {
  readonly kind: number
  readonly value: string | null
  readonly id: number | null
}

export function kindOf(value: Value): number {
  if (isBranch(value)) return SlotKind.inline
  if (typeof value === 'string') return SlotKind.string
  if (typeof value === 'number') return SlotKind.number
  return value ? SlotKind.true : SlotKind.false
}

/** Traits that a child with this key and text brings to its parent. */
export function traitsOf(key: string, text: string | undefined): number {
  const careful = sortKey(key) !== key || key.includes('"') || key.includes('\\')
  const long = text !== undefined && text.length > LONG_TEXT
  const priority = key === PRIORITY || (text !== undefined && mentionsPriority(text))
  return (careful ? Trait.carefulKeys : 0) | (long ? Trait.longTexts : 0) | (priority ? Trait.priorities : 0)
}

/** Whether a slot of that key counts as a child. */
export function isChild(key: string): boolean {
  return key !== PRIORITY
}
