import type { Steps } from '../../../../scheduling/steps.ts'
import { isStringText, type JsonText, print } from '../../../../tree/json/print.ts'
import { PRIORITY } from '../../../../tree/key.ts'
import { sortKey } from '../../../../tree/order.ts'
import type { Path } from '../../../../tree/path.ts'
import type { Priority } from '../../../../tree/priority.ts'
import { isBranch, type Value } from '../../../../tree/value.ts'
import type { Write } from '../../../../tree/write.ts'
import { parseLongLeaf } from '../../../rows/long-string.ts'
import { ROOT_KEY, ROOT_PARENT, replacementTraits, type Slot } from '../../../rows/slot.ts'
import { lastSlot, type PathSlot, planSlotChange, ROOT_ADDRESS } from '../../../rows/write-plan.ts'
import { type BatchIndexes, Missing } from '../working-tree.ts'
import { BranchWriter } from './branch-writer.ts'
import type { WorkingSet } from './working-set.ts'

/** Applies writes to the working set of a batch. */
export class TreeWriter {
  readonly #working: WorkingSet
  readonly #indexes: BatchIndexes
  readonly #branches: BranchWriter

  /** @param inlineLength longest text of a subtree that becomes one row, in UTF-16 code units; 0 means none */
  constructor(working: WorkingSet, indexes: BatchIndexes, inlineLength: number, takeId: () => number) {
    this.#working = working
    this.#indexes = indexes
    this.#branches = new BranchWriter(working, indexes, inlineLength, takeId)
  }

  /**
   * Applies one write, and removes every node that it leaves empty, ancestors included.
   * @returns stored text of the value written, if it was printed as a whole
   * @throws `Missing`, with part of the write applied
   */
  *apply(write: Write): Steps<JsonText | undefined> {
    const slotPath = this.#slotsTo(write.path)
    const updateIndexes = this.#indexes.beforeWrite(write, slotPath)
    const change = planSlotChange(write, slotPath, yield* longLeaf(write, slotPath))
    if (change.kind === 'priority') this.#setPriority(change.interior, change.priority)
    else if (change.kind === 'remove' && change.slot !== undefined) this.#removeSlot(slotPath, change.slot)
    if (change.kind !== 'store') {
      updateIndexes?.(undefined, undefined)
      return undefined
    }
    const { value, isWritten } = change
    const text = yield* this.#replace(lastSlot(slotPath), value)
    updateIndexes?.(value, text)
    return isWritten ? text : undefined
  }

  /** The slots from the root down to the end of a write: its own slot, or the text or gap it lies in. */
  #slotsTo(path: Path): PathSlot[] {
    const unknown = this.#working.unknownOn(path)
    if (unknown !== undefined) throw new Missing(unknown)
    let slot = this.#working.slot(ROOT_PARENT, ROOT_KEY)
    const slotPath: PathSlot[] = [{ ...ROOT_ADDRESS, slot }]
    for (const key of path) {
      if (slot === undefined || slot.id === null) break
      const parent = slot.id
      slot = this.#working.slot(parent, sortKey(key))
      slotPath.push({ parent, key, slot })
    }
    return slotPath
  }

  /** Stores a value in a slot, whatever the slot held. @returns its text, if it is one slot */
  *#replace({ slot, parent, key }: PathSlot, value: Value): Steps<JsonText | undefined> {
    const address = { parent, key }
    const text = yield* this.#branches.textOf(value)
    const newList = text === undefined && isBranch(value) ? value : undefined
    const id = newList === undefined ? 0 : this.#branches.newId()
    if (newList !== undefined) this.#indexes.knowNew(id)
    if (slot !== undefined && slot.id !== null) {
      if (newList !== undefined) this.#indexes.inherit(slot.id, id)
      this.#detach(slot.id)
    }
    const traits =
      newList === undefined
        ? this.#branches.insertText(address, value, text ?? '')
        : yield* this.#branches.insertBranch(address, newList, id)
    this.#updateParent(parent, slot !== undefined, traits)
    return text
  }

  #setPriority(parent: number, priority: Priority | undefined): void {
    if (priority === undefined) this.#working.setSlot(parent, PRIORITY, undefined)
    else {
      const text = print(priority, 'stored')
      this.#adjust(parent, 0, this.#branches.insertText({ parent, key: PRIORITY }, priority, text))
    }
  }

  /** Removes a slot, and every ancestor that loses its last child. */
  #removeSlot(slotPath: readonly PathSlot[], slot: Slot): void {
    if (slot.id !== null) this.#detach(slot.id)
    for (const { parent, key } of slotPath.toReversed()) {
      this.#working.setSlot(parent, sortKey(key), undefined)
      if (parent === ROOT_PARENT) return
      if (this.#adjust(parent, -1, 0) > 0) return
      this.#indexes.dropAll(parent)
      this.#working.setSlot(parent, PRIORITY, undefined)
      this.#working.remove(parent)
    }
  }

  #detach(id: number): void {
    this.#working.detach(id)
    this.#indexes.dropAll(id)
  }

  /** @param isOld whether the slot existed before */
  #updateParent(parent: number, isOld: boolean, traits: number): void {
    if (parent === ROOT_PARENT) return
    const added = isOld ? replacementTraits(traits) : traits
    if (!isOld || added !== 0) this.#adjust(parent, isOld ? 0 : 1, traits)
  }

  /** Changes the number of children of an interior node, and adds traits. @returns the number */
  #adjust(id: number, by: number, traits: number): number {
    const interior = this.#working.interior(id)
    const next = { id, childCount: interior.childCount + by, traits: interior.traits | traits }
    if (by !== 0 || next.traits !== interior.traits) this.#working.setInterior(next)
    return next.childCount
  }
}

/** What the slot of a write holds, if the write needs it and it takes long to parse. */
function* longLeaf(write: Write, slotPath: readonly PathSlot[]): Steps<Value | undefined> {
  const text = lastSlot(slotPath).slot?.value
  if (typeof text !== 'string') return undefined
  // A child replaces a string; it keeps a priority.
  const isReplaced = write.path.length < slotPath.length ? write.kind === 'value' : isStringText(text)
  return isReplaced ? undefined : yield* parseLongLeaf(text)
}
