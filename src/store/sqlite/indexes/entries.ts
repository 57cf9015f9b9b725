import { eq, lt, sql } from 'drizzle-orm'
import { NO_VALUE, type SortValue } from '../../../tree/order.ts'
import { indexValue } from '../../rows/index-value.ts'
import type { Connection } from '../file/connection.ts'
import { indexDefinition } from '../file/schema.ts'
import { defineStatements } from '../file/statements.ts'
import type { IndexDefinition, IndexDefinitions } from './definitions.ts'

/** Entries removed in one step. */
const STEP_ENTRIES = 1024
/** Entries that one statement inserts. */
const INSERTED_AT_ONCE = 64
/** Columns of an entry without the id of its index. */
const COLUMNS = 3

const INSERT = 'INSERT INTO index_entry(index_id, kind, value, key) VALUES '
const MANY_ROWS = Array.from(
  { length: INSERTED_AT_ONCE },
  (_, row) => `(?1, ?${COLUMNS * row + 2}, ?${COLUMNS * row + 3}, ?${COLUMNS * row + 4})`,
)

const statements = defineStatements({
  // Raw SQL: these run for every row of a build and every write to an indexed list.
  insert: ({ client }) => client.prepare<unknown, [number, number, string | number, string]>(`${INSERT}(?, ?, ?, ?)`),
  insertMany: ({ client }) => client.prepare<unknown, (number | string)[]>(INSERT + MANY_ROWS.join(', ')),
  remove: ({ client }) =>
    client.prepare<unknown, [number, number, string | number, string]>(
      'DELETE FROM index_entry WHERE index_id = ? AND kind = ? AND value = ? AND key = ?',
    ),
  mark: ({ client }) =>
    client.prepare<unknown, [number, number, string | number, string]>(
      'INSERT OR IGNORE INTO index_entry(index_id, kind, value, key) VALUES (?, ?, ?, ?)',
    ),
  dropped: ({ orm }) =>
    orm
      .select({ id: indexDefinition.id })
      .from(indexDefinition)
      .where(lt(indexDefinition.listId, 0))
      .limit(1)
      .prepare(),
  // Raw SQL: Drizzle has no row values and does not return the number of changes.
  removePage: ({ client }) =>
    client.prepare<unknown, [number, number]>(
      'DELETE FROM index_entry WHERE index_id = ?1 AND (kind, value, key) IN ' +
        '(SELECT kind, value, key FROM index_entry WHERE index_id = ?1 ORDER BY kind, value, key LIMIT ?2)',
    ),
  removeDefinition: ({ orm }) =>
    orm
      .delete(indexDefinition)
      .where(eq(indexDefinition.id, sql.placeholder('id')))
      .prepare(),
})

/** Writes the entries of indexes inside the writer's transaction, and removes those of dropped indexes. */
export class IndexEntries {
  readonly #statements
  readonly #definitions: IndexDefinitions
  /** Whether a dropped index may be left. It saves a query per transaction. */
  #mayBeGivenUp = true

  constructor(connection: Connection, definitions: IndexDefinitions) {
    this.#statements = statements(connection)
    this.#definitions = definitions
  }

  /** Adds the entry of a child. @param key encoded by `sortKey` */
  insert(definition: IndexDefinition, value: SortValue, key: string): void {
    const entry = indexValue(value)
    if (entry.cut) this.#definitions.markCut(definition)
    this.#statements.insert.run(definition.id, entry.kind, entry.value, key)
  }

  /** Adds entries of children. @param columns kind, value and key of each entry, one after the other */
  insertAll(id: number, columns: readonly (number | string)[]): void {
    const many = COLUMNS * INSERTED_AT_ONCE
    let from = 0
    for (; from + many <= columns.length; from += many) {
      this.#statements.insertMany.run(id, ...columns.slice(from, from + many))
    }
    for (; from < columns.length; from += COLUMNS) {
      // Three columns of one entry.
      const [kind, value, key] = columns.slice(from, from + COLUMNS) as [number, string | number, string]
      this.#statements.insert.run(id, kind, value, key)
    }
  }

  remove(definition: IndexDefinition, value: SortValue, key: string): void {
    const entry = indexValue(value)
    this.#statements.remove.run(definition.id, entry.kind, entry.value, key)
  }

  /**
   * Adds the mark of a child without a value next to a child with one, unless the mark exists.
   * @param key encoded by `sortKey`
   * @returns whether it was added
   */
  mark(definition: IndexDefinition, key: string): boolean {
    return this.#statements.mark.run(definition.id, NO_VALUE.kind, NO_VALUE.value, key).changes > 0
  }

  /** Removes the mark of a child, if it has one. */
  unmark(definition: IndexDefinition, key: string): void {
    this.#statements.remove.run(definition.id, NO_VALUE.kind, NO_VALUE.value, key)
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
    const dropped = this.#statements.dropped.get()
    if (dropped === undefined) {
      this.#mayBeGivenUp = false
      return false
    }
    const { changes } = this.#statements.removePage.run(dropped.id, STEP_ENTRIES)
    if (changes < STEP_ENTRIES) this.#statements.removeDefinition.run({ id: dropped.id })
    return true
  }
}
