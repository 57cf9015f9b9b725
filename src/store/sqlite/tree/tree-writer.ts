import { and, eq, sql } from 'drizzle-orm'
import { edit } from '../../../tree/edit.ts'
import { memberKeysInSteps } from '../../../tree/json/member-keys.ts'
import { type JsonText, parseStored, print, printWithin } from '../../../tree/json/print.ts'
import { printInSteps } from '../../../tree/json/print-steps.ts'
import { collected, joined } from '../../../tree/json/text-pieces.ts'
import { PRIORITY } from '../../../tree/key.ts'
import { sortKey } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import { type Branch, isBranch, type Leaf, ownMember, type Value } from '../../../tree/value.ts'
import type { Write } from '../../../tree/write.ts'
import { type Connection, setSpilling } from '../file/connection.ts'
import { closure, detached, interior, node } from '../file/schema.ts'
import type { IndexMaintenance } from '../indexes/maintenance.ts'
import { IndexWriteHook, type PathSlot } from '../indexes/write-hook.ts'
import { type StagedValue, StagedValues } from '../staging/staged-values.ts'
import type { DeletedSubtrees } from './deleted-subtrees.ts'
import { kindOf, NOWHERE, ROOT_KEY, ROOT_PARENT, type Slot, SlotKind, Trait, traitsOf } from './slot.ts'
import type { TreeReader } from './tree-reader.ts'

/** Rows written between two pauses of a long write. */
const STEP_ROWS = 128
/** Text written between two pauses of a long write, in UTF-16 code units. */
const STEP_LENGTH = 64 * 1024
/** Text of one leaf that takes milliseconds to print, and to put, in UTF-16 code units. */
const LONG_TEXT = 512 * 1024
/** Stands for a moment where a long text is replaced by another one. */
const EMPTY_TEXT = '""'
/** Text put in one transaction from which its pages are not kept until it commits, in UTF-16 code units. */
const SPILLING_LENGTH = 2 * 1024 * 1024
/** Parents, and children of one, that are remembered. */
const MAX_CACHED_INTERIORS = 256

/** A slot by its place, with the key as people write it. */
interface SlotAddress {
  readonly parent: number
  readonly key: string
}

/** A text that is ready to be put below an interior node. */
export interface PreparedText {
  /** As it stands in the table. */
  readonly key: string
  readonly kind: number
  readonly text: JsonText
  /** What it brings its parent. */
  readonly traits: number
  /** What has to be in the slot: this text, nothing (`undefined`), or anything but an interior node. */
  readonly expected: { readonly text: JsonText } | undefined | 'any'
}

const ROOT_ADDRESS: SlotAddress = { parent: ROOT_PARENT, key: ROOT_KEY }

/**
 * Changes the tree inside the writer's open transaction. Long writes are generators that pause between bounded steps;
 * nobody else uses the connection meanwhile.
 */
export class TreeWriter {
  readonly #connection: Connection
  readonly #reader: TreeReader
  readonly #deletedSubtrees: DeletedSubtrees
  readonly #indexes: IndexMaintenance
  readonly #indexHook: IndexWriteHook
  readonly #inlineLength: number
  #nextId: number
  #rowsSincePause = 0
  #lengthSincePause = 0
  readonly #staged: StagedValues
  /** Ids for the interior nodes that are to stand above staged values, by their values. */
  readonly #idsAbove = new Map<Branch, number>()
  /** Text put in this transaction, in UTF-16 code units. */
  #length = 0
  #isSpilling = false
  /** Whether the last text put stood where nothing was. */
  #wasNew = false
  /** What the parent of the last texts put has not been told yet. */
  #pendingUpdate: { readonly parent: number; by: number; traits: number } | undefined
  /** Interior slots by parent and key: most writes go the way of the one before. */
  readonly #interiors = new Map<number, Map<string, Slot>>()

  readonly #upsert
  readonly #upsertBytes
  readonly #overwrite
  readonly #overwriteExpected
  readonly #insertNew
  readonly #remove
  readonly #insertInterior
  readonly #insertClosure
  readonly #adjust
  readonly #removeInterior
  readonly #removeClosure
  readonly #childCount

