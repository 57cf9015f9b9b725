import { DholeError } from '../../../../error.ts'
import type { Query } from '../../../../query/query.ts'
import { type Range, rangeOf } from '../../../../query/range.ts'
import type { ListScan } from '../../../rows/indexes/list-scan.ts'
import { divide, indexRange, mayMatchMore, type ScanRange } from '../../../rows/indexes/scan-range.ts'
import type { ChildRow } from '../../../rows/slot.ts'
import { TEXT_LIMIT } from '../../indexes/stored-value.ts'
import type { Reading } from '../reading.ts'
import type { IndexAccessPath } from './access-path.ts'
import { emptyChildren } from './empty-children.ts'
import { type Candidate, ExactOrder } from './exact-order.ts'
import type { RangeScanner } from './range-scanner.ts'
import { TiedChildren } from './tied-children.ts'

/** Bounds of reading one part of a range. */
interface Wanted {
  readonly descending: boolean
  readonly limit: number
  /** Maximum text of all children together. */
  readonly maxLength: number
}

export const NO_LIMIT = Number.POSITIVE_INFINITY

/**
 * Reads a selection along an index. Children without a value sort first and have no entries: they are read from the table.
 */
export class IndexReader {
  readonly #scanner: RangeScanner
  readonly #access: IndexAccessPath
  readonly #order: ExactOrder

  constructor(reading: Reading, scanner: RangeScanner, access: IndexAccessPath) {
    this.#scanner = scanner
    this.#access = access
    this.#order = new ExactOrder(reading, scanner, access.list.id, access.path)
  }

  /** The selected children in the order of the query. @throws `read-too-big` */
  async rows(query: Query, maxLength: number): Promise<readonly ChildRow[]> {
    const { empty, valued } = divide(rangeOf(query))
    const descending = query.limit?.from === 'last'
    const limit = query.limit?.count ?? NO_LIMIT
    let rows: readonly ChildRow[] = []
    let left = maxLength
    for (const isEmpty of descending ? [false, true] : [true, false]) {
      if (rows.length >= limit) break
      const wanted = { descending, limit: limit - rows.length, maxLength: left }
      let part: readonly ChildRow[] = []
      if (isEmpty && empty !== undefined) part = await this.#emptyRows(empty, wanted)
      if (!isEmpty && valued !== undefined) part = await this.#valuedRows(valued, wanted)
      for (const { value } of part) left -= value?.length ?? 0
      rows = rows.length === 0 ? part : rows.concat(part)
    }
    return descending ? rows.toReversed() : rows
  }

  /** Number of children in the range of the query, whatever its limit. */
  async count(query: Query): Promise<number> {
    const { empty, valued } = divide(rangeOf(query))
    let counted = 0
    if (valued !== undefined) {
      counted = await (mayMatchMore(valued, TEXT_LIMIT) ? this.#countExactly(valued) : this.#countValued(valued))
    }
    if (empty === undefined) return counted
    if (isOpen(empty)) {
      const all = divide({ start: undefined, end: undefined }).valued
      return counted + this.#access.list.childCount - (all === undefined ? 0 : await this.#countValued(all))
    }
    for await (const page of this.#empty(empty, false, NO_LIMIT)) counted += page.length
    return counted
  }

  async #countExactly(range: Range): Promise<number> {
    let counted = 0
    for await (const page of this.#scanner.entries(this.#scan(range, false), NO_LIMIT)) {
      counted += (await this.#order.within(range, page)).length
    }
    return counted
  }

  #countValued(range: Range): Promise<number> {
    return this.#scanner.count(this.#scan(range, false))
  }

  /** In the direction of the scan. */
  async #emptyRows(range: ScanRange, { descending, limit, maxLength }: Wanted): Promise<readonly ChildRow[]> {
    const rows: ChildRow[] = []
    let left = maxLength
    for await (const page of this.#empty(range, descending, limit)) {
      for (const row of page.slice(0, limit - rows.length)) {
        left -= row.value?.length ?? 0
        rows.push(row)
      }
      if (left < 0) throw new DholeError('read-too-big')
      if (rows.length >= limit) break
    }
    return rows
  }

  #empty(range: ScanRange, descending: boolean, expected: number): AsyncGenerator<readonly ChildRow[], void> {
    const { list, index } = this.#access
    const scan = { list: list.id, index: undefined, range, descending }
    return emptyChildren(this.#scanner, { scan, index, order: this.#order }, expected)
  }

  /** In the direction of the scan. */
  #valuedRows(range: Range, wanted: Wanted): Promise<readonly ChildRow[]> {
    const { hasCut } = this.#access.index
    if (hasCut || mayMatchMore(range, TEXT_LIMIT)) return this.#childrenInExactOrder(range, wanted)
    return this.#scanner.children(this.#scan(range, wanted.descending), wanted.limit, wanted.maxLength)
  }

  /**
   * Reads an index in which different texts may share the value of an entry because they were cut. It sorts those
   * children by their whole texts. In the direction of the scan.
   */
  async #childrenInExactOrder(range: Range, { descending, limit, maxLength }: Wanted): Promise<readonly ChildRow[]> {
    const chosen: Candidate[] = []
    let length = 0
    let tied = new TiedChildren(this.#order, descending)
    for await (const page of this.#scanner.entries(this.#scan(range, descending), limit)) {
      const within = new Map((await this.#order.within(range, page)).map((candidate) => [candidate.key, candidate]))
      for (const entry of page) {
        if (!tied.includes(entry)) {
          const before = chosen.length
          await tied.take(chosen, limit)
          if (chosen.length >= limit) return this.#order.rowsOf(chosen, maxLength)
          for (const { row } of chosen.slice(before)) length += row?.value?.length ?? 0
          if (length > maxLength) throw new DholeError('read-too-big')
          tied = new TiedChildren(this.#order, descending)
        }
        await tied.add(entry, within.get(entry.key), limit - chosen.length, maxLength)
      }
    }
    await tied.take(chosen, limit)
    return this.#order.rowsOf(chosen, maxLength)
  }

  #scan(range: Range, descending: boolean): ListScan {
    const { list, index } = this.#access
    return { list: list.id, index, range: indexRange(range, TEXT_LIMIT), descending }
  }
}

function isOpen({ start, end }: ScanRange): boolean {
  return start.shape === 'open' && end.shape === 'open'
}
