import { toExport } from '../../../../tree/json/export-text.ts'
import { type JsonText, print, printKey } from '../../../../tree/json/print.ts'
import { pieceEnd } from '../../../../tree/json/text-pieces.ts'
import { keyOf } from '../../../../tree/order.ts'
import type { Path } from '../../../../tree/path.ts'
import type { ChildRow } from '../../../rows/slot.ts'
import { arrayOf } from '../../connection/arrays.ts'
import { slotsAlong } from '../known-slots.ts'
import { locate } from '../location.ts'
import type { Reading } from '../reading.ts'
import { CHILD_ROWS } from '../statements/tree-statements.ts'

/** Text returned at once, in UTF-16 code units: a millisecond or two of work. */
const PIECE_LENGTH = 256 * 1024
/** Rows of a page, and length in bytes that ends it. */
const PAGE_ROWS = 2048
const PAGE_BYTES = 256 * 1024
/** Interior nodes whose first children are read together, and rows of each. */
const NODES_AHEAD = 64
const ROWS_AHEAD = 64

interface Row extends ChildRow {
  readonly n: number
  readonly found: number
}

/** Some consecutive children of a node. */
interface Page {
  readonly rows: readonly ChildRow[]
  /** Whether no child follows. */
  readonly isLast: boolean
}

/** A node that is being printed. */
interface Frame {
  readonly id: number
  page: Page
  at: number
  /** Text before the next member. */
  before: '{' | ','
  /** First children of nodes in the page. */
  ahead: ReadonlyMap<number, Page>
}

/** Prints a subtree of any size as `format=export` does, in chunks. It keeps some pages for each level in memory. */
export class ExportReader {
  readonly #reading: Reading
  #text = ''

  /** @param reading has a place among the long ones */
  constructor(reading: Reading) {
    this.#reading = reading
  }

  /** The text of a node; `null` where no node exists. */
  async *pieces(path: Path): AsyncGenerator<JsonText, void> {
    await this.#reading.walk([slotsAlong(path)])
    const location = locate(this.#reading.known, path)
    if (location === undefined) yield 'null'
    else if (location.kind === 'interior') yield* this.#branch(location.interior.id)
    else {
      this.#text = location.kind === 'inside' ? print(location.value, 'export') : toExport(location.text ?? '')
      yield* this.#full(1)
    }
  }

  async *#branch(id: number): AsyncGenerator<JsonText, void> {
    const frames = [await this.#open(id)]
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const row = frame.page.rows[frame.at]
      if (row !== undefined) {
        frame.at++
        this.#text += `${frame.before}${printKey(keyOf(row.key))}:`
        frame.before = ','
        if (row.id === null) this.#text += toExport(row.value ?? '')
        else frames.push(await this.#open(row.id, frame))
      } else if (frame.page.isLast) {
        this.#text += frame.before === '{' ? '{}' : '}'
        frames.pop()
      } else await this.#turn(frame)
      if (this.#text.length >= PIECE_LENGTH) yield* this.#full(PIECE_LENGTH)
    }
    yield* this.#full(1)
  }

  /** The text that is ready, as far as it makes pieces of this length. */
  *#full(least: number): Generator<JsonText, void> {
    const text = this.#text
    let start = 0
    while (text.length - start >= least) {
      const end = pieceEnd(text, start, PIECE_LENGTH)
      yield text.slice(start, end)
      start = end
    }
    this.#text = text.slice(start)
  }

  /** @param above the node above, in whose page it is */
  async #open(id: number, above?: Frame): Promise<Frame> {
    if (above !== undefined && !above.ahead.has(id)) {
      const rows = above.page.rows.slice(above.at - 1)
      const ids = rows.flatMap((row) => (row.id === null ? [] : [row.id])).slice(0, NODES_AHEAD)
      above.ahead = await this.#pages(ids, '', ids.length === 1 ? PAGE_ROWS : ROWS_AHEAD)
    }
    const page = above?.ahead.get(id) ?? (await this.#pages([id], '', PAGE_ROWS)).get(id)
    return { id, page: page ?? { rows: [], isLast: true }, at: 0, before: '{', ahead: new Map() }
  }

  /** Reads the next page of a node. */
  async #turn(frame: Frame): Promise<void> {
    const after = frame.page.rows.at(-1)?.key ?? ''
    frame.page = (await this.#pages([frame.id], after, PAGE_ROWS)).get(frame.id) ?? { rows: [], isLast: true }
    frame.at = 0
    frame.ahead = new Map()
  }

  /** The first children behind a key of some nodes: of all of them, or of the first ones where they are long. */
  async #pages(ids: readonly number[], after: string, most: number): Promise<ReadonlyMap<number, Page>> {
    const rows = await this.#reading.page<Row>(CHILD_ROWS, [this.#reading.tree, arrayOf(ids), after, most, PAGE_BYTES])
    const byNode = Map.groupBy(rows, ({ n }) => n)
    const last = rows.at(-1)
    const isCut = last !== undefined && rows.length < last.found
    const pages = new Map<number, Page>()
    for (const [index, id] of ids.entries()) {
      const own = byNode.get(index + 1) ?? []
      const isPartial = isCut && last.n === index + 1
      pages.set(id, { rows: own, isLast: !isPartial && own.length < most })
      if (isPartial) break
    }
    return pages
  }
}
