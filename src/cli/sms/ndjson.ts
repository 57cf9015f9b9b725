import type { MessageRecord } from '../../sms/model/message.ts'
import { shown } from '../terminal/shown.ts'
import { type Cells, type Column, cellsOf, isColumn } from './columns.ts'
import { type FileFormat, LineError, LONGEST_ROW, type Row } from './file.ts'

/** One JSON object per line. */
export const ndjson: FileFormat = { read, head: '', write }

function write(records: readonly MessageRecord[]): string {
  // Absent cells are no members.
  return records.map((record) => `${JSON.stringify(cellsOf(record))}\n`).join('')
}

async function* read(pieces: AsyncIterable<string>): AsyncGenerator<readonly Row[]> {
  const lines = new Lines()
  for await (const piece of pieces) yield* lines.take(piece)
  yield* lines.take('\n')
}

/** Splits text into lines and parses them. */
class Lines {
  #line = 0
  /** Start of an incomplete line. */
  #begun = '';

  /** The rows whose lines end in a chunk. Rows before a faulty line come before the error. */
  *take(piece: string): Generator<readonly Row[]> {
    const rows: Row[] = []
    const lines = piece.split('\n')
    lines[0] = this.#begun + lines[0]
    this.#begun = lines.pop() ?? ''
    try {
      for (const line of lines) this.#read(line, rows)
      this.#checkLength(this.#begun, this.#line + 1)
    } catch (error) {
      yield rows
      throw error
    }
    yield rows
  }

  #read(line: string, rows: Row[]): void {
    this.#line++
    this.#checkLength(line, this.#line)
    if (line.trim() !== '') rows.push({ line: this.#line, cells: parse(line, this.#line) })
  }

  #checkLength({ length }: string, line: number): void {
    if (length > LONGEST_ROW) throw new LineError(line, `the line has more than ${LONGEST_ROW} characters`)
  }
}

function parse(text: string, line: number): Cells {
  const json = jsonOf(text)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new LineError(line, `expected a JSON object, found ${shown(text)}`)
  }
  const cells = new Map<Column, unknown>()
  for (const [name, value] of Object.entries(json)) {
    if (!isColumn(name)) throw new LineError(line, `unknown member ${shown(name)}`)
    if (value !== null && value !== '') cells.set(name, value)
  }
  return cells
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
