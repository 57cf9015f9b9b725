import { and, desc, eq, lte, sql } from 'drizzle-orm'
import { NOWHERE, Trait } from '../../rows/slot.ts'
import type { BackgroundWork } from '../commit/participant.ts'
import type { Connection } from '../file/connection.ts'
import { closure, detached, interior, node } from '../file/schema.ts'
import { defineStatements } from '../file/statements.ts'
import type { IndexDefinitions } from '../indexes/definitions.ts'
import type { IndexEntries } from '../indexes/entries.ts'
import { TextChunks } from './text-chunks.ts'

/** Interior nodes read, rows, bytes of text and chunks of long texts removed in one step: some milliseconds of work. */
const STEP_INTERIORS = 64
const STEP_ROWS = 512
const STEP_BYTES = 1024 * 1024
const STEP_CHUNKS = 16
/** Rows whose lengths are read at a time where texts are long: SQLite reads the text of a row to compare its key. */
const LONG_ROWS = 4

const ID = sql.placeholder('id')
const CHILDREN = eq(node.parentId, ID)

const statements = defineStatements({
  detach: ({ orm }) => orm.update(interior).set({ parentId: NOWHERE }).where(eq(interior.id, ID)).prepare(),
  list: ({ orm }) =>
    orm
      .insert(detached)
      .values({ id: sql.placeholder('id') })
      .prepare(),
  nextListed: ({ orm }) => orm.select().from(detached).limit(sql.placeholder('limit')).prepare(),
  // Ids grow downwards: the deepest node comes first and the detached node itself last.
  below: ({ orm }) =>
    orm
      .select({ id: closure.descendant, traits: interior.traits })
      .from(closure)
      .innerJoin(interior, eq(interior.id, closure.descendant))
      .where(eq(closure.ancestor, ID))
      .orderBy(desc(closure.descendant))
      .limit(STEP_INTERIORS)
      .prepare(),
  // Raw SQL: it runs for every interior node.
  lengths: ({ client }) =>
    client.prepare<{ key: string; bytes: number }, [number, string, number]>(
      'SELECT key, coalesce(octet_length(value), 0) AS bytes FROM node ' +
        'WHERE parent_id = ? AND key > ? ORDER BY key LIMIT +?',
    ),
  removePage: ({ orm }) =>
    orm
      .delete(node)
      .where(and(CHILDREN, lte(node.key, sql.placeholder('end'))))
      .prepare(),
  // Raw SQL: Drizzle does not return the number of changes.
  removeChildren: ({ client }) => client.prepare<unknown, [number]>('DELETE FROM node WHERE parent_id = ?'),
  removeClosure: ({ orm }) => orm.delete(closure).where(eq(closure.descendant, ID)).prepare(),
  removeInterior: ({ orm }) => orm.delete(interior).where(eq(interior.id, ID)).prepare(),
  forget: ({ orm }) => orm.delete(detached).where(eq(detached.id, ID)).prepare(),
})

/**
 * Removes the rows of detached subtrees in bounded steps, so that deleting a large subtree costs its caller nothing. The
 * table `detached` lists what is left after a restart.
 */
export class DeletedSubtrees implements BackgroundWork {
  readonly #statements
  readonly #chunks: TextChunks
  readonly #definitions: IndexDefinitions
  readonly #entries: IndexEntries
  /** Listed subtrees that must not be removed: they are being written, or will be attached to the tree. */
  readonly #held = new Set<number>()
  /** Whether the table may have rows to remove: it is nearly always empty. */
  #mayBeWaiting = true
  /** Whether the open transaction detached a subtree. The next one removes it, so that its writer does not wait. */
  #hasDetached = false

  constructor(connection: Connection, definitions: IndexDefinitions, entries: IndexEntries) {
    this.#statements = statements(connection)
    this.#chunks = new TextChunks(connection)
    this.#definitions = definitions
    this.#entries = entries
  }

  /** Whether there may be work. */
  get isDue(): boolean {
    return this.#mayBeWaiting
  }

  /** Detaches an interior node; its rows are removed later. The caller removes or replaces its slot. */
  detach(id: number): void {
    this.#statements.detach.run({ id })
    this.#statements.list.run({ id })
    this.dropIndexes(id)
    this.#hasDetached = true
  }

  committed(): void {
    this.#mayBeWaiting ||= this.#hasDetached
    this.#hasDetached = false
  }

  rollback(): void {
    this.#mayBeWaiting = true
    this.#hasDetached = false
  }

  /** Lists an interior node that will be written apart from the tree. It is not removed before `release`. */
  hold(id: number): void {
    this.#held.add(id)
    this.#statements.list.run({ id })
  }

  /** Removes a held node from the list, in the transaction that attaches it to the tree. */
  adopt(id: number): void {
    this.#statements.forget.run({ id })
  }

  /** Ends the hold. A node that was not adopted is removed like any other. */
  release(id: number): void {
    this.#held.delete(id)
    this.#mayBeWaiting = true
  }

  /** Drops the indexes of a list that no longer exists. */
  dropIndexes(id: number): void {
    if (this.#definitions.dropAll(id)) this.#entries.expectRemoval()
  }

  /** Does one step inside the open transaction. @returns whether there was anything to do */
  step(): boolean {
    const root = this.#statements.nextListed.all({ limit: this.#held.size + 1 }).find(({ id }) => !this.#held.has(id))
    if (root === undefined) {
      this.#mayBeWaiting = false
      return false
    }
    const below = this.#statements.below.all({ id: root.id })
    // Removed already, with a subtree around it that was detached later.
    if (below.length === 0) this.#statements.forget.run({ id: root.id })
    const removed = { rows: 0, bytes: 0, chunks: 0 }
    for (const { id, traits } of below) {
      if ((traits & Trait.chunks) !== 0) {
        if (!this.#removeChunks(id, removed)) return true
      } else {
        const end = this.#pageEnd(id, traits, removed)
        if (end !== undefined) {
          this.#statements.removePage.run({ id, end })
          return true
        }
        this.#statements.removeChildren.run(id)
        this.dropIndexes(id)
      }
      this.#statements.removeClosure.run({ id })
      this.#statements.removeInterior.run({ id })
      if (id === root.id) this.#statements.forget.run({ id })
      if (removed.rows >= STEP_ROWS || removed.chunks >= STEP_CHUNKS) return true
    }
    return true
  }

  /** @returns whether all chunks are removed */
  #removeChunks(id: number, removed: { chunks: number }): boolean {
    const limit = STEP_CHUNKS - removed.chunks
    const found = this.#chunks.remove(id, limit)
    removed.chunks += found
    return found < limit
  }

  /**
   * The last key of a node whose row is removed in this step; `undefined` when all of them are.
   * @param removed what the step removes before; adds to it
   */
  #pageEnd(id: number, traits: number, removed: { rows: number; bytes: number }): string | undefined {
    const limit = (traits & Trait.longTexts) === 0 ? STEP_ROWS : LONG_ROWS
    for (let last = ''; ; ) {
      const page = this.#statements.lengths.all(id, last, limit)
      for (const { key, bytes } of page) {
        removed.rows++
        removed.bytes += bytes
        if (removed.rows >= STEP_ROWS || removed.bytes >= STEP_BYTES) return key
        last = key
      }
      if (page.length < limit) return undefined
    }
  }
}