  /** @param inlineLength longest text of a subtree that becomes one row, in UTF-16 code units; 0 for none */
  constructor(
    connection: Connection,
    reader: TreeReader,
    deletedSubtrees: DeletedSubtrees,
    indexes: IndexMaintenance,
    inlineLength: number,
  ) {
    const { client, orm } = connection
    this.#connection = connection
    this.#reader = reader
    this.#deletedSubtrees = deletedSubtrees
    this.#staged = new StagedValues(connection, deletedSubtrees)
    this.#indexes = indexes
    this.#indexHook = new IndexWriteHook(indexes.definitions, indexes.entries, reader, indexes.neighbors)
    this.#inlineLength = inlineLength
    const id = sql.placeholder('id')
    const address = and(eq(node.parentId, sql.placeholder('parent')), eq(node.key, sql.placeholder('key')))
    // Raw, because this is the bulk row loop and Drizzle's prepared insert costs more.
    this.#upsert = client.prepare<unknown, [number, string, number, string | null, number | null]>(
      'INSERT INTO node(parent_id, key, kind, value, id) VALUES (?, ?, ?, ?, ?) ' +
        'ON CONFLICT DO UPDATE SET kind = excluded.kind, value = excluded.value, id = excluded.id',
    )
    this.#upsertBytes = client.prepare<unknown, [number, string, number, Uint8Array]>(
      'INSERT INTO node(parent_id, key, kind, value) VALUES (?, ?, ?, CAST(? AS TEXT)) ' +
        'ON CONFLICT DO UPDATE SET kind = excluded.kind, value = excluded.value, id = NULL',
    )
    this.#overwrite = client.prepare<unknown, [number, string, number, string]>(
      'UPDATE node SET kind = ?, value = ? WHERE parent_id = ? AND key = ? AND id IS NULL',
    )
    this.#overwriteExpected = client.prepare<unknown, [number, string, number, string, string]>(
      'UPDATE node SET kind = ?, value = ? WHERE parent_id = ? AND key = ? AND id IS NULL AND value = ?',
    )
    this.#insertNew = client.prepare<unknown, [number, string, number, string]>(
      'INSERT INTO node(parent_id, key, kind, value) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    )
    this.#insertClosure = client.prepare<unknown, [number, number]>(
      'INSERT INTO closure(ancestor, descendant, depth) ' +
        'SELECT ancestor, ?1, depth + 1 FROM closure WHERE descendant = ?2 UNION ALL SELECT ?1, ?1, 0',
    )
    this.#remove = orm.delete(node).where(address).prepare()
    this.#insertInterior = orm
      .insert(interior)
      .values({
        id: sql.placeholder('id'),
        parentId: sql.placeholder('parent'),
        key: sql.placeholder('key'),
        childCount: sql.placeholder('childCount'),
        traits: sql.placeholder('traits'),
      })
      .prepare()
    this.#adjust = orm
      .update(interior)
      .set({
        childCount: sql`${interior.childCount} + ${sql.placeholder('by')}`,
        traits: sql`${interior.traits} | ${sql.placeholder('traits')}`,
      })
      .where(eq(interior.id, id))
      .prepare()
    this.#childCount = orm.select({ count: interior.childCount }).from(interior).where(eq(interior.id, id)).prepare()
    this.#removeInterior = orm.delete(interior).where(eq(interior.id, id)).prepare()
    this.#removeClosure = orm.delete(closure).where(eq(closure.descendant, id)).prepare()
    const last = orm
      .select({ id: sql<number | null>`max(${interior.id})` })
      .from(interior)
      .get()
    // A cut-off node may be gone already and still be listed: whoever took its number would be swept in its place.
    const lastCut = orm
      .select({ id: sql<number | null>`max(${detached.id})` })
      .from(detached)
      .get()
    this.#nextId = Math.max(last?.id ?? 0, lastCut?.id ?? 0) + 1
  }

  /**
   * Applies one write; what it leaves empty vanishes, upwards too.
   * @param inside staged values that stand inside the value written
   * @returns stored text of the value written, if it was printed as a whole
   */
  *apply(write: Write, inside: readonly StagedValue[] = []): Generator<void, JsonText | undefined> {
    const { slotPath, replaced: target } = this.#slotsTo(write)
    let printed: JsonText | undefined
    if (target !== undefined) {
      if (write.kind === 'value' && write.value !== undefined && !this.#hasIndexOn(slotPath)) {
        const { value } = write
        if (typeof value === 'string' && value.length > LONG_TEXT) {
          yield
          printed = joined(yield* collected((sink) => printInSteps(value, 'stored', sink)))
        } else printed = printWithin(value, this.#inlineLength)
        const isLong = printed !== undefined && printed.length > LONG_TEXT
        if (printed !== undefined && !isLong && this.#putText(target, write.value, printed)) return printed
      }
      slotPath.push({ ...target, slot: this.#slot(target.parent, sortKey(target.key), true) })
    }
    // From here on children may be counted.
    this.flushParentUpdate()
    const updateIndexes = this.#indexHook.beforeWrite(write, slotPath)
    const { slot } = lastOf(slotPath)
    const rest = write.path.slice(slotPath.length - 1)
    if (slot !== undefined && slot.id !== null && write.kind === 'priority') {
      this.#setPriority(slot.id, write.priority)
      updateIndexes?.(undefined)
      return undefined
    }
    const old = slot === undefined || slot.value === null ? undefined : slot.value
    const replaced = rest.length === 0 && write.kind === 'value'
    const value = replaced ? write.value : edit(old === undefined ? undefined : parseStored(old), rest, write)
    if (value === undefined) {
      if (slot !== undefined) this.#removeSlot(slotPath, slot)
      updateIndexes?.(undefined)
      return undefined
    }
    for (const each of inside) this.#chooseIdsAbove(value, [...rest, ...each.path], each.value)
    if (write.kind === 'value' && isBranch(write.value)) this.#chooseIdsAbove(value, rest, write.value)
    const text = yield* this.#replace(lastOf(slotPath), value, printed)
    this.#idsAbove.clear()
    updateIndexes?.(value)
    return replaced ? text : undefined
  }

  /**
   * The slots from the root down to where a write ends: at the place itself, or at the text or gap it lies in. A place
   * whose old text does not matter, because it is replaced and no index must know what was there, is not read.
   */
  #slotsTo({ kind, path }: Write): { slotPath: PathSlot[]; replaced: SlotAddress | undefined } {
    const replaces = kind === 'value'
    let slot = this.#slot(ROOT_PARENT, ROOT_KEY, replaces && path.length === 0)
    const slotPath: PathSlot[] = [{ ...ROOT_ADDRESS, slot }]
    for (const key of path) {
      if (slot === undefined || slot.id === null) break
      const parent = slot.id
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

  /** Puts a text where another one stands, or nothing, without looking first. @returns `false` for an interior node */
  #putText({ parent, key }: SlotAddress, value: Value, text: JsonText): boolean {
    return this.#put(parent, sortKey(key), kindOf(value), text, traitsOf(key, text))
  }

  #put(parent: number, key: string, kind: number, text: JsonText, traits: number): boolean {
    // Mostly it is as it was the last time, so that is tried first.
    let isNew = this.#wasNew && this.#insertNew.run(parent, key, kind, text).changes > 0
    if (!isNew && this.#overwrite.run(kind, text, parent, key).changes === 0) {
      isNew = !this.#wasNew && this.#insertNew.run(parent, key, kind, text).changes > 0
      if (!isNew) return false
    }
    this.#wasNew = isNew
    this.#countText(text.length)
    this.#deferParentUpdate(parent, !isNew, traits)
    return true
  }

  /**
   * Puts a prepared text below an interior node that no index watches.
   * @returns `false`, with nothing written, when the slot is an interior node or its text is not the expected one
   */
  putPrepared(parent: number, { key, kind, text, traits, expected }: PreparedText): boolean {
    if (expected === 'any') return this.#put(parent, key, kind, text, traits)
    const { changes } =
      expected === undefined
        ? this.#insertNew.run(parent, key, kind, text)
        : this.#overwriteExpected.run(kind, text, parent, key, expected.text)
    if (changes === 0) return false
    this.#countText(text.length)
    this.#deferParentUpdate(parent, expected !== undefined, traits)
    return true
  }

  /** The interior node at a path in the open transaction, and whether an index watches what is below it. */
  interiorAt(path: Path): { readonly id: number; readonly isIndexed: boolean } | undefined {
    let id = this.#slot(ROOT_PARENT, ROOT_KEY, false)?.id
    if (typeof id !== 'number') return undefined
    let isIndexed = this.#indexHook.hasIndex(id)
    for (const key of path) {
      id = this.#slot(id, sortKey(key), false)?.id
      if (typeof id !== 'number') return undefined
      isIndexed ||= this.#indexHook.hasIndex(id)
    }
    return { id, isIndexed }
  }

  /** The text of a value that becomes one row; `undefined` for a longer one. */
  textOf(value: Value): JsonText | undefined {
    return printWithin(value, this.#inlineLength)
  }

  /** As `tellParent`, but once for many children in a row. */
  #deferParentUpdate(parent: number, isOld: boolean, traits: number): void {
    if (parent === ROOT_PARENT) return
    const pending = this.#pendingUpdate
    if (pending !== undefined && pending.parent === parent) {
      if (!isOld) pending.by++
      pending.traits |= isOld ? traits & ~Trait.carefulKeys : traits
      return
    }
    this.flushParentUpdate()
    this.#pendingUpdate = { parent, by: isOld ? 0 : 1, traits: isOld ? traits & ~Trait.carefulKeys : traits }
  }

  /** Counts the children that were put last. To follow behind the last write of a change. */
  flushParentUpdate(): void {
    const pending = this.#pendingUpdate
    this.#pendingUpdate = undefined
    if (pending !== undefined && (pending.by !== 0 || pending.traits !== 0)) {
      this.#adjust.run({ id: pending.parent, by: pending.by, traits: pending.traits })
    }
  }

  /**
   * Puts a value where a slot or nothing was.
   * @param printed its text, where it is known to be one slot
   * @returns its text, if it is one slot
   */
  *#replace(address: PathSlot, value: Value, printed: JsonText | undefined): Generator<void, JsonText | undefined> {
    const { slot } = address
    if (isBranch(value)) yield
    const text = printed ?? printWithin(value, this.#inlineLength)
    const becomesList = text === undefined && isBranch(value)
    if (slot !== undefined && slot.id !== null) {
      if (becomesList) this.#indexes.inherit(slot.id, this.#idFor(value, address.parent))
      this.#cut(slot.id)
    }
    const traits = becomesList
      ? yield* this.#insertBranch(address, value)
      : yield* this.#insert(address, value, text ?? '')
    this.#updateParent(address, slot !== undefined, traits)
    return text
  }

  /** Whether so much was put in this transaction that its pages are not kept until it commits. */
  get isSpilling(): boolean {
    return this.#isSpilling
  }

  /** The transaction has committed. */
  ended(): void {
    this.#length = 0
    if (!this.#isSpilling) return
    this.#isSpilling = false
    setSpilling(this.#connection, false)
  }

  #countText(length: number): void {
    this.#rowsSincePause++
    this.#lengthSincePause += length
    this.#length += length
    if (this.#isSpilling || this.#length < SPILLING_LENGTH) return
    this.#isSpilling = true
    setSpilling(this.#connection, true)
  }

  /** A slot in the open transaction: those of interior nodes are mostly known. @param key as it stands in the table */
  slot(parent: number, key: string): Slot | undefined {
    return this.#slot(parent, key, false)
  }

  /** Forgets where interior nodes stand: some were made or removed. */
  forget(): void {
    this.#interiors.clear()
  }

  /** A transaction was taken back. */
  reset(): void {
    this.#pendingUpdate = undefined
    this.#idsAbove.clear()
    this.#staged.reset()
    this.forget()
    this.ended()
  }

  /** @param replaced whether the slot is going to be written over, so that its text does not matter */
  #slot(parent: number, key: string, replaced: boolean): Slot | undefined {
    const known = this.#interiors.get(parent)?.get(key)
    if (known !== undefined) return known
    const slot = replaced ? this.#reader.outline(parent, key) : this.#reader.slot(parent, key)
    if (slot !== undefined && slot.id !== null) this.#remember(parent, key, slot)
    return slot
  }

  #remember(parent: number, key: string, slot: Slot): void {
    if (this.#interiors.size >= MAX_CACHED_INTERIORS) this.#interiors.clear()
    const siblings = this.#interiors.get(parent)
    if (siblings === undefined) this.#interiors.set(parent, new Map([[key, slot]]))
    else if (siblings.size < MAX_CACHED_INTERIORS) siblings.set(key, slot)
  }

  #setPriority(parent: number, priority: Leaf | undefined): void {
    const address = { parent, key: PRIORITY }
    if (priority === undefined) {
      this.#remove.run(address)
      return
    }
    const traits = this.#insertText(address, priority, print(priority, 'stored'))
    this.#adjust.run({ id: parent, by: 0, traits })
  }

  /** Counts a new child, and notes what a reader must look out for now. */
  #updateParent(address: SlotAddress, isOld: boolean, traits: number): void {
    if (address.parent === ROOT_PARENT) return
    const by = isOld ? 0 : 1
    // A replaced child's key is known already: only its text can be news.
    if (by !== 0 || (traits & ~Trait.carefulKeys) !== 0) this.#adjust.run({ id: address.parent, by, traits })
  }

  /** Writes a value as one slot. @returns the traits it brings its parent */
  #insertText(address: SlotAddress, value: Value, text: JsonText): number {
    this.#upsert.run(address.parent, sortKey(address.key), kindOf(value), text, null)
    this.#countText(text.length)
    return traitsOf(address.key, text)
  }

  /** As `#insertText`; a long text in several steps, as bytes, which SQLite takes faster than a long string. */
  *#insert(address: SlotAddress, value: Value, text: JsonText): Generator<void, number> {
    if (text.length <= LONG_TEXT) return this.#insertText(address, value, text)
    yield
    const bytes = Buffer.from(text)
    const key = sortKey(address.key)
    yield
    // To remove a long text that stood there takes as long as to write one.
    this.#overwrite.run(kindOf(value), EMPTY_TEXT, address.parent, key)
    yield
    this.#upsertBytes.run(address.parent, key, kindOf(value), bytes)
    this.#countText(text.length)
    yield
    return traitsOf(address.key, text)
  }

  /** Writes a value as an interior node and the slots below it. @returns the traits it brings its parent */
  *#insertBranch(address: SlotAddress, branch: Branch): Generator<void, number> {
    const { parent } = address
    const key = sortKey(address.key)
    const id = this.#idFor(branch, parent)
    if (id === this.#nextId) this.#nextId++
    const staged = this.#staged.find(branch, parent)
    if (staged === undefined) yield* this.#insertInteriorNode(id, address, branch)
    else {
      this.#upsert.run(parent, key, SlotKind.interior, null, id)
      yield* this.#staged.attach(staged, parent, key)
    }
    return traitsOf(address.key, undefined)
  }

  /** The id that a value will have as an interior node. */
  #idFor(branch: Branch, parent: number): number {
    return this.#staged.find(branch, parent)?.id ?? this.#idsAbove.get(branch) ?? this.#nextId
  }

  /** Ids grow downwards, so nodes that are made above a staged value take the ids that were reserved below its own. */
  #chooseIdsAbove(value: Value, path: Path, branch: Branch): void {
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

  /**
   * Writes a value apart from the tree. `apply` attaches it where a write has this very object. What is written may be
   * spread over several transactions; until it is attached it is listed as cut off.
   */
  *stage({ path, value }: StagedValue): Generator<void, void> {
    const reserved = path.map(() => this.#nextId++)
    const id = this.#nextId++
    this.#staged.begin(value, id, reserved)
    yield* this.#insertInteriorNode(id, undefined, value)
  }

  /** Staged values that were not attached are swept from now on. */
  release(values: readonly StagedValue[]): void {
    for (const { value } of values) this.#staged.release(value)
  }

  /** @param place its slot; without one the node is no part of the tree */
  *#insertInteriorNode(id: number, address: SlotAddress | undefined, branch: Branch): Generator<void, void> {
    const parent = address?.parent ?? NOWHERE
    const key = address === undefined ? ROOT_KEY : sortKey(address.key)
    const keys = yield* memberKeysInSteps(branch)
    const childCount = keys.length - (keys.includes(PRIORITY) ? 1 : 0)
    if (address !== undefined) this.#upsert.run(parent, key, SlotKind.interior, null, id)
    this.#insertClosure.run(id, parent)
    this.#insertInterior.run({ id, parent, key, childCount, traits: 0 })
    let traits = 0
    for (const member of keys) {
      const value = ownMember(branch, member)
      if (value === undefined) continue
      const child = { parent: id, key: member }
      const text = printWithin(value, this.#inlineLength)
      if (text !== undefined && text.length > LONG_TEXT) traits |= yield* this.#insert(child, value, text)
      else if (text !== undefined) traits |= this.#insertText(child, value, text)
      else if (isBranch(value)) traits |= yield* this.#insertBranch(child, value)
      if (this.#rowsSincePause >= STEP_ROWS || this.#lengthSincePause >= STEP_LENGTH) {
        this.#rowsSincePause = 0
        this.#lengthSincePause = 0
        yield
      }
    }
    if (traits !== 0) this.#adjust.run({ id, by: 0, traits })
  }

  /** Removes a slot and every ancestor that it leaves without a child. */
  #removeSlot(slotPath: readonly SlotAddress[], slot: Slot): void {
    if (slot.id !== null) this.#cut(slot.id)
    for (const address of slotPath.toReversed()) {
      this.#remove.run({ parent: address.parent, key: sortKey(address.key) })
      if (address.parent === ROOT_PARENT) return
      this.#adjust.run({ id: address.parent, by: -1, traits: 0 })
      if ((this.#childCount.get({ id: address.parent })?.count ?? 0) > 0) return
      this.#removeEmpty(address.parent)
    }
  }

  #cut(id: number): void {
    this.#deletedSubtrees.cut(id)
    this.forget()
  }

  #removeEmpty(id: number): void {
    this.forget()
    this.#deletedSubtrees.dropIndexes(id)
    this.#remove.run({ parent: id, key: PRIORITY })
    this.#removeClosure.run({ id })
    this.#removeInterior.run({ id })
  }
}

function lastOf(slotPath: readonly PathSlot[]): PathSlot {
  return slotPath[slotPath.length - 1] ?? { ...ROOT_ADDRESS, slot: undefined }
}
