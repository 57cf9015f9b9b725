import { SortKind, sortValue } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import { type Value, valueAt } from '../../../tree/value.ts'
import { parseBeginning } from '../long-string.ts'
import { type ChildRow, interiorOf } from '../slot.ts'
import type { AdjacentChild, AdjacentChildren, Presence } from './index-entries.ts'
import type { SortValueReader } from './index-write-hook.ts'

/** A child of a list. Its text is parsed once for all indexes. */
export class AdjacentRow implements AdjacentChild {
  readonly #row: ChildRow
  readonly #reader: Pick<SortValueReader, 'sortValueBelow'>
  #parsed: Value | undefined

  constructor(row: ChildRow, reader: Pick<SortValueReader, 'sortValueBelow'>) {
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
    this.#parsed ??= parseBeginning(value ?? '')
    return sortValue(valueAt(this.#parsed, path)).kind === SortKind.none ? 'empty' : 'valued'
  }
}

/** Finds the children next to a key of a list, in key order. */
export interface AdjacentSource {
  before(listId: number, key: string): AdjacentChild | undefined
  after(listId: number, key: string): AdjacentChild | undefined
}

/** The children before and after a key of a list. Each is read when it is first used. */
export class LazyNeighbors implements AdjacentChildren {
  readonly #source: AdjacentSource
  readonly #listId: number
  readonly #key: string
  #before: { readonly child: AdjacentChild | undefined } | undefined
  #after: { readonly child: AdjacentChild | undefined } | undefined

  constructor(source: AdjacentSource, listId: number, key: string) {
    this.#source = source
    this.#listId = listId
    this.#key = key
  }

  get before(): AdjacentChild | undefined {
    this.#before ??= { child: this.#source.before(this.#listId, this.#key) }
    return this.#before.child
  }

  get after(): AdjacentChild | undefined {
    this.#after ??= { child: this.#source.after(this.#listId, this.#key) }
    return this.#after.child
  }
}
