import { DholeError } from '../../../../error.ts'
import type { EntryRow, ListScan } from '../../../rows/indexes/list-scan.ts'
import { type Argument, behind, type ScanRange } from '../../../rows/indexes/scan-range.ts'
import type { ChildRow } from '../../../rows/slot.ts'
import { arrayOf } from '../../connection/arrays.ts'
import type { Parameter } from '../../connection/lane.ts'
import { entryBytes, entryValue } from '../../indexes/stored-value.ts'
import type { Reading } from '../reading.ts'
import { LOOKUP, type Projection, printRange, type Shape } from '../statements/range-statements.ts'

interface Row {
  readonly key: string
  readonly kind?: number
  readonly sorted?: Uint8Array
  readonly value?: string | null
  readonly id?: number | null
  readonly found?: number
}

/** Rows of a page: at first and at most. */
const FIRST_ROWS = 512
const MOST_ROWS = 4096
const GROWTH = 4
/** Length of the texts that ends a page, in bytes. */
const PAGE_BYTES = 512 * 1024
/** Rows counted at once. */
const PAGE_COUNTED = 65_536

const NO_LIMIT = Number.POSITIVE_INFINITY

const printed = new Map<string, string>()

/** Reads ranges of lists and indexes, with one prepared statement per shape. */
export class RangeScanner {
  readonly #reading: Reading

  constructor(reading: Reading) {
    this.#reading = reading
  }

  /** Keys in the direction of the scan. */
  async keys(scan: ListScan, limit: number): Promise<string[]> {
    const keys: string[] = []
    for await (const page of this.keyPages(scan, limit)) for (const key of page) keys.push(key)
    return keys
  }

  async *keyPages(scan: ListScan, limit: number): AsyncGenerator<string[], void> {
    for await (const page of this.#pages(scan, 'keys', limit)) yield page.map(({ key }) => key)
  }

  /** Whether a range holds more than `count` children. */
  async exceeds(scan: ListScan, count: number): Promise<boolean> {
    return (await this.#run(scan, 'landmark', [count])).length > 0
  }

  /**
   * Children in the direction of the scan.
   * @param maxLength maximum text of all children together
   * @throws `read-too-big`
   */
  async children(scan: ListScan, limit: number, maxLength: number): Promise<ChildRow[]> {
    const children: ChildRow[] = []
    let left = maxLength
    for await (const page of this.#pages(scan, 'children', limit)) {
      for (const row of page) {
        left -= row.value?.length ?? 0
        children.push(childOf(row))
      }
      if (left < 0) throw new DholeError('read-too-big')
    }
    return children
  }

  /** The first children of a range of the table, and whether no more follow. At least one, if there is one. */
  async first(scan: ListScan, limit: number): Promise<{ readonly rows: readonly ChildRow[]; readonly isAll: boolean }> {
    const rows = await this.#run(scan, 'children', [limit, PAGE_BYTES])
    return { rows: rows.map(childOf), isAll: isEnd(rows, limit) }
  }

  /** The first entry of a range of an index. */
  async firstEntry(scan: ListScan): Promise<{ readonly kind: number; readonly key: string } | undefined> {
    const [row] = await this.#run(scan, 'keys', [1])
    return row && { kind: row.kind ?? 0, key: row.key }
  }

  /** All children of a range of the table, page by page. */
  async *pages(scan: ListScan): AsyncGenerator<readonly ChildRow[], void> {
    for await (const page of this.#pages(scan, 'children', NO_LIMIT)) yield page.map(childOf)
  }

  /**
   * Children of a range of an index with their entries, page by page.
   * @param expected how many may be enough
   */
  async *entries(scan: ListScan, expected: number): AsyncGenerator<readonly EntryRow[], void> {
    for await (const page of this.#pages(scan, 'children', NO_LIMIT, expected)) {
      yield page.map((row) => ({ ...childOf(row), kind: row.kind ?? 0, sorted: sortedOf(row) }))
    }
  }

  async count(scan: ListScan): Promise<number> {
    let counted = 0
    for (let { range } = scan; ; ) {
      const rest = { ...scan, range }
      const [landmark] = await this.#run(rest, 'landmark', [PAGE_COUNTED - 1])
      if (landmark === undefined) {
        const [row] = (await this.#run(rest, 'count', [])) as unknown as readonly { readonly rows: number }[]
        return counted + (row?.rows ?? 0)
      }
      counted += PAGE_COUNTED
      range = behind(range, positionOf(scan, landmark), scan.descending)
    }
  }

  /** Children of a list by their keys, in the order of the keys, page by page. */
  async *lookUp(list: number, keys: readonly string[]): AsyncGenerator<readonly ChildRow[], void> {
    for (let from = 0; from < keys.length; ) {
      const wanted = keys.slice(from, from + FIRST_ROWS)
      const rows = await this.#reading.page<Row & { readonly n: number }>(LOOKUP, [
        this.#reading.tree,
        list,
        arrayOf(wanted),
        PAGE_BYTES,
      ])
      yield rows.map(childOf)
      const last = rows.at(-1)
      from += last === undefined || rows.length === last.found ? wanted.length : last.n
    }
  }

  /** @param expected how many may be enough */
  async *#pages(
    scan: ListScan,
    projection: 'children' | 'keys',
    limit: number,
    expected = limit,
  ): AsyncGenerator<readonly Row[], void> {
    let size = projection === 'keys' ? MOST_ROWS : Math.min(FIRST_ROWS, Math.max(expected, 1))
    let { range } = scan
    for (let left = limit; left > 0; ) {
      const most = Math.min(left, size)
      const page = await this.#run({ ...scan, range }, projection, projection === 'keys' ? [most] : [most, PAGE_BYTES])
      if (page.length > 0) yield page
      left -= page.length
      const last = page.at(-1)
      if (last === undefined || left <= 0 || isEnd(page, most)) return
      range = behind(range, positionOf(scan, last), scan.descending)
      size = Math.min(size * GROWTH, MOST_ROWS)
    }
  }

  #run(scan: ListScan, projection: Projection, numbers: readonly number[]): Promise<readonly Row[]> {
    const { list, index, range, descending } = scan
    const [start, end] = [sendable(range.start, 'key'), sendable(range.end, 'key=')]
    const over = index === undefined ? 'node' : index.covering && projection === 'children' ? 'covering' : 'index'
    const parameters: Parameter[] = [this.#reading.tree, index?.id ?? list]
    for (const { args } of [start, end]) parameters.push(...(index === undefined ? args : entryArguments(args)))
    parameters.push(...numbers)
    if (index !== undefined && projection === 'children') parameters.push(list)
    return this.#reading.page<Row>(
      statementOf({ over, projection, start: start.shape, end: end.shape, descending }),
      parameters,
    )
  }
}

