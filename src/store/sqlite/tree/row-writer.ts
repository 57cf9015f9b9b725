import { and, eq, sql } from 'drizzle-orm'
import type { JsonText } from '../../../tree/json/print.ts'
import { PRIORITY } from '../../../tree/key.ts'
import { ROOT_PARENT, replacementTraits, SlotKind } from '../../rows/slot.ts'
import type { PreparedText } from '../../rows/write-plan.ts'
import { type Connection, setSpilling } from '../file/connection.ts'
import { closure, detached, interior, node } from '../file/schema.ts'
import { defineStatements } from '../file/statements.ts'
import { INSERTED_AT_ONCE, NewTexts } from './new-texts.ts'
import { TextChunks } from './text-chunks.ts'

/** Rows written between two pauses of a long write. */
const STEP_ROWS = 128
/** Text written between two pauses of a long write, in UTF-16 code units. */
const STEP_LENGTH = 64 * 1024
/** Text written in one transaction, in UTF-16 code units, from which SQLite moves pages to the log before the commit. */
const SPILLING_LENGTH = 2 * 1024 * 1024
/** What a row counts as beside its text: it may be the only one of its page that changes. */
const ROW_LENGTH = 1024
/** Interior nodes whose traits are remembered. */
const MAX_KNOWN = 4096

const ID = sql.placeholder('id')
const ADDRESS = and(eq(node.parentId, sql.placeholder('parent')), eq(node.key, sql.placeholder('key')))
const OVERWRITE = 'UPDATE node SET kind = ?, value = ? WHERE parent_id = ? AND key = ? AND id IS NULL'

const statements = defineStatements({
  // Raw SQL: these statements write every row, and Drizzle's prepared insert costs more.
  upsert: ({ client }) =>
    client.prepare<unknown, [number, string, number, string | null, number | null]>(
      'INSERT INTO node(parent_id, key, kind, value, id) VALUES (?, ?, ?, ?, ?) ' +
        'ON CONFLICT DO UPDATE SET kind = excluded.kind, value = excluded.value, id = excluded.id',
    ),
  overwrite: ({ client }) => client.prepare<unknown, [number, string, number, string]>(OVERWRITE),
  overwriteExpected: ({ client }) =>
    client.prepare<unknown, [number, string, number, string, string]>(`${OVERWRITE} AND value = ?`),
  insertClosure: ({ client }) =>
    client.prepare<unknown, [number, number]>(
      'INSERT INTO closure(ancestor, descendant, depth) ' +
        'SELECT ancestor, ?1, depth + 1 FROM closure WHERE descendant = ?2 UNION ALL SELECT ?1, ?1, 0',
    ),
  insertInterior: ({ client }) =>
    client.prepare<unknown, [number, number, string, number, number]>(
      'INSERT INTO interior(id, parent_id, key, child_count, traits) VALUES (?, ?, ?, ?, ?)',
    ),
  remove: ({ orm }) => orm.delete(node).where(ADDRESS).prepare(),
  adjust: ({ orm }) =>
    orm
      .update(interior)
      .set({
        childCount: sql`${interior.childCount} + ${sql.placeholder('by')}`,
        traits: sql`${interior.traits} | ${sql.placeholder('traits')}`,
      })
      .where(eq(interior.id, ID))
      .prepare(),
  childCount: ({ orm }) =>
    orm.select({ count: interior.childCount }).from(interior).where(eq(interior.id, ID)).prepare(),
  removeInterior: ({ orm }) => orm.delete(interior).where(eq(interior.id, ID)).prepare(),
  removeClosure: ({ orm }) => orm.delete(closure).where(eq(closure.descendant, ID)).prepare(),
})

