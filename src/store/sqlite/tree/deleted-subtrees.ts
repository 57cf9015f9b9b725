import { and, desc, eq, lte, sql } from 'drizzle-orm'
import { NOWHERE } from '../../rows/slot.ts'
import type { BackgroundWork } from '../commit/participant.ts'
import type { Connection } from '../file/connection.ts'
import { closure, detached, interior, node } from '../file/schema.ts'
import type { IndexDefinitions } from '../indexes/definitions.ts'
import type { IndexEntries } from '../indexes/entries.ts'

/** Interior nodes read, and rows removed, in one step: less than two milliseconds of work. */
const STEP_INTERIORS = 64
const STEP_ROWS = 512

/**
 * Removes the rows of detached subtrees in bounded steps, so that deleting a large subtree costs its caller nothing. The
 * table `detached` lists what is left after a restart.
 */
export class DeletedSubtrees implements BackgroundWork {
  readonly #detach
  readonly #list
  readonly #nextListed
  readonly #below
  readonly #pageEnd
  readonly #removePage
  readonly #removeChildren
  readonly #definitions: IndexDefinitions
  readonly #entries: IndexEntries
  readonly #removeClosure
  readonly #removeInterior
  readonly #forget
  /** Listed subtrees that must not be removed: they are being written, or will be attached to the tree. */
  readonly #held = new Set<number>()
  /** Whether the table may have rows to remove: it is nearly always empty. */
  #mayBeWaiting = true
  /** Whether the open transaction detached a subtree. The next one removes it, so that its writer does not wait. */
  #hasDetached = false

  constructor({ client, orm }: Connection, definitions: IndexDefinitions, entries: IndexEntries) {
    this.#definitions = definitions
    this.#entries = entries
    const id = sql.placeholder('id')
    const children = eq(node.parentId, id)
    this.#detach = orm.update(interior).set({ parentId: NOWHERE }).where(eq(interior.id, id)).prepare()
    this.#list = orm
      .insert(detached)
      .values({ id: sql.placeholder('id') })
      .prepare()
    this.#nextListed = orm.select().from(detached).limit(sql.placeholder('limit')).prepare()
    // Ids grow downwards: the deepest node comes first and the detached node itself last.
    this.#below = orm
      .select({ id: closure.descendant })
      .from(closure)
      .where(eq(closure.ancestor, id))
      .orderBy(desc(closure.descendant))
      .limit(STEP_INTERIORS)
      .prepare()
    this.#pageEnd = orm
      .select({ key: node.key })
      .from(node)
      .where(children)
      .orderBy(node.key)
      .limit(1)
      .offset(STEP_ROWS - 1)
      .prepare()
    this.#removePage = orm
      .delete(node)
      .where(and(children, lte(node.key, sql.placeholder('end'))))
      .prepare()
    // Raw SQL: Drizzle does not return the number of changes.
    this.#removeChildren = client.prepare<unknown, [number]>('DELETE FROM node WHERE parent_id = ?')
    this.#removeClosure = orm.delete(closure).where(eq(closure.descendant, id)).prepare()
    this.#removeInterior = orm.delete(interior).where(eq(interior.id, id)).prepare()
    this.#forget = orm.delete(detached).where(eq(detached.id, id)).prepare()
  }

  /** Whether there may be work. */
  get isDue(): boolean {
    return this.#mayBeWaiting
  }

  /** Detaches an interior node; its rows are removed later. The caller removes or replaces its slot. */
  detach(id: number): void {
    this.#detach.run({ id })
    this.#list.run({ id })
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
    this.#list.run({ id })
  }

  /** Removes a held node from the list, in the transaction that attaches it to the tree. */
  adopt(id: number): void {
    this.#forget.run({ id })
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
    const root = this.#nextListed.all({ limit: this.#held.size + 1 }).find(({ id }) => !this.#held.has(id))
    if (root === undefined) {
      this.#mayBeWaiting = false
      return false
    }
    const below = this.#below.all({ id: root.id })
    // Removed already, with a subtree around it that was detached later.
    if (below.length === 0) this.#forget.run({ id: root.id })
    let rows = 0
    for (const { id } of below) {
      const end = this.#pageEnd.get({ id })?.key
      if (end !== undefined) {
        this.#removePage.run({ id, end })
        return true
      }
      rows += this.#removeChildren.run(id).changes
      this.dropIndexes(id)
      this.#removeClosure.run({ id })
      this.#removeInterior.run({ id })
      if (id === root.id) this.#forget.run({ id })
      if (rows >= STEP_ROWS) return true
    }
    return true
  }
}
