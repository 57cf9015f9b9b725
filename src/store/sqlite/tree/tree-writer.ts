import { type JsonText, print } from '../../../tree/json/print.ts'
import { PRIORITY } from '../../../tree/key.ts'
import { sortKey } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import type { Priority } from '../../../tree/priority.ts'
import { isBranch, leafOf, type Value } from '../../../tree/value.ts'
import type { Write } from '../../../tree/write.ts'
import { IndexWriteHook } from '../../rows/indexes/index-write-hook.ts'
import { interiorOf, kindOf, ROOT_KEY, ROOT_PARENT, type Slot, traitsOf } from '../../rows/slot.ts'
import { lastSlot, type PathSlot, planSlotChange, ROOT_ADDRESS, type SlotAddress } from '../../rows/write-plan.ts'
import type { TransactionParticipant } from '../commit/participant.ts'
import type { Connection } from '../file/connection.ts'
import type { IndexDefinition } from '../indexes/definitions.ts'
import type { IndexMaintenance } from '../indexes/maintenance.ts'
import { isLarge, type StagedValue, StagedValues } from '../staging/staged-values.ts'
import { BranchWriter, type RowLengths } from './branch-writer.ts'
import type { DeletedSubtrees } from './deleted-subtrees.ts'
import { InteriorCache } from './interior-cache.ts'
import { RowWriter } from './row-writer.ts'
import type { TreeReader } from './tree-reader.ts'

/**
 * Applies writes to the tree inside the writer's open transaction. Long writes are generators that pause between bounded
 * steps; the connection serves nothing else meanwhile.
 */
export class TreeWriter implements TransactionParticipant {
  readonly rows: RowWriter
  readonly #reader: TreeReader
  readonly #deletedSubtrees: DeletedSubtrees
  readonly #indexes: IndexMaintenance
  readonly #indexHook: IndexWriteHook<IndexDefinition>
  readonly #staged: StagedValues
  readonly #branches: BranchWriter
  /** Slots of interior nodes by parent and key: consecutive writes share most of their path. */
  readonly #interiors = new InteriorCache()

  constructor(
    connection: Connection,
    reader: TreeReader,
    deletedSubtrees: DeletedSubtrees,
    indexes: IndexMaintenance,
    lengths: RowLengths,
  ) {
    this.#reader = reader
    this.#deletedSubtrees = deletedSubtrees
    this.#indexes = indexes
    this.#indexHook = new IndexWriteHook(indexes.written, reader)
    this.rows = new RowWriter(connection)
    this.#staged = new StagedValues(connection, deletedSubtrees)
    this.#branches = new BranchWriter(this.rows, this.#staged, lengths)
  }