/** Writes the rows of slots and interior nodes inside the writer's open transaction. Keys are encoded by `sortKey`. */
export class RowWriter {
  readonly #statements
  readonly #connection: Connection
  readonly #newTexts: NewTexts
  readonly chunks: TextChunks
  #rowsSincePause = 0
  #lengthSincePause = 0
  /** Text written in this transaction, in UTF-16 code units. */
  #length = 0
  #isSpilling = false
  /** Whether the last text was written into a new slot. */
  #wasNew = false
  /** The update of a parent for the last texts written below it. */
  #pendingUpdate: { readonly parent: number; by: number; traits: number } | undefined
  /** Traits that interior nodes have. They are never cleared, and the id of a removed node is not used again. */
  readonly #knownTraits = new Map<number, number>()

  constructor(connection: Connection) {
    this.#statements = statements(connection)
    this.#connection = connection
    this.#newTexts = new NewTexts(connection)
    this.chunks = new TextChunks(connection)
  }

  /** The greatest id in use. A detached node can be gone and still be listed: its id must not be used again. */
  greatestId(): number {
    const { orm } = this.#connection
    const greatest = (column: typeof interior.id | typeof detached.id) => sql<number | null>`max(${column})`
    const last = orm
      .select({ id: greatest(interior.id) })
      .from(interior)
      .get()
    const lastDetached = orm
      .select({ id: greatest(detached.id) })
      .from(detached)
      .get()
    return Math.max(last?.id ?? 0, lastDetached?.id ?? 0)
  }

  /** Writes a text over another text or into a new slot, without reading first. @returns `false` for an interior node */
  put(parent: number, key: string, kind: number, text: JsonText, traits: number): boolean {
    // The slot is most likely new, or old, as the one before it was.
    let isNew = this.#wasNew && this.#newTexts.insert(parent, key, kind, text)
    if (!isNew && this.#statements.overwrite.run(kind, text, parent, key).changes === 0) {
      isNew = !this.#wasNew && this.#newTexts.insert(parent, key, kind, text)
      if (!isNew) return false
    }
    this.#wasNew = isNew
    this.countText(text.length)
    this.#deferParentUpdate(parent, isNew ? 1 : 0, traits)
    return true
  }

  /** Writes a prepared text. @returns `false`, with nothing written, when the slot does not hold what is expected */
  putPrepared(parent: number, { key, kind, text, traits, expected }: PreparedText): boolean {
    if (expected === 'any') return this.put(parent, key, kind, text, traits)
    const isWritten =
      expected === undefined
        ? this.#newTexts.insert(parent, key, kind, text)
        : this.#statements.overwriteExpected.run(kind, text, parent, key, expected.text).changes > 0
    if (!isWritten) return false
    this.countText(text.length)
    this.#deferParentUpdate(parent, expected === undefined ? 1 : 0, traits)
    return true
  }

