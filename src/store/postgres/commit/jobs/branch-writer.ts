import type { Steps } from '../../../../scheduling/steps.ts'
import { memberKeysInSteps } from '../../../../tree/json/member-keys.ts'
import { type JsonText, printWithin } from '../../../../tree/json/print.ts'
import { printInSteps } from '../../../../tree/json/print-steps.ts'
import { collected, joined } from '../../../../tree/json/text-pieces.ts'
import { PRIORITY } from '../../../../tree/key.ts'
import { sortKey } from '../../../../tree/order.ts'
import { type Branch, isBranch, ownMember, VALUE, type Value } from '../../../../tree/value.ts'
import { kindOf, SlotKind, Trait, traitsOf } from '../../../rows/slot.ts'
import type { SlotAddress } from '../../../rows/write-plan.ts'
import type { BatchIndexes } from '../working-tree.ts'
import type { WorkingSet } from './working-set.ts'

/** Text of one leaf that takes milliseconds to print, in UTF-16 code units. */
const LONG_TEXT = 512 * 1024
/** Rows, and text in UTF-16 code units, written between two pauses. */
const STEP_ROWS = 256
const STEP_LENGTH = 128 * 1024

/** Writes whole values into the working set: one slot, or an interior node with all slots below it. */
export class BranchWriter {
  readonly #working: WorkingSet
  readonly #indexes: BatchIndexes
  readonly #inlineLength: number
  readonly #takeId: () => number
  #rows = 0
  #length = 0

  /** @param inlineLength longest text of a subtree that becomes one row, in UTF-16 code units; 0 means none */
  constructor(working: WorkingSet, indexes: BatchIndexes, inlineLength: number, takeId: () => number) {
    this.#working = working
    this.#indexes = indexes
    this.#inlineLength = inlineLength
    this.#takeId = takeId
  }

  /** The text of a value that becomes one row; `undefined` when it is longer. */
  *textOf(value: Value): Steps<JsonText | undefined> {
    const leaf = isBranch(value) ? ownMember(value, VALUE) : value
    if (typeof leaf === 'string' && leaf.length > LONG_TEXT) {
      yield
      return joined(yield* collected((sink) => printInSteps(value, 'stored', sink)))
    }
    return printWithin(value, this.#inlineLength)
  }

  /** Writes a value as one slot. @returns the traits it adds to its parent */
  insertText({ parent, key }: SlotAddress, value: Value, text: JsonText): number {
    this.#working.setSlot(parent, sortKey(key), { kind: kindOf(value), value: text, id: null })
    this.#rows++
    this.#length += text.length
    return traitsOf(key, text)
  }

  /** Takes the id of a new interior node. */
  newId(): number {
    return this.#takeId()
  }

  /** Writes a value as an interior node with the slots below it. @returns the traits it adds to its parent */
  *insertBranch(address: SlotAddress, branch: Branch, id: number): Steps<number> {
    const { parent } = address
    const sorted = sortKey(address.key)
    this.#working.setSlot(parent, sorted, { kind: SlotKind.interior, value: null, id })
    const keys = yield* memberKeysInSteps(branch)
    const childCount = keys.length - (keys.includes(PRIORITY) ? 1 : 0)
    let traits: number = Trait.lengthsKnown
    this.#working.make({ id, childCount, traits }, { parent, key: sorted })
    for (const key of keys) {
      const value = ownMember(branch, key)
      if (value === undefined) continue
      const child = { parent: id, key }
      const text = yield* this.textOf(value)
      if (text !== undefined) traits |= this.insertText(child, value, text)
      else if (isBranch(value)) {
        const childId = this.newId()
        this.#indexes.knowNew(childId)
        traits |= yield* this.insertBranch(child, value, childId)
      }
      if (this.#takePause()) yield
    }
    if (traits !== Trait.lengthsKnown) this.#working.setInterior({ id, childCount, traits })
    return traitsOf(address.key, undefined)
  }

  #takePause(): boolean {
    if (this.#rows < STEP_ROWS && this.#length < STEP_LENGTH) return false
    this.#rows = 0
    this.#length = 0
    return true
  }
}
