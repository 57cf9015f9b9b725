import { eq, lt, sql } from 'drizzle-orm'
import { NO_VALUE, type SortValue } from '../../../tree/order.ts'
import { type EntryValue, indexValue } from '../../rows/indexes/index-value.ts'
import type { Connection } from '../file/connection.ts'
import { indexDefinition } from '../file/schema.ts'
import { defineStatements } from '../file/statements.ts'
import type { IndexDefinition, IndexDefinitions } from './definitions.ts'
import { TEXT_LIMIT } from './text-limit.ts'

/** Entries removed in one step. */
const STEP_ENTRIES = 1024
/** Entries that one statement inserts. */
const INSERTED_AT_ONCE = 64

/** Inserts rows whose parameters are the id of the index, and the columns of each row. */
function insertStatement(columns: string, rows: number): string {
  const width = columns.split(',').length
  const parameters = Array.from({ length: rows }, (_, row) => {
    return `(?1, ${Array.from({ length: width }, (_, column) => `?${row * width + column + 2}`).join(', ')})`
  })
  return `INSERT INTO index_entry(index_id, ${columns}) VALUES ${parameters.join(', ')}`
}

const PLAIN = 'kind, value, key'
const COVERING = `${PLAIN}, text`

/** Kind, value and key of entries, in a covering index each with its text. */
export type Columns = (number | string | null)[]

/** Number of columns of an entry. */
export function columnsPerEntry({ covering }: { readonly covering: boolean }): number {
  return covering ? 4 : 3
}

const statements = defineStatements({
  // Raw SQL: these run for every row of a build and every write to an indexed list.
  insert: ({ client }) => client.prepare<unknown, [number, ...Columns]>(insertStatement(COVERING, 1)),
  insertMany: ({ client }) => client.prepare<unknown, Columns>(insertStatement(PLAIN, INSERTED_AT_ONCE)),
  insertManyCovering: ({ client }) => client.prepare<unknown, Columns>(insertStatement(COVERING, INSERTED_AT_ONCE)),
  setText: ({ client }) =>
    client.prepare<unknown, [string | null, number, number, string | number, string]>(
      'UPDATE index_entry SET text = ? WHERE index_id = ? AND kind = ? AND value = ? AND key = ?',
    ),
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
  insert(definition: IndexDefinition, value: EntryValue, key: string): void {
    const entry = indexValue(value, TEXT_LIMIT)
    if (entry.cut) this.#definitions.markCut(definition)
    this.#statements.insert.run(definition.id, entry.kind, entry.value, key, value.text ?? null)
  }

  /** Replaces the text in the entry of a child. */
  setText(definition: IndexDefinition, value: EntryValue, key: string): void {
    const entry = indexValue(value, TEXT_LIMIT)
    this.#statements.setText.run(value.text ?? null, definition.id, entry.kind, entry.value, key)
  }

  /** Adds entries of children. @param columns those of each entry, one after the other */
  insertAll(id: number, columns: Columns, covering: boolean): void {
    const width = columnsPerEntry({ covering })
    const many = width * INSERTED_AT_ONCE
    const insertMany = covering ? this.#statements.insertManyCovering : this.#statements.insertMany
    let from = 0
    for (; from + many <= columns.length; from += many) insertMany.run(id, ...columns.slice(from, from + many))
    for (; from < columns.length; from += width) {
      const [kind = 0, value = 0, key = '', text = null] = columns.slice(from, from + width)
      this.#statements.insert.run(id, kind, value, key, text)
    }
  }

  remove(definition: IndexDefinition, value: SortValue, key: string): void {
    const entry = indexValue(value, TEXT_LIMIT)
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