  /**
   * As `putPrepared`, for short texts that may replace any other ones. Many are inserted at once where the last one was new.
   * @returns for each whether it was written
   */
  putAll(parent: number, texts: readonly PreparedText[]): readonly boolean[] {
    if (!this.#wasNew || texts.length !== INSERTED_AT_ONCE) return texts.map((text) => this.putPrepared(parent, text))
    const inserted = this.#newTexts.insertMany(parent, texts)
    // Replacing shows whether it was an interior node or a text. One that was just inserted is replaced by itself.
    this.#wasNew = inserted === texts.length
    let added = 0
    const written = texts.map(({ key, kind, text, traits }) => {
      if (!this.#wasNew && this.#statements.overwrite.run(kind, text, parent, key).changes === 0) return false
      this.countText(text.length)
      added |= traits
      return true
    })
    this.#deferParentUpdate(parent, inserted, added)
    return written
  }

  /** Writes a text into a new slot of an interior node that is being written, with `flushTexts` at the latest. */
  addText(parent: number, key: string, kind: number, text: JsonText): void {
    this.#newTexts.add(parent, key, kind, text)
    this.countText(text.length)
  }

  /** Writes all added texts. Call it before anything reads them, and before a commit. */
  flushTexts(): void {
    this.#newTexts.flush()
  }

  /** Writes a text into a slot, whatever it held. */
  upsertText(parent: number, key: string, kind: number, text: JsonText): void {
    this.#statements.upsert.run(parent, key, kind, text, null)
    this.countText(text.length)
  }

  /** Writes the slot of an interior node. */
  upsertInterior(parent: number, key: string, id: number): void {
    this.#statements.upsert.run(parent, key, SlotKind.interior, null, id)
  }

  /** Writes the slot of a text in chunks. @param head stored text of its beginning */
  upsertHead(parent: number, key: string, kind: number, head: JsonText, id: number): void {
    this.#statements.upsert.run(parent, key, kind, head, id)
  }

  /** Writes an interior node and its closure. */
  insertInterior(id: number, parent: number, key: string, childCount: number, traits: number): void {
    this.#statements.insertClosure.run(id, parent)
    this.#statements.insertInterior.run(id, parent, key, childCount, traits)
  }

  remove(parent: number, key: string): void {
    this.#statements.remove.run({ parent, key })
  }

  /** Removes an interior node without children, and its priority. */
  removeInterior(id: number): void {
    this.#statements.remove.run({ parent: id, key: PRIORITY })
    this.#statements.removeClosure.run({ id })
    this.#statements.removeInterior.run({ id })
  }

  childCount(id: number): number {
    return this.#statements.childCount.get({ id })?.count ?? 0
  }

  /** Changes the number of children of an interior node, and adds traits. */
  adjust(id: number, by: number, traits: number): void {
    const known = this.#knownTraits.get(id) ?? 0
    const hasAll = (known & traits) === traits
    // Most texts replace similar ones, which have set the same traits.
    if (by === 0 && hasAll) return
    this.#statements.adjust.run({ id, by, traits })
    if (hasAll) return
    if (this.#knownTraits.size >= MAX_KNOWN) this.#knownTraits.clear()
    this.#knownTraits.set(id, known | traits)
  }

  /** Updates the parent of a slot that was written. @param isOld whether the slot existed before */
  updateParent(parent: number, isOld: boolean, traits: number): void {
    if (parent === ROOT_PARENT) return
    const added = isOld ? replacementTraits(traits) : traits
    if (!isOld || added !== 0) this.adjust(parent, isOld ? 0 : 1, traits)
  }

  /** As `updateParent`, combined for consecutive children of one parent. @param by number of new ones */
  #deferParentUpdate(parent: number, by: number, traits: number): void {
    if (parent === ROOT_PARENT) return
    const added = by === 0 ? replacementTraits(traits) : traits
    const pending = this.#pendingUpdate
    if (pending !== undefined && pending.parent === parent) {
      pending.by += by
      pending.traits |= added
      return
    }
    this.flushParentUpdate()
    this.#pendingUpdate = { parent, by, traits: added }
  }

  /** Writes the pending update of a parent. Call it after the last write of a change. */
  flushParentUpdate(): void {
    const pending = this.#pendingUpdate
    this.#pendingUpdate = undefined
    if (pending !== undefined && (pending.by !== 0 || pending.traits !== 0)) {
      this.adjust(pending.parent, pending.by, pending.traits)
    }
  }

  /** Whether a long write must pause now. The count begins anew. */
  takePause(): boolean {
    if (this.#rowsSincePause < STEP_ROWS && this.#lengthSincePause < STEP_LENGTH) return false
    // Texts that wait are better inserted before: after a pause they may have to be inserted one by one.
    if (!this.#newTexts.isEmpty && this.#lengthSincePause < 2 * STEP_LENGTH) return false
    this.#rowsSincePause = 0
    this.#lengthSincePause = 0
    return true
  }

  /** Whether this transaction is so large that SQLite moves pages to the log before the commit. */
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

  /** The transaction was rolled back. */
  reset(): void {
    this.#pendingUpdate = undefined
    this.#newTexts.clear()
    this.#knownTraits.clear()
    this.ended()
  }

  /** Counts a written text towards the next pause, and towards what a transaction holds. */
  countText(length: number): void {
    this.#rowsSincePause++
    this.#lengthSincePause += length
    this.#length += ROW_LENGTH + length
    if (this.#isSpilling || this.#length < SPILLING_LENGTH) return
    this.#isSpilling = true
    setSpilling(this.#connection, true)
  }
}
