import { eq, lt, sql } from 'drizzle-orm'
import { NO_VALUE, type SortValue } from '../../../tree/order.ts'
import { indexValue } from '../../rows/index-value.ts'
import type { Connection } from '../file/connection.ts'
import { indexDefinition } from '../file/schema.ts'
import type { IndexDefinition, IndexDefinitions } from './definitions.ts'

/** Entries removed in one step. */
const STEP_ENTRIES = 1024

/** Writes the entries of indexes inside the writer's transaction, and removes those of dropped indexes. */
export class IndexEntries {
  readonly #definitions: IndexDefinitions
  readonly #insert
  readonly #remove
  readonly #mark
  readonly #dropped
  readonly #removePage
  readonly #removeDefinition
  /** Whether a dropped index may be left. It saves a query per transaction. */
  #mayBeGivenUp = true

  constructor({ client, orm }: Connection, definitions: IndexDefinitions) {
    this.#definitions = definitions
    // Raw SQL: these run for every row of a build and every write to an indexed list.
    this.#insert = client.prepare<unknown, [number, number, string | number, string]>(
      'INSERT INTO index_entry(index_id, kind, value, key) VALUES (?, ?, ?, ?)',
    )
    this.#remove = client.prepare<unknown, [number, number, string | number, string]>(
      'DELETE FROM index_entry WHERE index_id = ? AND kind = ? AND value = ? AND key = ?',
    )
    this.#mark = client.prepare<unknown, [number, number, string | number, string]>(
      'INSERT OR IGNORE INTO index_entry(index_id, kind, value, key) VALUES (?, ?, ?, ?)',
    )
    this.#dropped = orm
      .select({ id: indexDefinition.id })
      .from(indexDefinition)
      .where(lt(indexDefinition.listId, 0))
      .limit(1)
      .prepare()
    // Raw SQL: Drizzle has no row values and does not return the number of changes.
    this.#removePage = client.prepare<unknown, [number, number]>(
      'DELETE FROM index_entry WHERE index_id = ?1 AND (kind, value, key) IN ' +
        '(SELECT kind, value, key FROM index_entry WHERE index_id = ?1 ORDER BY kind, value, key LIMIT ?2)',
    )
    this.#removeDefinition = orm
      .delete(indexDefinition)
      .where(eq(indexDefinition.id, sql.placeholder('id')))
      .prepare()
  }

  /** Adds the entry of a child. @param key encoded by `sortKey` */
  insert(definition: IndexDefinition, value: SortValue, key: string): void {
    const entry = indexValue(value)
    if (entry.cut) this.#definitions.markCut(definition)
    this.#insert.run(definition.id, entry.kind, entry.value, key)
  }

  remove(definition: IndexDefinition, value: SortValue, key: string): void {
    const entry = indexValue(value)
    this.#remove.run(definition.id, entry.kind, entry.value, key)
  }

  /**
   * Adds the mark of a child without a value next to a child with one, unless the mark exists.
   * @param key encoded by `sortKey`
   * @returns whether it was added
   */
  mark(definition: IndexDefinition, key: string): boolean {
    return this.#mark.run(definition.id, NO_VALUE.kind, NO_VALUE.value, key).changes > 0
  }

  /** Removes the mark of a child, if it has one. */
  unmark(definition: IndexDefinition, key: string): void {
    this.#remove.run(definition.id, NO_VALUE.kind, NO_VALUE.value, key)
  }

  /** Whether there may be entries of dropped indexes. */
  get removalIsDue(): boolean {
    return this.#mayBeGivenUp
  }

  /** Indexes were dropped. */
  expectRemoval(): void {
    this.#mayBeGivenUp = true
  }

  /** Removes some entries of a dropped index, and its definition after the last one. @returns whether there was one */
  removeDropped(): boolean {
    const dropped = this.#dropped.get()
    if (dropped === undefined) {
      this.#mayBeGivenUp = false
      return false
    }
    const { changes } = this.#removePage.run(dropped.id, STEP_ENTRIES)
    if (changes < STEP_ENTRIES) this.#removeDefinition.run({ id: dropped.id })
    return true
  }
}