  /**
   * Applies one write, and removes every node that it leaves empty, ancestors included.
   * @param inside staged values inside the value written
   * @returns stored text of the value written, if it was printed as a whole
   */
  *apply(write: Write, inside: readonly StagedValue[] = []): Generator<void, JsonText | undefined> {
    const { slotPath, replaced } = this.#slotsTo(write)
    let printed: JsonText | undefined
    if (replaced !== undefined) {
      if (write.kind === 'value' && write.value !== undefined && !this.#hasIndexOn(slotPath)) {
        const { value } = write
        printed = this.textOf(value)
        if (printed !== undefined && this.#putText(replaced, value, printed)) return printed
      }
      slotPath.push({ ...replaced, slot: this.#slot(replaced.parent, sortKey(replaced.key), true) })
    }
    // From here on the number of children is read.
    this.rows.flushParentUpdate()
    const updateIndexes = this.#indexHook.beforeWrite(write, slotPath)
    const change = planSlotChange(write, slotPath)
    if (change.kind === 'priority') this.#setPriority(change.interior, change.priority)
    else if (change.kind === 'remove' && change.slot !== undefined) this.#removeSlot(slotPath, change.slot)
    else if (change.kind === 'head') {
      const { parent, key } = lastSlot(slotPath)
      this.rows.updateParent(parent, true, this.#branches.setHead({ parent, key }, change.text, change.value))
      updateIndexes?.(change.value, undefined)
      return undefined
    }
    if (change.kind !== 'store') {
      updateIndexes?.(undefined, undefined)
      return undefined
    }
    const { value, isWritten } = change
    const below = write.path.slice(slotPath.length - 1)
    for (const each of inside) this.#branches.chooseIdsAbove(value, [...below, ...each.path], each.value)
    if (write.kind === 'value' && write.value !== undefined && isLarge(write.value)) {
      this.#branches.chooseIdsAbove(value, below, write.value)
    }
    const text = yield* this.#replace(lastSlot(slotPath), value, printed)
    this.#branches.forgetIdsAbove()
    updateIndexes?.(value, text)
    return isWritten ? text : undefined
  }

  /**
   * The slots from the root down to the end of a write: its own slot, or the text or gap it lies in. It does not read a
   * slot that the write replaces when no index needs the old value, but returns the address of that slot.
   */
  #slotsTo({ kind, path }: Write): { slotPath: PathSlot[]; replaced: SlotAddress | undefined } {
    const replaces = kind === 'value'
    let slot = this.#slot(ROOT_PARENT, ROOT_KEY, replaces && path.length === 0)
    const slotPath: PathSlot[] = [{ ...ROOT_ADDRESS, slot }]
    for (const key of path) {
      const parent = interiorOf(slot)
      if (parent === undefined) break
      if (replaces && slotPath.length === path.length && !this.#indexHook.hasIndex(parent)) {
        return { slotPath, replaced: { parent, key } }
      }
      slot = this.#slot(parent, sortKey(key), false)
      slotPath.push({ parent, key, slot })
    }
    return { slotPath, replaced: undefined }
  }

  #hasIndexOn(slotPath: readonly PathSlot[]): boolean {
    return slotPath.some(({ parent }) => this.#indexHook.hasIndex(parent))
  }

  #putText({ parent, key }: SlotAddress, value: Value, text: JsonText): boolean {
    return this.rows.put(parent, sortKey(key), kindOf(value), text, traitsOf(key, text))
  }

  /** The interior node at a path in the open transaction, and whether it or an ancestor has an index. */
  interiorAt(path: Path): { readonly id: number; readonly isIndexed: boolean } | undefined {
    let id = interiorOf(this.#slot(ROOT_PARENT, ROOT_KEY, false))
    if (id === undefined) return undefined
    let isIndexed = this.#indexHook.hasIndex(id)
    for (const key of path) {
      id = interiorOf(this.#slot(id, sortKey(key), false))
      if (id === undefined) return undefined
      isIndexed ||= this.#indexHook.hasIndex(id)
    }
    return { id, isIndexed }
  }

  /** The text of a value that becomes one row; `undefined` when it is longer. */
  textOf(value: Value): JsonText | undefined {
    return this.#branches.textOf(value)
  }

  /**
   * Stores a value in a slot, whatever the slot held.
   * @param printed its text, where it is known to be one slot
   * @returns its text, if it is one slot
   */
  *#replace(
    { slot, parent, key }: PathSlot,
    value: Value,
    printed: JsonText | undefined,
  ): Generator<void, JsonText | undefined> {
    const address = { parent, key }
    if (isBranch(value)) yield
    const text = printed ?? this.textOf(value)
    const large = text === undefined && isLarge(value) ? value : undefined
    if (slot !== undefined && slot.id !== null) {
      if (large !== undefined && leafOf(large) === undefined) {
        this.#indexes.inherit(slot.id, this.#branches.idFor(large, parent))
      }
      this.#detach(slot.id)
    }
    const traits =
      large === undefined
        ? this.#branches.insertText(address, value, text ?? '')
        : yield* this.#branches.insertLarge(address, large)
    this.rows.flushTexts()
    this.rows.updateParent(parent, slot !== undefined, traits)
    return text
  }

  committed(): void {
    this.rows.ended()
  }

  rollback(): void {
    this.rows.reset()
    this.#branches.forgetIdsAbove()
    this.#staged.reset()
    this.#interiors.clear()
  }

  /** A slot in the open transaction; most interior nodes come from the cache. @param key encoded by `sortKey` */
  slot(parent: number, key: string): Slot | undefined {
    return this.#slot(parent, key, false)
  }

  /** @param replaced whether the write replaces the slot, so that its text is not needed */
  #slot(parent: number, key: string, replaced: boolean): Slot | undefined {
    const cached = this.#interiors.get(parent, key)
    if (cached !== undefined) return cached
    const slot = replaced ? this.#reader.outline(parent, key) : this.#reader.slot(parent, key)
    if (slot !== undefined && interiorOf(slot) !== undefined) this.#interiors.add(parent, key, slot)
    return slot
  }

  #setPriority(parent: number, priority: Priority | undefined): void {
    if (priority === undefined) {
      this.rows.remove(parent, PRIORITY)
      return
    }
    const text = print(priority, 'stored')
    this.rows.adjust(parent, 0, this.#branches.insertText({ parent, key: PRIORITY }, priority, text))
  }

  /** As `BranchWriter.stage`. */
  stage(value: StagedValue): Generator<void, void> {
    return this.#branches.stage(value)
  }

  /** Staged values that were not attached are removed like deleted subtrees from now on. */
  release(values: readonly StagedValue[]): void {
    for (const value of values) this.#staged.release(value)
  }

  /** Removes a slot, and every ancestor that loses its last child. */
  #removeSlot(slotPath: readonly PathSlot[], slot: Slot): void {
    if (slot.id !== null) this.#detach(slot.id)
    for (const { parent, key } of slotPath.toReversed()) {
      this.rows.remove(parent, sortKey(key))
      if (parent === ROOT_PARENT) return
      this.rows.adjust(parent, -1, 0)
      if (this.rows.childCount(parent) > 0) return
      this.#removeEmpty(parent)
    }
  }

  #detach(id: number): void {
    this.#deletedSubtrees.detach(id)
    this.#interiors.clear()
  }

  #removeEmpty(id: number): void {
    this.#interiors.clear()
    this.#deletedSubtrees.dropIndexes(id)
    this.rows.removeInterior(id)
  }
}
