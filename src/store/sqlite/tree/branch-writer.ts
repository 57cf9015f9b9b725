import { memberKeysInSteps } from '../../../tree/json/member-keys.ts'
import { type JsonText, print, printWithin } from '../../../tree/json/print.ts'
import { PRIORITY } from '../../../tree/key.ts'
import { sortKey } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import { type Branch, isBranch, ownMember, type Value } from '../../../tree/value.ts'
import { headOf, longString } from '../../rows/chunked-text.ts'
import { kindOf, NOWHERE, ROOT_KEY, Trait, traitsOf } from '../../rows/slot.ts'
import type { SlotAddress } from '../../rows/write-plan.ts'
import { isLarge, type LargeValue, type StagedValue, type StagedValues } from '../staging/staged-values.ts'
import type { RowWriter } from './row-writer.ts'

/** How values are divided into rows. */
export interface RowLengths {
  /** Longest text of a subtree that becomes one row, in UTF-16 code units; 0 means none. */
  readonly inlineLength: number
  /** Length of a chunk of a long string, in UTF-16 code units. */
  readonly chunkLength: number
}

/** Chunks of the shortest string that is divided: a short one is written and read faster as one row. */
const LEAST_CHUNKS = 4

/** Length of the longest string that becomes one row, in UTF-16 code units. */
export function longestString({ chunkLength }: Pick<RowLengths, 'chunkLength'>): number {
  return LEAST_CHUNKS * chunkLength
}

/** Writes whole values: one slot, or an interior node with all rows below it, or a text in chunks. */
export class BranchWriter {
  readonly #rows: RowWriter
  readonly #staged: StagedValues
  readonly #lengths: RowLengths
  #nextId: number
  /** Ids chosen for interior nodes above staged values, by their values. */
  readonly #idsAbove = new Map<Branch, number>()

  constructor(rows: RowWriter, staged: StagedValues, lengths: RowLengths) {
    this.#rows = rows
    this.#staged = staged
    this.#lengths = lengths
    this.#nextId = rows.greatestId() + 1
  }

  /** The text of a value that becomes one row; `undefined` when it is longer. */
  textOf(value: Value): JsonText | undefined {
    return this.#longString(value) === undefined ? printWithin(value, this.#lengths.inlineLength) : undefined
  }

  #longString(value: Value): string | undefined {
    return longString(value, longestString(this.#lengths))
  }

  /** Writes a value as one slot. @returns the traits it adds to its parent */
  insertText({ parent, key }: SlotAddress, value: Value, text: JsonText): number {
    this.#rows.upsertText(parent, sortKey(key), kindOf(value), text)
    return traitsOf(key, text)
  }

  /**
   * Writes a value without a `textOf`: as an interior node with the slots below it, or as a text in chunks. Texts may
   * wait for `flushTexts`.
   * @returns the traits it adds to its parent
   */
  *insertLarge(address: SlotAddress, value: LargeValue): Generator<void, number> {
    const { parent } = address
    const key = sortKey(address.key)
    const id = this.idFor(value, parent)
    if (id === this.#nextId) this.#nextId++
    const staged = this.#staged.find(value, parent)
    const string = this.#longString(value)
    const head = string === undefined ? undefined : headOf(value, string)
    if (head === undefined) this.#rows.upsertInterior(parent, key, id)
    else this.#rows.upsertHead(parent, key, kindOf(value), head, id)
    if (staged === undefined) yield* this.#insertRows(id, parent, key, value)
    else yield* this.#staged.attach(staged, parent, key)
    return traitsOf(address.key, head)
  }

  /** Replaces the priority of a text in chunks. @param value its leaf, of which the beginning of the string is enough */
  setHead({ parent, key }: SlotAddress, text: number, value: Value): number {
    const head = print(value, 'stored')
    this.#rows.upsertHead(parent, sortKey(key), kindOf(value), head, text)
    this.#rows.chunks.setFrame(text, value)
    return traitsOf(key, head)
  }

  /** The id that a value gets as an interior node or as a text in chunks. */
  idFor(value: LargeValue, parent: number): number {
    const above = isBranch(value) ? this.#idsAbove.get(value) : undefined
    return this.#staged.find(value, parent)?.id ?? above ?? this.#nextId
  }

  /**
   * Chooses ids for the nodes on the path from `value` down to a staged value. Ids grow downwards, so these nodes take
   * the ids that were reserved before the staged value's own.
   */
  chooseIdsAbove(value: Value, path: Path, staged: LargeValue): void {
    const reserved = this.#staged.reservedFor(staged)
    if (reserved === undefined) return
    let above: Value | undefined = value
    for (const [level, key] of path.entries()) {
      const id = reserved[level]
      if (id === undefined || !isBranch(above)) return
      this.#idsAbove.set(above, Math.min(this.#idsAbove.get(above) ?? id, id))
      above = ownMember(above, key)
    }
  }

  forgetIdsAbove(): void {
    this.#idsAbove.clear()
  }

  /**
   * Writes a value apart from the tree, if need be in several transactions. `insertLarge` attaches it when it meets this
   * very value; until then the node is listed as detached.
   */
  *stage(staged: StagedValue): Generator<void, void> {
    const reserved = staged.path.map(() => this.#nextId++)
    const id = this.#nextId++
    this.#staged.begin(staged, id, reserved)
    yield* this.#insertRows(id, NOWHERE, ROOT_KEY, staged.value)
    this.#staged.complete(staged)
  }

  *#insertRows(id: number, parent: number, sortedKey: string, value: LargeValue): Generator<void, void> {
    const string = this.#longString(value)
    if (string !== undefined) yield* this.#insertChunks(id, parent, sortedKey, value, string)
    else if (isBranch(value)) yield* this.#insertInterior(id, parent, sortedKey, value)
  }

  *#insertChunks(id: number, parent: number, sortedKey: string, leaf: Value, string: string): Generator<void, void> {
    this.#rows.insertInterior(id, parent, sortedKey, 0, Trait.chunks)
    for (const written of this.#rows.chunks.insert(id, leaf, string, this.#lengths.chunkLength)) {
      this.#rows.countText(written)
      if (this.#rows.takePause()) yield
    }
  }

  *#insertInterior(id: number, parent: number, sortedKey: string, branch: Branch): Generator<void, void> {
    const keys = yield* memberKeysInSteps(branch)
    this.#rows.insertInterior(
      id,
      parent,
      sortedKey,
      keys.length - (keys.includes(PRIORITY) ? 1 : 0),
      Trait.lengthsKnown,
    )
    let traits = 0
    for (const key of keys) {
      const value = ownMember(branch, key)
      if (value === undefined) continue
      const child = { parent: id, key }
      const text = key === PRIORITY ? print(value, 'stored') : this.textOf(value)
      if (text !== undefined) {
        this.#rows.addText(id, sortKey(key), kindOf(value), text)
        traits |= traitsOf(key, text)
      } else if (isLarge(value)) traits |= yield* this.insertLarge(child, value)
      if (this.#rows.takePause()) yield
    }
    if (traits !== 0) this.#rows.adjust(id, 0, traits)
  }
}
