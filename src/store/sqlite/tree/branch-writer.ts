import { memberKeysInSteps } from '../../../tree/json/member-keys.ts'
import { type JsonText, printWithin } from '../../../tree/json/print.ts'
import { PRIORITY } from '../../../tree/key.ts'
import { sortKey } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import { type Branch, isBranch, ownMember, type Value } from '../../../tree/value.ts'
import { kindOf, NOWHERE, ROOT_KEY, traitsOf } from '../../rows/slot.ts'
import type { SlotAddress } from '../../rows/write-plan.ts'
import type { StagedValue, StagedValues } from '../staging/staged-values.ts'
import type { RowWriter } from './row-writer.ts'

/** Text of one leaf that takes milliseconds to print and to write, in UTF-16 code units. */
export const LONG_TEXT = 512 * 1024

/** Writes whole values: one slot, or an interior node with all rows below it. */
export class BranchWriter {
  readonly #rows: RowWriter
  readonly #staged: StagedValues
  readonly #inlineLength: number
  #nextId: number
  /** Ids chosen for interior nodes above staged values, by their values. */
  readonly #idsAbove = new Map<Branch, number>()

  /** @param inlineLength longest text of a subtree that becomes one row, in UTF-16 code units; 0 means none */
  constructor(rows: RowWriter, staged: StagedValues, inlineLength: number) {
    this.#rows = rows
    this.#staged = staged
    this.#inlineLength = inlineLength
    this.#nextId = rows.greatestId() + 1
  }

  /** The text of a value that becomes one row; `undefined` when it is longer. */
  textOf(value: Value): JsonText | undefined {
    return printWithin(value, this.#inlineLength)
  }

  /** Writes a value as one slot. @returns the traits it adds to its parent */
  insertText({ parent, key }: SlotAddress, value: Value, text: JsonText): number {
    this.#rows.upsertText(parent, sortKey(key), kindOf(value), text)
    return traitsOf(key, text)
  }

  /** As `insertText`; writes a long text in several steps. */
  *insert(address: SlotAddress, value: Value, text: JsonText): Generator<void, number> {
    if (text.length <= LONG_TEXT) return this.insertText(address, value, text)
    const { parent, key } = address
    yield* this.#rows.upsertLongText(parent, sortKey(key), kindOf(value), text)
    return traitsOf(key, text)
  }

  /** Writes a value as an interior node with the slots below it; texts may wait for `flushTexts`. @returns the traits it adds to its parent */
  *insertBranch(address: SlotAddress, branch: Branch): Generator<void, number> {
    const { parent } = address
    const key = sortKey(address.key)
    const id = this.idFor(branch, parent)
    if (id === this.#nextId) this.#nextId++
    const staged = this.#staged.find(branch, parent)
    this.#rows.upsertInterior(parent, key, id)
    if (staged === undefined) yield* this.#insertInterior(id, parent, key, branch)
    else yield* this.#staged.attach(staged, parent, key)
    return traitsOf(address.key, undefined)
  }

  /** The id that a value gets as an interior node. */
  idFor(branch: Branch, parent: number): number {
    return this.#staged.find(branch, parent)?.id ?? this.#idsAbove.get(branch) ?? this.#nextId
  }

  /**
   * Chooses ids for the nodes on the path from `value` down to a staged value. Ids grow downwards, so these nodes take
   * the ids that were reserved before the staged value's own.
   */
  chooseIdsAbove(value: Value, path: Path, branch: Branch): void {
    const reserved = this.#staged.reservedFor(branch)
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
   * Writes a value apart from the tree, if need be in several transactions. `insertBranch` attaches it when it meets this
   * very object; until then the node is listed as detached.
   */
  *stage({ path, value }: StagedValue): Generator<void, void> {
    const reserved = path.map(() => this.#nextId++)
    const id = this.#nextId++
    this.#staged.begin(value, id, reserved)
    yield* this.#insertInterior(id, NOWHERE, ROOT_KEY, value)
  }

  *#insertInterior(id: number, parent: number, sortedKey: string, branch: Branch): Generator<void, void> {
    const keys = yield* memberKeysInSteps(branch)
    this.#rows.insertInterior(id, parent, sortedKey, keys.length - (keys.includes(PRIORITY) ? 1 : 0))
    let traits = 0
    for (const key of keys) {
      const value = ownMember(branch, key)
      if (value === undefined) continue
      const child = { parent: id, key }
      const text = this.textOf(value)
      if (text !== undefined && text.length > LONG_TEXT) traits |= yield* this.insert(child, value, text)
      else if (text !== undefined) {
        this.#rows.addText(id, sortKey(key), kindOf(value), text)
        traits |= traitsOf(key, text)
      } else if (isBranch(value)) traits |= yield* this.insertBranch(child, value)
      if (this.#rows.takePause()) yield
    }
    if (traits !== 0) this.#rows.adjust(id, 0, traits)
  }
}
