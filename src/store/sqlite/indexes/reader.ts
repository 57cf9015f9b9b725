import { DholeError } from '../../../error.ts'
import type { Query } from '../../../query/query.ts'
import { comparePositions, contains, type Position, type Range, rangeOf } from '../../../query/range.ts'
import { sortInSteps } from '../../../tree/json/sort-steps.ts'
import type { SortValue } from '../../../tree/order.ts'
import { isLong } from '../../rows/index-value.ts'
import { divide, indexRange, mayMatchMore, type ScanRange } from '../../rows/scan-range.ts'
import type { ChildRow } from '../../rows/slot.ts'
import type { AccessPath } from '../query/access-path.ts'
import { type EntryRow, type RangeScanner, scanOf } from '../query/range-scan.ts'
import { EmptyChildren, type EmptyChildrenScan } from '../tree/empty-children.ts'
import { spend } from '../tree/read-budget.ts'
import type { TreeReader } from '../tree/tree-reader.ts'
import { TEXT_LIMIT } from './text-limit.ts'

/** A child with its position in the order. */
export type Candidate = Position & { readonly row: ChildRow }

type IndexAccessPath = Extract<AccessPath, { kind: 'index' }>

/** Bounds of reading one part of a range. */
interface Wanted {
  readonly descending: boolean
  readonly limit: number
  /** Maximum text of all children together. */
  readonly maxLength: number
}

export const NO_LIMIT = Number.POSITIVE_INFINITY
/** Rows copied, and rows compared by their texts, between two pauses. */
const STEP_ROWS = 4096
const STEP_LOOKED_AT = 8

/**
 * Reads a selection along an index. Children without a value sort first and have no entries: they are read from the
 * table.
 */
export class IndexReader {
  readonly #tree: TreeReader
  readonly #scanner: RangeScanner
  readonly #empty: EmptyChildren

  constructor(tree: TreeReader, scanner: RangeScanner) {
    this.#tree = tree
    this.#scanner = scanner
    this.#empty = new EmptyChildren(tree, scanner)
  }

  /** The selected children in the order of the query. @throws `read-too-big` */
  *rows(access: IndexAccessPath, query: Query, maxLength: number): Generator<void, readonly ChildRow[]> {
    const { empty, valued } = divide(rangeOf(query))
    const descending = query.limit?.from === 'last'
    const limit = query.limit?.count ?? NO_LIMIT
    const rows: ChildRow[] = []
    let left = maxLength
    for (const isEmpty of descending ? [false, true] : [true, false]) {
      if (rows.length >= limit) break
      const wanted = { descending, limit: limit - rows.length, maxLength: left }
      let part: readonly ChildRow[] = []
      if (isEmpty && empty !== undefined)
        part = yield* this.#emptyRows(emptyChildrenScan(access, empty, descending), wanted)
      if (!isEmpty && valued !== undefined) part = yield* this.#valuedRows(access, valued, wanted)
      for (const [index, row] of part.entries()) {
        rows.push(row)
        left -= row.value?.length ?? 0
        if (index % STEP_ROWS === STEP_ROWS - 1) yield
      }
    }
    return descending ? rows.reverse() : rows
  }

  /** Number of children in the range of the query, whatever its limit. */
  *count(access: IndexAccessPath, query: Query): Generator<void, number> {
    const { empty, valued } = divide(rangeOf(query))
    let counted = 0
    if (valued !== undefined) {
      counted = mayMatchMore(valued, TEXT_LIMIT)
        ? (yield* this.#childrenInExactOrder(access, valued, {
            descending: false,
            limit: NO_LIMIT,
            maxLength: NO_LIMIT,
          })).length
        : yield* this.#countValued(access, valued)
    }
    if (empty === undefined) return counted
    if (isOpen(empty)) {
      const all = divide({ start: undefined, end: undefined }).valued
      return counted + access.list.childCount - (all === undefined ? 0 : yield* this.#countValued(access, all))
    }
    return counted + (yield* this.#empty.count(emptyChildrenScan(access, empty, false)))
  }

  #countValued({ list, index }: IndexAccessPath, range: Range): Generator<void, number> {
    return this.#scanner.count(scanOf(list, index, indexRange(range, TEXT_LIMIT), false))
  }

  /** In the direction of the scan. */
  *#emptyRows(scan: EmptyChildrenScan, { limit, maxLength }: Wanted): Generator<void, readonly ChildRow[]> {
    const rows: ChildRow[] = []
    let left = maxLength
    for (const page of this.#empty.pages(scan)) {
      for (const row of page.slice(0, limit - rows.length)) {
        left -= row.value?.length ?? 0
        rows.push(row)
      }
      if (left < 0) throw new DholeError('read-too-big')
      if (rows.length >= limit) break
      yield
    }
    return rows
  }

  /** In the direction of the scan. */
  *#valuedRows(access: IndexAccessPath, range: Range, wanted: Wanted): Generator<void, readonly ChildRow[]> {
    const { list, index } = access
    if (index.hasCut || mayMatchMore(range, TEXT_LIMIT)) return yield* this.#childrenInExactOrder(access, range, wanted)
    const scan = scanOf(list, index, indexRange(range, TEXT_LIMIT), wanted.descending)
    return yield* this.#scanner.children(scan, wanted.limit, wanted.maxLength)
  }

  /**
   * Reads an index in which different texts may share the value of an entry because they were cut. It sorts those
   * children by their whole texts. In the direction of the scan.
   */
  *#childrenInExactOrder(
    { list, index, path }: IndexAccessPath,
    range: Range,
    { descending, limit, maxLength }: Wanted,
  ): Generator<void, readonly ChildRow[]> {
    const rows: ChildRow[] = []
    const budget = { left: maxLength, hasPriorities: false }
    for (const group of equalEntries(
      this.#scanner.entries(scanOf(list, index, indexRange(range, TEXT_LIMIT), descending)),
    )) {
      const candidates: Candidate[] = []
      for (const row of group) {
        const candidate = { ...this.#tree.sortValueBelow(row, path), key: row.key, row }
        if (contains(range, candidate)) candidates.push(candidate)
        if (candidates.length % STEP_LOOKED_AT === STEP_LOOKED_AT - 1) yield
      }
      const chosen = candidates.length > 1 ? yield* sortInSteps(candidates, comparePositions) : candidates
      if (descending) chosen.reverse()
      for (const { row } of chosen.slice(0, limit - rows.length)) {
        spend(budget, row.value ?? '')
        rows.push(row)
      }
      if (rows.length >= limit) break
      yield
    }
    return rows
  }
}

function emptyChildrenScan(
  { list, index, path }: IndexAccessPath,
  range: ScanRange,
  descending: boolean,
): EmptyChildrenScan {
  return { scan: scanOf(list, undefined, range, descending), index, path }
}

function isOpen({ start, end }: ScanRange): boolean {
  return start.shape === 'open' && end.shape === 'open'
}

/** Groups entries with the same cut text; every other entry is a group of its own. Between two pages, an empty group. */
function* equalEntries(pages: Iterable<EntryRow[]>): Generator<EntryRow[]> {
  let group: EntryRow[] = []
  for (const page of pages) {
    for (const entry of page) {
      const joins = group[0] !== undefined && isLong(toSortValue(entry), TEXT_LIMIT) && group[0].sorted === entry.sorted
      if (!joins && group.length > 0) {
        yield group
        group = []
      }
      group.push(entry)
    }
    yield []
  }
  if (group.length > 0) yield group
}

function toSortValue({ kind, sorted }: EntryRow): SortValue {
  return { kind, value: sorted }
}
