import { AdjacentRow, type AdjacentSource } from '../../rows/indexes/adjacent-rows.ts'
import type { ChildRow } from '../../rows/slot.ts'
import type { Connection } from '../file/connection.ts'
import { defineStatements } from '../file/statements.ts'
import type { TreeReader } from '../tree/tree-reader.ts'

/** Raw SQL: it runs for every child that an indexed list gains or loses. */
const ROW = "SELECT key, value, id FROM node WHERE parent_id = ? AND key <> '.priority' AND key"

const statements = defineStatements({
  before: ({ client }) => client.prepare<ChildRow, [number, string]>(`${ROW} < ? ORDER BY key DESC LIMIT 1`),
  after: ({ client }) => client.prepare<ChildRow, [number, string]>(`${ROW} > ? ORDER BY key LIMIT 1`),
})

/** Finds the children next to a key, in key order, in the writer's transaction. */
export class Neighbors implements AdjacentSource {
  readonly #statements
  readonly #reader: TreeReader

  constructor(connection: Connection, reader: TreeReader) {
    this.#statements = statements(connection)
    this.#reader = reader
  }

  /** The child before a key. */
  before(listId: number, key: string): AdjacentRow | undefined {
    return this.#neighbor(this.#statements.before.get(listId, key))
  }

  /** The child after a key. */
  after(listId: number, key: string): AdjacentRow | undefined {
    return this.#neighbor(this.#statements.after.get(listId, key))
  }

  #neighbor(row: ChildRow | null): AdjacentRow | undefined {
    return row === null ? undefined : new AdjacentRow(row, this.#reader)
  }
}
