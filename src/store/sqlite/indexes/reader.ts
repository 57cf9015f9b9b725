import { DholeError } from '../../../error.ts'
import type { Query } from '../../../query/query.ts'
import { type Range, rangeOf } from '../../../query/range.ts'
import { divide, indexRange, mayMatchMore, type ScanRange } from '../../rows/indexes/scan-range.ts'
import type { ChildRow } from '../../rows/slot.ts'
import type { AccessPath } from '../query/access-path.ts'
import { ExactOrder } from '../query/exact-order.ts'
import { type RangeScanner, scanOf } from '../query/range-scan.ts'
import { EmptyChildren, type EmptyChildrenScan } from '../tree/empty-children.ts'
import type { TreeReader } from '../tree/tree-reader.ts'
import { TEXT_LIMIT } from './text-limit.ts'
import { TiedChildren } from './tied-children.ts'

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
      counted = yield* mayMatchMore(valued, TEXT_LIMIT)
        ? this.#countExactly(access, valued)
        : this.#countValued(access, valued)
    }
    if (empty === undefined) return counted
    if (isOpen(empty)) {
      const all = divide({ start: undefined, end: undefined }).valued
      return counted + access.list.childCount - (all === undefined ? 0 : yield* this.#countValued(access, all))
    }
    return counted + (yield* this.#empty.count(emptyChildrenScan(access, empty, false)))
  }

  *#countExactly({ list, index, path }: IndexAccessPath, range: Range): Generator<void, number> {
    const order = new ExactOrder(this.#tree, list.id, path)
    let counted = 0
    for (const page of this.#scanner.entries(scanOf(list, index, indexRange(range, TEXT_LIMIT), false))) {
      for (const entry of page) if (yield* order.contains(range, order.candidate(entry))) counted++
      yield
    }
    return counted
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
    const order = new ExactOrder(this.#tree, list.id, path)
    const budget = { left: maxLength, hasPriorities: false }
    const rows: ChildRow[] = []
    let tied = new TiedChildren(order, descending)
    for (const page of this.#scanner.entries(scanOf(list, index, indexRange(range, TEXT_LIMIT), descending))) {
      for (const [number, entry] of page.entries()) {
        if (number % STEP_LOOKED_AT === STEP_LOOKED_AT - 1) yield
        if (!tied.includes(entry)) {
          yield* tied.take(rows, limit, budget)
          if (rows.length >= limit) return rows
          tied = new TiedChildren(order, descending)
        }
        yield* tied.add(entry, range, limit - rows.length, budget.left)
      }
      yield
    }
    yield* tied.take(rows, limit, budget)
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
