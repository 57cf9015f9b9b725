import { parseStored } from '../../../tree/json/print.ts'
import { SortKind, sortValue } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import { type Value, valueAt } from '../../../tree/value.ts'
import type { AdjacentChild, AdjacentChildren, Presence } from '../../rows/index-entries.ts'
import { type ChildRow, interiorOf } from '../../rows/slot.ts'
import type { Connection } from '../file/connection.ts'
import { defineStatements } from '../file/statements.ts'
import type { TreeReader } from '../tree/tree-reader.ts'

/** A child of a list. Its text is parsed once for all indexes. */
export class Neighbor implements AdjacentChild {
  readonly #row: ChildRow
  readonly #reader: TreeReader
  #parsed: Value | undefined

  constructor(row: ChildRow, reader: TreeReader) {
    this.#row = row
    this.#reader = reader
  }

  /** Encoded by `sortKey`. */
  get key(): string {
    return this.#row.key
  }

  /** Whether it has a value at a path. */
  presence(path: Path): Presence {
    const { value } = this.#row
    if (interiorOf(this.#row) !== undefined)
      return this.#reader.sortValueBelow(this.#row, path).kind === SortKind.none ? 'empty' : 'valued'
    this.#parsed ??= parseStored(value ?? '')
    return sortValue(valueAt(this.#parsed, path)).kind === SortKind.none ? 'empty' : 'valued'
  }
}

/** Raw SQL: it runs for every child that an indexed list gains or loses. */
const ROW = "SELECT key, value, id FROM node WHERE parent_id = ? AND key <> '.priority' AND key"

const statements = defineStatements({
  before: ({ client }) => client.prepare<ChildRow, [number, string]>(`${ROW} < ? ORDER BY key DESC LIMIT 1`),
  upTo: ({ client }) => client.prepare<ChildRow, [number, string]>(`${ROW} <= ? ORDER BY key DESC LIMIT 1`),
  after: ({ client }) => client.prepare<ChildRow, [number, string]>(`${ROW} > ? ORDER BY key LIMIT 1`),
})

/** Finds the children next to a key, in key order, in the writer's transaction. */
export class Neighbors {
  readonly #statements
  readonly #reader: TreeReader

  constructor(connection: Connection, reader: TreeReader) {
    this.#statements = statements(connection)
    this.#reader = reader
  }

  /** The child before a key. */
  before(listId: number, key: string): Neighbor | undefined {
    return this.#neighbor(this.#statements.before.get(listId, key))
  }

  /** The child at a key, or the one before it. */
  upTo(listId: number, key: string): Neighbor | undefined {
    return this.#neighbor(this.#statements.upTo.get(listId, key))
  }

  /** The child after a key. */
  after(listId: number, key: string): Neighbor | undefined {
    return this.#neighbor(this.#statements.after.get(listId, key))
  }

  #neighbor(row: ChildRow | null): Neighbor | undefined {
    return row === null ? undefined : new Neighbor(row, this.#reader)
  }
}

/** The children before and after a key of a list. Each is read when it is first used. */
export class LazyNeighbors implements AdjacentChildren {
  readonly #neighbors: Neighbors
  readonly #listId: number
  readonly #key: string
  #before: { readonly child: Neighbor | undefined } | undefined
  #after: { readonly child: Neighbor | undefined } | undefined

  constructor(neighbors: Neighbors, listId: number, key: string) {
    this.#neighbors = neighbors
    this.#listId = listId
    this.#key = key
  }

  get before(): Neighbor | undefined {
    this.#before ??= { child: this.#neighbors.before(this.#listId, this.#key) }
    return this.#before.child
  }

  get after(): Neighbor | undefined {
    this.#after ??= { child: this.#neighbors.after(this.#listId, this.#key) }
    return this.#after.child
  }
}
