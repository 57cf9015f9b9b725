import { DholeError } from '../../../error.ts'
import type { EntryRow, ListScan, ScannedIndex } from '../../rows/indexes/list-scan.ts'
import { type Argument, behind, type ScanRange } from '../../rows/indexes/scan-range.ts'
import { pageSizes, ROWS_MEASURED, rowsOfPage } from '../../rows/page-sizes.ts'
import { type ChildRow, type Interior, Trait } from '../../rows/slot.ts'
import type { Connection } from '../file/connection.ts'
import { type Projection, printQuery, type Shape } from './query-sql.ts'

/** As `ListScan`, with what is known of the texts. */
export interface RangeScan extends ListScan {
  /** Whether children may have long texts: their lengths are read first. */
  readonly hasLongTexts: boolean
  /** Most children read in one step. */
  readonly pageRows: number
}

type Row = readonly (string | number | null)[]

/** Rows read, or counted, between two pauses. */
export const PAGE_ROWS = 512
/**
 * Children found by the entries of an index in one step: at first, and at least, also where their texts are long. SQLite
 * reads the rows that it compares a key with: finding one takes long where long texts are near, also those of other lists.
 */
const FIRST_FOUND = 128
const LEAST_FOUND = 8
/** A step that takes longer is followed by shorter ones, and one that takes much less by longer ones, in milliseconds. */
const STEP_MS = 4
const GROWTH = 4
const PAGE_COUNTED = 16_384

/** Reads ranges of lists and indexes with one prepared statement per shape. */
export class RangeScanner {
  readonly #client
  readonly #statements = new Map<string, ReturnType<Connection['client']['prepare']>>()
  /** Children found by the entries of an index in the next step. */
  #found = FIRST_FOUND

  constructor({ client }: Connection) {
    this.#client = client
  }

  /** Keys in the direction of the scan. */
  *keys(scan: RangeScan, limit: number): Generator<void, string[]> {
    const keys: string[] = []
    for (const page of this.#pages(scan, 'keys', limit)) {
      for (const row of page) keys.push(textAt(row, 2))
      yield
    }
    return keys
  }

  /** Whether a range holds more than `count` children. */
  exceeds(scan: RangeScan, count: number): boolean {
    return this.#run(scan, 'landmark', count).length > 0
  }

