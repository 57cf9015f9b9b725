import { DholeError } from '../../../error.ts'
import type { Connection } from '../file/connection.ts'
import { Trait } from '../tree/slot.ts'
import type { Interior } from '../tree/subtree-reader.ts'
import { printQuery, type Reading, type Shape } from './query-sql.ts'
import { type Argument, behind, type SqlRange } from './range-sql.ts'

/** A chosen child as it stands in the table. */
export interface ChildRow {
  /** Its sort key. */
  readonly key: string
  readonly value: string | null
  readonly id: number | null
}

/** A child, and its entry in an index. */
export interface EntryRow extends ChildRow {
  readonly kind: number
  readonly sorted: string | number
}

/** A stretch of a list in some order, and the way through it. */
export interface Walk {
  readonly list: number
  /** The index to go along; without one it is the table, in key order. */
  readonly index: number | undefined
  readonly range: SqlRange
  readonly descending: boolean
  /** Children read at a time. Default `PAGE_ROWS`. */
  readonly page?: number
}

type Row = readonly (string | number | null)[]

/** Rows read, or counted, between two pauses. Where children may be long, few are read. */
const PAGE_ROWS = 512
const PAGE_LONG_ROWS = 8
const PAGE_COUNTED = 16_384

/** Goes along lists and indexes with statements prepared once for each shape. */
export class Walks {
  readonly #client
  readonly #statements = new Map<string, ReturnType<Connection['client']['prepare']>>()

  constructor({ client }: Connection) {
    this.#client = client
  }

  /** Keys in the order of the walk. */
  *keys(walk: Walk, limit: number): Generator<void, string[]> {
    const keys: string[] = []
    for (const page of this.#pages(walk, 'keys', limit)) {
      for (const row of page) keys.push(textAt(row, 2))
      yield
    }
    return keys
  }

  /** Whether a walk meets more children than so many. */
  exceeds(walk: Walk, count: number): boolean {
    return this.#run(walk, 'landmark', count).length > 0
  }

  /**
   * Children in the order of the walk.
   * @param maxLength longest text of all of them together
   * @throws `read-too-big`
   */
  *children(walk: Walk, limit: number, maxLength: number): Generator<void, ChildRow[]> {
    const rows: ChildRow[] = []
    let left = maxLength
    // The entries are needed only to go on behind a page.
    const reading = walk.index === undefined || limit <= walkPage(walk) ? 'children' : 'entries'
    for (const page of this.#pages(walk, reading, limit)) {
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

  /** The first children of a walk along the table, at most so many. */
  first(walk: Walk, limit: number): ChildRow[] {
    return this.#run(walk, 'children', limit).map(childOf)
  }

  /** The key of the first entry of a walk along an index. */
  firstKey(walk: Walk): string | undefined {
    const [row] = this.#run(walk, 'keys', 1)
    return row && textAt(row, 2)
  }

  /** All children of a walk along the table, page by page. */
  *pages(walk: Walk): Generator<ChildRow[]> {
    for (const page of this.#pages(walk, 'children', Number.POSITIVE_INFINITY)) yield page.map(childOf)
  }

  /** All children of a walk along an index with their entries, page by page. */
  *entries(walk: Walk): Generator<EntryRow[]> {
    for (const page of this.#pages(walk, 'entries', Number.POSITIVE_INFINITY)) yield page.map(entryOf)
  }

  *count(walk: Walk): Generator<void, number> {
    let counted = 0
    let { range } = walk
    for (;;) {
      const [landmark] = this.#run({ ...walk, range }, 'landmark', PAGE_COUNTED - 1)
      if (landmark === undefined) break
      counted += PAGE_COUNTED
      range = behind(range, positionOf(walk, landmark), walk.descending)
      yield
    }
    const [row] = this.#run({ ...walk, range }, 'count')
    return counted + Number(row?.[0])
  }

  /** @param reading not `children` along an index: the next page begins behind the last entry of this one */
  *#pages(walk: Walk, reading: Reading, limit: number): Generator<Row[]> {
    let { range } = walk
    const size = reading === 'keys' ? PAGE_ROWS : walkPage(walk)
    for (let left = limit; left > 0; left -= size) {
      const page = this.#run({ ...walk, range }, reading, Math.min(left, size))
      if (page.length > 0) yield page
      const last = page.at(-1)
      if (last === undefined || page.length < size || left <= size) return
      range = behind(range, reading === 'keys' ? positionOf(walk, last) : rowPosition(walk, last), walk.descending)
    }
  }

  #run({ list, index, range, descending }: Walk, reading: Reading, limit?: number): Row[] {
    const { start, end } = range
    const shape = {
      over: index === undefined ? 'node' : 'index',
      reading,
      start: start.shape,
      end: end.shape,
      descending,
    }
    const args: Argument[] = index === undefined ? [list] : readsChildren(reading) ? [list, index] : [index]
    args.push(...start.args, ...end.args)
    if (limit !== undefined) args.push(limit)
    return this.#statement(shape as Shape).values(...args) as Row[]
  }

  #statement(shape: Shape) {
    const { over, reading, start, end, descending } = shape
    const name = `${over} ${reading} ${start} ${end} ${descending}`
    let statement = this.#statements.get(name)
    if (statement === undefined) {
      // Raw, because it runs for every query and compares rows of values.
      statement = this.#client.prepare(printQuery(shape))
      this.#statements.set(name, statement)
    }
    return statement
  }
}

/** Children read at a time. */
export function walkPage({ page }: Walk): number {
  return page ?? PAGE_ROWS
}

function readsChildren(reading: Reading): boolean {
  return reading === 'children' || reading === 'entries'
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

/** Where a child read with its entry stands. */
function rowPosition({ index }: Walk, row: Row): Argument[] {
  return index === undefined ? [textAt(row, 0)] : [row[3] as number, row[4] as Argument, textAt(row, 0)]
}

/** Where a key or landmark stands. */
function positionOf({ index }: Walk, row: Row): Argument[] {
  const [kind, value, key] = row as readonly [number, Argument, string]
  return index === undefined ? [key] : [kind, value, key]
}

/**
 * A walk through a list.
 * @param index the index to go along; `undefined` for the table, in key order
 */
export function walkOf(
  { id, traits }: Interior,
  index: number | undefined,
  range: SqlRange,
  descending: boolean,
): Walk {
  const walk = { list: id, index, range, descending }
  return (traits & Trait.longTexts) === 0 ? walk : { ...walk, page: PAGE_LONG_ROWS }
}
