import { AdjacentRow, type AdjacentSource } from '../../rows/adjacent-rows.ts'
import type { SortValueReader } from '../../rows/index-write-hook.ts'
import type { ChildRow } from '../../rows/slot.ts'

/** Children that are not known. */
export interface NeighborMisses {
  /** Throws `Missing`. While a run only collects what is missing, it may return: then there seems to be no neighbor. */
  missNeighbors(listId: number, key: string): void
}

/** A row of `NEIGHBORS`. */
export interface NeighborRow {
  /** Number of the request, from 1. */
  readonly n: number
  readonly isBefore: boolean
  readonly key: string
  readonly value: string | null
  readonly id: number | null
}

/** Longest text of a string that is read whole, in bytes: only that it is a string matters. */
const LONG_TEXT = 1024

const side = (isBefore: boolean, comparison: string) =>
  `(SELECT ${isBefore} AS is_before, key, value, kind, id FROM node WHERE tree = $1::int AND parent_id = r.list ` +
  `AND key ${comparison} LIMIT 1)`

/**
 * The children before and after keys. Parameters: number of the tree, ids of lists as `bigint[]`, and a key for each as
 * `text[]`.
 */
export const NEIGHBORS =
  'SELECT r.n::int AS n, c.is_before AS "isBefore", c.key, c.id::float8 AS id, ' +
  `CASE WHEN c.kind = 4 AND octet_length(c.value) > ${LONG_TEXT} THEN '""' ELSE c.value END AS value ` +
  'FROM unnest($2::bigint[], $3::text[]) WITH ORDINALITY AS r(list, key, n) CROSS JOIN LATERAL (' +
  `${side(true, '< r.key COLLATE "C" AND key <> \'.priority\' ORDER BY key DESC')} UNION ALL ` +
  `${side(false, '> r.key COLLATE "C" AND key <> \'.priority\' ORDER BY key')}) AS c`

/** Neighbors of a key as of the batch before. */
interface Sides {
  before: ChildRow | undefined
  after: ChildRow | undefined
}

/** One list in an open batch. */
class ListNeighbors {
  /** As of the batch before, by key. A child that the batch has changed may be left out. */
  readonly known = new Map<string, Sides>()
  /** Keys that the batch has changed. */
  readonly changed = new Set<string>()
  /** Those of them that have a child, in key order. */
  readonly present: string[] = []

  note(key: string, isPresent: boolean): void {
    this.changed.add(key)
    const at = positionOf(this.present, key)
    const has = this.present[at] === key
    if (isPresent && !has) this.present.splice(at, 0, key)
    else if (!isPresent && has) this.present.splice(at, 1)
  }
}

/** The children next to a key in an open batch: those of the batch before, with what this one has changed. */
export class BatchNeighbors implements AdjacentSource {
  readonly #reader: SortValueReader
  readonly #misses: NeighborMisses
  readonly #lists = new Map<number, ListNeighbors>()

  /** @param reader reads the open batch */
  constructor(reader: SortValueReader, misses: NeighborMisses) {
    this.#reader = reader
    this.#misses = misses
  }

  /** The slot of a child has changed, or its change was taken back. Call it for lists that have an index. */
  changed(listId: number, key: string, isPresent: boolean): void {
    this.#list(listId).note(key, isPresent)
  }

  /** Takes the answer to the requests, in their order, as of the batch before. */
  learn(requests: readonly (readonly [listId: number, key: string])[], rows: readonly NeighborRow[]): void {
    const sides = requests.map(([listId, key]): Sides => {
      const found: Sides = { before: undefined, after: undefined }
      this.#list(listId).known.set(key, found)
      return found
    })
    for (const { n, isBefore, key, value, id } of rows) {
      const found = sides[n - 1]
      if (found !== undefined) found[isBefore ? 'before' : 'after'] = { key, value, id }
    }
  }

  before(listId: number, key: string): AdjacentRow | undefined {
    return this.#neighbor(listId, key, 'before')
  }

  after(listId: number, key: string): AdjacentRow | undefined {
    return this.#neighbor(listId, key, 'after')
  }

  #neighbor(listId: number, key: string, side: keyof Sides): AdjacentRow | undefined {
    const list = this.#list(listId)
    const at = positionOf(list.present, key)
    const own = list.present[side === 'before' ? at - 1 : list.present[at] === key ? at + 1 : at]
    const row = this.#unchanged(listId, list, key, side)
    const isOwn = own !== undefined && (row === undefined || (side === 'before' ? own > row.key : own < row.key))
    if (!isOwn) return row && new AdjacentRow(row, this.#reader)
    const slot = this.#reader.slot(listId, own)
    return slot && new AdjacentRow({ key: own, value: slot.value, id: slot.id }, this.#reader)
  }

  /** The next child that the batch has not changed. */
  #unchanged(listId: number, list: ListNeighbors, key: string, side: keyof Sides): ChildRow | undefined {
    const passed: Sides[] = []
    let from = key
    for (;;) {
      const sides = list.known.get(from)
      if (sides === undefined) {
        this.#misses.missNeighbors(listId, from)
        return undefined
      }
      passed.push(sides)
      const row = sides[side]
      if (row !== undefined && list.changed.has(row.key)) {
        from = row.key
        continue
      }
      // Changed children are found among the keys of the batch: the way past them is kept.
      for (const each of passed) each[side] = row
      return row
    }
  }

  #list(listId: number): ListNeighbors {
    let list = this.#lists.get(listId)
    if (list === undefined) {
      list = new ListNeighbors()
      this.#lists.set(listId, list)
    }
    return list
  }
}

/** Index of the first key that is not smaller. */
function positionOf(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((keys[middle] as string) < key) low = middle + 1
    else high = middle
  }
  return low
}
