import { edit } from '../../../tree/edit.ts'
import { type JsonText, parseStored } from '../../../tree/json/print.ts'
import { sortKey } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import type { Value } from '../../../tree/value.ts'
import type { Write } from '../../../tree/write.ts'
import { kindOf, traitsOf } from '../../rows/slot.ts'
import type { PreparedText } from '../../rows/write-plan.ts'
import { INSERTED_AT_ONCE, isShortText } from '../tree/new-texts.ts'
import type { TreeWriter } from '../tree/tree-writer.ts'
import { type Group, GroupedWrites, phaseOf } from './grouped-writes.ts'
import { isLarge, type StagedValue } from './staged-values.ts'

/** Maximum length of the old and new texts kept for one change, in UTF-16 code units. */
const MAX_LENGTH = 8 * 1024 * 1024
/** Writes prepared, or texts written, between two pauses. */
const STEP_WRITES = 16

/** The planned content of one slot. */
interface PreparedSlot {
  readonly path: Path
  readonly value: Value | undefined
  /** Text of the slot when the value was computed; `undefined` for none. Ignored for a single write. */
  readonly old: JsonText | undefined
  /** Set for a value that becomes one row. */
  readonly ready: PreparedText | undefined
  readonly isSingle: boolean
  /** Indexes of the writes that end there. */
  readonly writes: readonly number[]
}

/** Planned slots below one interior node. */
interface PreparedParent {
  readonly id: number
  readonly path: Path
  readonly slots: PreparedSlot[]
}

/**
 * The slots of a change of many writes, computed before its transaction in steps that may be spread over other
 * transactions. In its own transaction a prepared slot is written if its old text is unchanged; all other writes are
 * applied there.
 */
export class PreparedWrites {
  readonly #writer: TreeWriter
  readonly #writes: readonly Write[]
  readonly #parents = new Map<number, PreparedParent>()
  readonly #staged: PreparedSlot[] = []
  #length = 0
  #sincePause = 0

  constructor(writer: TreeWriter, writes: readonly Write[]) {
    this.#writer = writer
    this.#writes = writes
  }

