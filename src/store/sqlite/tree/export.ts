import { toExport } from '../../../tree/json/export-text.ts'
import { type JsonText, print, printKey } from '../../../tree/json/print.ts'
import { pieceEnd } from '../../../tree/json/text-pieces.ts'
import { keyOf } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import type { ChildRow, SlotContent } from '../../rows/slot.ts'
import type { Connection } from '../file/connection.ts'
import { defineStatements } from '../file/statements.ts'
import { TextChunks } from './text-chunks.ts'
import type { TreeReader } from './tree-reader.ts'

/** Text read and returned at once, in UTF-16 code units: a millisecond or two of work. */
const PIECE_LENGTH = 256 * 1024
/** Cost of a row beside its text, in UTF-16 code units. */
const ROW_LENGTH = 64

const statements = defineStatements({
  // Raw SQL: it reads every row and stops after any of them.
  rowsAfter: ({ client }) =>
    client.prepare<ChildRow, [number, string]>(
      'SELECT key, value, id FROM node WHERE parent_id = ? AND key > ? ORDER BY key',
    ),
})

/** Prints subtrees of any size as `format=export` does, in chunks. It keeps one chunk in memory. */
export class ExportReader {
  readonly #statements
  readonly #tree: TreeReader
  readonly #chunks: TextChunks

  constructor(connection: Connection, tree: TreeReader) {
    this.#statements = statements(connection)
    this.#chunks = new TextChunks(connection)
    this.#tree = tree
  }

  /** The text of a node; `null` where no node exists. */
  *pieces(path: Path): Generator<JsonText> {
    const location = this.#tree.location(path)
    if (location === undefined) yield 'null'
    else if (location.kind === 'inside') yield print(location.value, 'export')
    else yield* joined(this.#content(location.slot))
  }

  *#content({ id, value }: SlotContent): Generator<string> {
    if (id === null) yield toExport(value ?? '')
    else if (value === null) yield* this.#branch(id)
    else yield* this.#chunks.of(id)
  }

  *#branch(id: number): Generator<string> {
    let before = '{'
    for (const page of this.#pages(id)) {
      for (const row of page) {
        yield `${before}${printKey(keyOf(row.key))}:`
        yield* this.#content(row)
        before = ','
      }
    }
    yield '}'
  }

  /** Children in key order. The statement is closed between pages, because the levels below use the same one. */
  *#pages(parent: number): Generator<readonly ChildRow[]> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page: ChildRow[] = []
      let length = 0
      let next: string | undefined
      for (const row of this.#statements.rowsAfter.iterate(parent, after)) {
        page.push(row)
        length += ROW_LENGTH + (row.value?.length ?? 0)
        if (length < PIECE_LENGTH) continue
        next = row.key
        break
      }
      yield page
      after = next
    }
  }
}

/** Joins short texts into chunks, and divides long ones. */
function* joined(texts: Iterable<string>): Generator<string> {
  let piece = ''
  for (const text of texts) {
    for (let start = 0; start < text.length; ) {
      const end = pieceEnd(text, start, PIECE_LENGTH)
      piece += text.slice(start, end)
      start = end
      if (piece.length < PIECE_LENGTH) continue
      yield piece
      piece = ''
    }
  }
  if (piece !== '') yield piece
}
