import { type JsonText, mentionsPriority } from '../../tree/json/print.ts'
import { PRIORITY } from '../../tree/key.ts'
import { sortKey } from '../../tree/order.ts'
import { isBranch, type Value } from '../../tree/value.ts'

/** Kind of the content of a slot. The numbers are stored and sort as the values do. */
export const SlotKind = {
  false: 1,
  true: 2,
  number: 3,
  string: 4,
  interior: 5,
  /** A whole small subtree as text, or a leaf with a priority. */
  inline: 6,
} as const

/** Bits on an interior node that a reader of its children must heed. A write sets them and never clears them. */
export const Trait = {
  /** The JSON text of a key differs from its stored form: it is an integer, or has a quote, a backslash or an encoded character. */
  carefulKeys: 1,
  /** A child's text in its slot is longer than `LONG_TEXT`: a page must hold few children. */
  longTexts: 2,
  /** The node or a child's text has a priority: the plain text differs from the stored text. */
  priorities: 4,
  /** The node is a chunked text: it has chunks and no children. Only its own slot has its priority. */
  chunks: 8,
  /** A child's text in its slot is longer than `TINY_TEXT`. */
  notTinyTexts: 16,
  /** A child's text in its slot is longer than `SHORT_TEXT`. */
  notShortTexts: 32,
  /** The two traits above are kept for all children. Nodes that earlier versions have created lack it. */
  lengthsKnown: 64,
} as const
const LENGTHS = Trait.notTinyTexts | Trait.notShortTexts

/** Bounds of the text of a child, in UTF-16 code units. The shorter the texts are, the more children a page holds. */
export const LONG_TEXT = 8192
const SHORT_TEXT = 1024
export const TINY_TEXT = 256

/** Parent and key of the root's slot. */
export const ROOT_PARENT = 0
export const ROOT_KEY = ''
/** Parent of an interior node that is not part of the tree. */
export const NOWHERE = -1
/** Greater than every key. */
export const LAST_KEY = '\u{10FFFF}\u{10FFFF}'

/** What a slot leads to: a text of its own, an interior node, or a chunked text. */
export interface SlotContent {
  /** Stored text; of a chunked text that of its beginning, as `headOf` makes it; `null` for an interior node. */
  readonly value: string | null
  /** Id of the interior node or of the chunked text; `null` for a text of its own. */
  readonly id: number | null
}

/** The content of a slot. */
export interface Slot extends SlotContent {
  readonly kind: number
}

/** The id of the interior node that a slot leads to; `undefined` for any text and where there is no slot. */
export function interiorOf(slot: SlotContent | undefined): number | undefined {
  return slot === undefined || slot.id === null || slot.value !== null ? undefined : slot.id
}

/** The id of the chunked text that a slot leads to; `undefined` for all others. */
export function chunkedTextOf(slot: SlotContent | undefined): number | undefined {
  return slot === undefined || slot.id === null || slot.value === null ? undefined : slot.id
}

/** The text of a slot as a whole; `null` for an interior node and for a chunked text. */
export function ownText({ id, value }: SlotContent): JsonText | null {
  return id === null ? value : null
}

/** A slot of a list with its key. */
export interface ChildRow extends SlotContent {
  /** Encoded by `sortKey`. */
  readonly key: string
}

/** The columns of an interior node that a reader of its children needs. */
export interface Interior {
  readonly id: number
  readonly childCount: number
  readonly traits: number
}

/** Slot kind of a value that is stored as one text. */
export function kindOf(value: Value): number {
  if (isBranch(value)) return SlotKind.inline
  if (typeof value === 'string') return SlotKind.string
  if (typeof value === 'number') return SlotKind.number
  return value ? SlotKind.true : SlotKind.false
}

/** Traits that a child with this key and text adds to its parent. */
export function traitsOf(key: string, text: string | undefined): number {
  const careful = sortKey(key) !== key || key.includes('"') || key.includes('\\')
  const priority = key === PRIORITY || (text !== undefined && mentionsPriority(text))
  return (careful ? Trait.carefulKeys : 0) | lengthTraits(text?.length ?? 0) | (priority ? Trait.priorities : 0)
}

/**
 * As `traitsOf`, without those that bound pages: an earlier version that writes into the same tree, during an upgrade or after a
 * way back, does not set them, and reads are right all the same.
 */
export function neededTraitsOf(key: string, text: string | undefined): number {
  return traitsOf(key, text) & ~LENGTHS
}

function lengthTraits(length: number): number {
  if (length <= TINY_TEXT) return 0
  if (length <= SHORT_TEXT) return Trait.notTinyTexts
  return length > LONG_TEXT ? Trait.longTexts | LENGTHS : LENGTHS
}

/** Longest text that a child may have, in UTF-16 code units, where no text is long. */
export function longestText(traits: number): number {
  if ((traits & Trait.lengthsKnown) === 0 || (traits & Trait.notShortTexts) !== 0) return LONG_TEXT
  return (traits & Trait.notTinyTexts) === 0 ? TINY_TEXT : SHORT_TEXT
}

/** Traits that a text adds to its parent when it replaces a child: the parent already has those of the key. */
export function replacementTraits(traits: number): number {
  return traits & ~Trait.carefulKeys
}

/** Whether the slot with this key is a child; a priority is not. */
export function isChild(key: string): boolean {
  return key !== PRIORITY
}