  /** Whether it was prepared from these very writes. */
  isOf(writes: readonly Write[]): boolean {
    if (writes === this.#writes) return true
    return writes.length === this.#writes.length && writes.every((write, index) => write === this.#writes[index])
  }

  /** Values to write ahead of the commit: those computed here, and large ones of single writes. */
  staged(large: readonly StagedValue[]): StagedValue[] {
    const inside = new Set<unknown>()
    const values: StagedValue[] = []
    for (const { path, value, writes } of this.#staged) {
      for (const index of writes) inside.add(valueWritten(this.#writes[index]))
      if (value !== undefined && isLarge(value)) values.push({ path, value })
    }
    return [...large.filter(({ value }) => !inside.has(value)), ...values]
  }

  /** Computes the slots of all writes of the first phase: later phases depend on its result. */
  *prepare(): Generator<void> {
    const first = this.#writes[0]
    if (first === undefined || first.kind === 'priority') return
    const phase = phaseOf(first)
    const groups = new GroupedWrites(this.#writer, this.#writes)
    for (const [index, write] of this.#writes.entries()) {
      if (phaseOf(write) !== phase || this.#isFull) break
      if (!groups.add(index, write)) this.#prepareSingle(index, write)
      if (index % STEP_WRITES === STEP_WRITES - 1) yield
    }
    for (const group of groups.take()) {
      if (this.#isFull) return
      yield* this.#prepareGroup(group)
    }
  }

  get #isFull(): boolean {
    return this.#length > MAX_LENGTH
  }

  #prepareSingle(index: number, write: Write): void {
    const { path } = write
    const key = path.at(-1)
    if (write.kind === 'priority' || write.value === undefined || key === undefined) return
    const text = this.#writer.textOf(write.value)
    const parent = this.#writer.interiorAt(path.slice(0, -1))
    if (text === undefined || parent === undefined) return
    const ready = readyText(key, write.value, text, 'any')
    this.#keep(parent.id, { path, value: write.value, old: undefined, ready, isSingle: true, writes: [index] })
  }

  *#prepareGroup({ parent, key, path, writes }: Group): Generator<void> {
    const slot = this.#writer.slot(parent, sortKey(key))
    // The root has no parent to examine. A text in chunks, or an interior node that was made there meanwhile.
    if (path.length === 0 || (slot !== undefined && slot.id !== null)) return
    const old = slot?.value ?? undefined
    let value = old === undefined ? undefined : parseStored(old)
    for (const [number, { write }] of writes.entries()) {
      value = edit(value, write.path, write, path.length)
      if (number % STEP_WRITES === STEP_WRITES - 1) yield
    }
    const text = value === undefined ? undefined : this.#writer.textOf(value)
    const expected = old === undefined ? undefined : { text: old }
    const ready = value === undefined || text === undefined ? undefined : readyText(key, value, text, expected)
    const indexes = writes.map(({ index }) => index)
    const prepared: PreparedSlot = { path, value, old, ready, isSingle: false, writes: indexes }
    if (ready === undefined && value !== undefined) this.#staged.push(prepared)
    this.#keep(parent, prepared)
    if (this.#paused(writes.length)) yield
  }

  #keep(id: number, slot: PreparedSlot): void {
    this.#length += (slot.old?.length ?? 0) + (slot.ready?.text.length ?? 0)
    const parent = this.#parents.get(id)
    if (parent === undefined) this.#parents.set(id, { id, path: slot.path.slice(0, -1), slots: [slot] })
    else parent.slots.push(slot)
  }

  /** Counts writes. @returns whether a pause is due */
  #paused(writes: number): boolean {
    this.#sincePause += writes
    if (this.#sincePause < STEP_WRITES) return false
    this.#sincePause = 0
    return true
  }

  /** Whether a value that was written ahead must be computed again. */
  get isOutdated(): boolean {
    return this.#staged.some((slot) => {
      const parent = this.#writer.interiorAt(slot.path.slice(0, -1))
      return parent === undefined || !this.#holdsOld(parent.id, slot)
    })
  }

  /** @returns stored text of each value written, where it was printed as a whole */
  *apply(): Generator<void, readonly (JsonText | undefined)[]> {
    const texts: (JsonText | undefined)[] = new Array(this.#writes.length).fill(undefined)
    const isDone = new Uint8Array(this.#writes.length)
    for (const parent of this.#parents.values()) {
      const stands = this.#writer.interiorAt(parent.path)
      if (stands?.id !== parent.id) continue
      const done = (slot: PreparedSlot) => {
        for (const index of slot.writes) isDone[index] = 1
        const [only] = slot.writes
        if (slot.isSingle && only !== undefined) texts[only] = slot.ready?.text
      }
      let together: ShortSlot[] = []
      for (const slot of parent.slots) {
        if (stands.isIndexed || !isShort(slot)) {
          if (yield* this.#applySlot(parent.id, slot, stands.isIndexed)) done(slot)
          continue
        }
        together.push(slot)
        if (together.length < INSERTED_AT_ONCE) continue
        yield* this.#applyTogether(parent.id, together, done)
        together = []
      }
      yield* this.#applyTogether(parent.id, together, done)
    }
    yield* this.#applyOthers(isDone, texts)
    return texts
  }

  *#applyTogether(parent: number, slots: readonly ShortSlot[], done: (slot: PreparedSlot) => void): Generator<void> {
    if (this.#paused(slots.length)) yield
    const texts = slots.map(({ ready }) => ready)
    for (const [index, isWritten] of this.#writer.rows.putAll(parent, texts).entries()) {
      if (isWritten) done(slots[index] as ShortSlot)
    }
  }

  *#applySlot(parent: number, slot: PreparedSlot, isIndexed: boolean): Generator<void, boolean> {
    if (this.#paused(1)) yield
    const { ready, path, value, isSingle } = slot
    if (!isIndexed && ready !== undefined) return this.#writer.rows.putPrepared(parent, ready)
    if (isSingle || !this.#holdsOld(parent, slot)) return false
    yield* this.#writer.apply({ kind: 'value', path, value })
    return true
  }

  #holdsOld(parent: number, { path, old }: PreparedSlot): boolean {
    const slot = this.#writer.slot(parent, sortKey(path.at(-1) ?? ''))
    return old === undefined ? slot === undefined : slot?.id === null && slot.value === old
  }

  *#applyOthers(isDone: Uint8Array, texts: (JsonText | undefined)[]): Generator<void> {
    const others: number[] = []
    const writes: Write[] = []
    for (let index = isDone.indexOf(0); index >= 0; index = isDone.indexOf(0, index + 1)) {
      others.push(index)
      writes.push(this.#writes[index] as Write)
      if (others.length % STEP_WRITES === 0) yield
    }
    if (others.length === 0) return
    const printed = yield* new GroupedWrites(this.#writer, writes).apply()
    for (const [number, index] of others.entries()) texts[index] = printed[number]
  }
}

/** A slot whose text may replace any other one, and is written together with others. */
type ShortSlot = PreparedSlot & { readonly ready: PreparedText }

function isShort(slot: PreparedSlot): slot is ShortSlot {
  return slot.isSingle && slot.ready !== undefined && isShortText(slot.ready.text)
}

function valueWritten(write: Write | undefined): Value | undefined {
  return write?.kind === 'value' ? write.value : undefined
}

function readyText(key: string, value: Value, text: JsonText, expected: PreparedText['expected']): PreparedText {
  return { key: sortKey(key), kind: kindOf(value), text, traits: traitsOf(key, text), expected }
}
