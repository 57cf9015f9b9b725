import { eq, lt, sql } from 'drizzle-orm'
import { NO_VALUE, type SortValue } from '../../../tree/order.ts'
import { indexValue } from '../../rows/index-value.ts'
import type { Connection } from '../file/connection.ts'
import { indexDefinition } from '../file/schema.ts'
import type { IndexDefinition, IndexDefinitions } from './definitions.ts'

/** Entries removed in one step. */
const STEP_ENTRIES = 1024

/** Writes the entries of indexes inside the writer's transaction, and removes those of indexes given up. */
export class IndexEntries {
  readonly #definitions: IndexDefinitions
  readonly #insert
  readonly #remove
  readonly #mark
  readonly #dropped
  readonly #removePage
  readonly #removeDefinition
  /** Spares every batch a look at a table that is nearly always without such rows. */
  #mayBeGivenUp = true

  constructor({ client, orm }: Connection, definitions: IndexDefinitions) {
    this.#definitions = definitions
    // Raw, because these are the row loops of building and of every write to an indexed list.
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
    // Raw, because Drizzle neither compares rows of values nor says how many rows went.
    this.#removePage = client.prepare<unknown, [number, number]>(
      'DELETE FROM index_entry WHERE index_id = ?1 AND (kind, value, key) IN ' +
        '(SELECT kind, value, key FROM index_entry WHERE index_id = ?1 ORDER BY kind, value, key LIMIT ?2)',
    )
    this.#removeDefinition = orm
      .delete(indexDefinition)
      .where(eq(indexDefinition.id, sql.placeholder('id')))
      .prepare()
  }

  /** @param key sort key of the child */
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
   * Notes a child without a value next to one that has one, where it is not noted yet.
   * @param key sort key of the child
   * @returns whether that was news
   */
  mark(definition: IndexDefinition, key: string): boolean {
    return this.#mark.run(definition.id, NO_VALUE.kind, NO_VALUE.value, key).changes > 0
  }

  /** A child that may be noted so has a value now, or is gone. */
  unmark(definition: IndexDefinition, key: string): void {
    this.#remove.run(definition.id, NO_VALUE.kind, NO_VALUE.value, key)
  }

  /** Whether there may be entries of indexes given up. */
  get removalIsDue(): boolean {
    return this.#mayBeGivenUp
  }

  /** Indexes were given up. */
  expectRemoval(): void {
    this.#mayBeGivenUp = true
  }

  /** Removes some entries of an index given up, and the index with the last of them. @returns whether there was one */
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
