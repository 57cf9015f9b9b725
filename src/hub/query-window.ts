import type { Query } from '../query/query.ts'
import {
  comparePositions,
  contains,
  keyPosition,
  type Position,
  positionOf,
  type Range,
  rangeOf,
} from '../query/range.ts'
import { loopTurn } from '../scheduling/loop-turn.ts'
import type { ChildText } from '../tree/json/children-text.ts'
import { parseStored } from '../tree/json/print.ts'
import { joined } from '../tree/json/text-pieces.ts'
import { sortKey } from '../tree/order.ts'
import { KeyTable } from './key-table.ts'

/** Children of a window that are processed without a pause. */
export const SLICE = 2048
/** Expected bytes of a key, for the first size of a table of keys. */
const KEY_BYTES = 20

/** Keys of the children that a filtered stream shows, and the edge of a full window. It does not hold their data. */
export class QueryWindow {
  readonly #query: Query
  readonly #range: Range
  #keys = new KeyTable()
  /** Position of the last child that the limit admits; only in a full window. */
  #edge: Position | undefined

  constructor(query: Query) {
    this.#query = query
    this.#range = rangeOf(query)
  }

  get isLimited(): boolean {
    return this.#query.limit !== undefined
  }

  has(key: string): boolean {
    return this.#keys.has(key)
  }

  get keys(): Iterable<string> {
    return this.#keys
  }

  /** Memory of the keys, in bytes. */
  get byteLength(): number {
    return this.#keys.byteLength
  }

  /**
   * Replaces the children.
   * @param children in the order of the query
   * @param keys of the children
   */
  show(children: readonly ChildText[], keys: KeyTable): void {
    const { limit } = this.#query
    this.#keys = keys
    if (limit === undefined || children.length < limit.count) {
      this.#edge = undefined
      return
    }
    const last = limit.from === 'first' ? children.at(-1) : children[0]
    this.#edge = last && this.#positionOf(last)
  }

  /** Shows or hides one child of a window without a limit. */
  set(key: string, isShown: boolean): void {
    if (isShown) this.#keys.add(key)
    else this.#keys.delete(key)
  }

  /** Whether a child lies in the range. */
  accepts(child: ChildText): boolean {
    return contains(this.#range, this.#positionOf(child))
  }

  /** Whether the window must show a child that it does not show now. */
  wants(child: ChildText): boolean {
    const position = this.#positionOf(child)
    if (!contains(this.#range, position)) return false
    if (this.#edge === undefined) return true
    const order = comparePositions(position, this.#edge)
    return this.#query.limit?.from === 'first' ? order < 0 : order > 0
  }

  #positionOf({ key, text }: ChildText): Position {
    const { orderBy } = this.#query
    // A long text takes long to parse.
    if (orderBy.kind === 'key') return keyPosition(orderBy.lexicographic, sortKey(key))
    return positionOf(orderBy, sortKey(key), parseStored(joined(text)))
  }
}

export async function keysOf(list: readonly ChildText[]): Promise<KeyTable> {
  const keys = new KeyTable(list.length, list.length * KEY_BYTES)
  for (const slice of slices(list)) {
    for (const { key } of slice) keys.add(key)
    if (slice.length === SLICE) await loopTurn.pause()
  }
  return keys
}

export function* slices<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let first = 0; first < list.length; first += SLICE) yield list.slice(first, first + SLICE)
}