  /**
   * Children in the direction of the scan.
   * @param maxLength maximum text of all children together
   * @throws `read-too-big`
   */
  *children(scan: RangeScan, limit: number, maxLength: number): Generator<void, ChildRow[]> {
    const rows: ChildRow[] = []
    let left = maxLength
    // Only a further page needs the entries.
    const isOnePage = limit <= Math.min(maxPageSize(scan), this.#found)
    const projection = scan.index === undefined || isOnePage ? 'children' : 'entries'
    for (const page of this.#pages(scan, projection, limit)) {
      for (const row of page) {
        const child = childOf(row)
        left -= child.value?.length ?? 0
        rows.push(child)
      }
      if (left < 0) throw new DholeError('read-too-big')
      if (rows.length < limit) yield
    }
    return rows
  }

  /** The first children of a range of the table. */
  first(scan: RangeScan, limit: number): ChildRow[] {
    return this.#run(scan, 'children', limit).map(childOf)
  }

  /** Key of the first entry of a range of an index. */
  firstKey(scan: RangeScan): string | undefined {
    const [row] = this.#run(scan, 'keys', 1)
    return row && textAt(row, 2)
  }

  /** Kind of the first entry of a range of an index. */
  firstKind(scan: RangeScan): number | undefined {
    const [row] = this.#run(scan, 'keys', 1)
    return row && (row[0] as number)
  }

  /** All children of a range of the table, page by page. */
  *pages(scan: RangeScan): Generator<ChildRow[]> {
    for (const page of this.#pages(scan, 'children', Number.POSITIVE_INFINITY)) yield page.map(childOf)
  }

  /** All children of a range of an index with their entries, page by page. */
  *entries(scan: RangeScan): Generator<EntryRow[]> {
    for (const page of this.#pages(scan, 'entries', Number.POSITIVE_INFINITY)) yield page.map(entryOf)
  }

  *count(scan: RangeScan): Generator<void, number> {
    let counted = 0
    let { range } = scan
    for (;;) {
      const [landmark] = this.#run({ ...scan, range }, 'landmark', PAGE_COUNTED - 1)
      if (landmark === undefined) break
      counted += PAGE_COUNTED
      range = behind(range, positionOf(scan, landmark), scan.descending)
      yield
    }
    const [row] = this.#run({ ...scan, range }, 'count')
    return counted + Number(row?.[0])
  }

  /** @param projection must not be `children` for an index: the next page begins after the last entry of this one */
  *#pages(scan: RangeScan, projection: Projection, limit: number): Generator<Row[]> {
    let { range } = scan
    const isLong = scan.hasLongTexts && includesChildren(projection)
    const isFinding = scan.index !== undefined && includesChildren(projection)
    const longStep = isFinding ? LEAST_FOUND : ROWS_MEASURED
    const run = (from: RangeScan, columns: Projection, most: number) =>
      isFinding ? this.#find(from, columns, most) : this.#run(from, columns, most)
    for (let left = limit; left > 0; ) {
      const step = isFinding ? this.#found : includesChildren(projection) ? scan.pageRows : PAGE_ROWS
      const most = Math.min(left, isLong ? longStep : step)
      for (const size of isLong ? pagesOfLengths(run({ ...scan, range }, 'lengths', most)) : [most]) {
        const page = run({ ...scan, range }, projection, size)
        if (page.length > 0) yield page
        const last = page.at(-1)
        left -= size
        if (last === undefined || page.length < size || left <= 0) return
        range = behind(range, projection === 'keys' ? positionOf(scan, last) : rowPosition(scan, last), scan.descending)
      }
    }
  }

  /** As `#run`, for children found by the entries of an index. It learns how many the next step may find. */
  #find(scan: RangeScan, projection: Projection, limit: number): Row[] {
    const startedAt = performance.now()
    const rows = this.#run(scan, projection, limit)
    const took = performance.now() - startedAt
    if (took > STEP_MS) this.#found = Math.max(LEAST_FOUND, Math.trunc(this.#found / GROWTH))
    else if (took * GROWTH < STEP_MS && limit === this.#found) this.#found = Math.min(PAGE_ROWS, this.#found * GROWTH)
    return rows
  }

  #run({ list, index, range, descending }: RangeScan, projection: Projection, limit?: number): Row[] {
    const { start, end } = range
    const shape = {
      over: overOf(index, projection),
      projection,
      start: start.shape,
      end: end.shape,
      descending,
    }
    const args: Argument[] = index === undefined ? [list] : includesChildren(projection) ? [list, index.id] : [index.id]
    args.push(...start.args, ...end.args)
    if (limit !== undefined) args.push(limit)
    return this.#statement(shape as Shape).values(...args) as Row[]
  }

  #statement(shape: Shape) {
    const { over, projection, start, end, descending } = shape
    const name = `${over} ${projection} ${start} ${end} ${descending}`
    let statement = this.#statements.get(name)
    if (statement === undefined) {
      // Raw SQL: it runs for every query and compares row values.
      statement = this.#client.prepare(printQuery(shape))
      this.#statements.set(name, statement)
    }
    return statement
  }
}

/** Most children that are always short enough for one step. */
export function maxPageSize({ hasLongTexts, pageRows }: RangeScan): number {
  return hasLongTexts ? 1 : pageRows
}

/** Numbers of rows whose texts make pages of a bounded length. A single page without rows where there are none. */
function pagesOfLengths(rows: readonly Row[]): readonly number[] {
  const pages = pageSizes(rows.map(([length]) => Number(length)))
  return pages.length > 0 ? pages : [1]
}

function overOf(index: ScannedIndex | undefined, projection: Projection): Shape['over'] {
  if (index === undefined) return 'node'
  return index.covering && includesChildren(projection) ? 'covering' : 'index'
}

function includesChildren(projection: Projection): boolean {
  return projection === 'children' || projection === 'entries' || projection === 'lengths'
}

function childOf(row: Row): ChildRow {
  return { key: textAt(row, 0), value: row[1] as string | null, id: row[2] as number | null }
}

function entryOf(row: Row): EntryRow {
  return { ...childOf(row), kind: row[3] as number, sorted: row[4] as string | number }
}

function textAt(row: Row, column: number): string {
  return row[column] as string
}

/** Position of a child that was read with its entry. */
function rowPosition({ index }: RangeScan, row: Row): Argument[] {
  return index === undefined ? [textAt(row, 0)] : [row[3] as number, row[4] as Argument, textAt(row, 0)]
}

/** Position of a key or landmark. */
function positionOf({ index }: RangeScan, row: Row): Argument[] {
  const [kind, value, key] = row as readonly [number, Argument, string]
  return index === undefined ? [key] : [kind, value, key]
}

/**
 * A scan of a list.
 * @param index the index to read; `undefined` reads the table in key order
 */
export function scanOf(
  { id, traits }: Interior,
  index: ScannedIndex | undefined,
  range: ScanRange,
  descending: boolean,
): RangeScan {
  const hasLongTexts = (traits & Trait.longTexts) !== 0
  const pageRows = Math.min(rowsOfPage(traits), PAGE_ROWS)
  return { list: id, index, range, descending, hasLongTexts, pageRows }
}