function statementOf(shape: Shape): string {
  const { over, projection, start, end, descending } = shape
  const name = `${over} ${projection} ${start} ${end} ${descending}`
  let statement = printed.get(name)
  if (statement === undefined) {
    statement = printRange(shape)
    printed.set(name, statement)
  }
  return statement
}

/**
 * An edge without the character 0, which PostgreSQL refuses in texts. No key holds it: what precedes it in a key of an edge
 * is the last key before that edge.
 * @param shape of an edge behind that key, or at it
 */
function sendable(edge: ScanRange['start'], shape: 'key' | 'key='): ScanRange['start'] {
  const key = edge.args.at(-1)
  if (!edge.shape.startsWith('key') || typeof key !== 'string' || !key.includes('\0')) return edge
  return { shape, args: [...edge.args.slice(0, -1), key.slice(0, key.indexOf('\0'))] }
}

/** Whether no row follows a page. */
function isEnd(page: readonly Row[], most: number): boolean {
  const found = page[0]?.found ?? page.length
  return page.length === found && found < most
}

function childOf({ key, value, id }: Row): ChildRow {
  return { key, value: value ?? null, id: id ?? null }
}

function sortedOf({ kind, sorted }: Row): string | number {
  return entryValue(kind ?? 0, sorted ?? new Uint8Array()).value
}

/** Position of a row that was read. */
function positionOf({ index }: ListScan, row: Row): Argument[] {
  return index === undefined ? [row.key] : [row.kind ?? 0, sortedOf(row), row.key]
}

/** An entry's value is stored as bytes. */
function entryArguments([kind, value, ...key]: readonly Argument[]): Parameter[] {
  if (kind === undefined || value === undefined) return []
  return [kind, entryBytes({ kind: Number(kind), value }), ...key]
}
