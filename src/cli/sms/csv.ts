import { type CsvError, type InfoRecord, Parser } from 'csv-parse'
import { stringify } from 'csv-stringify/sync'
import type { MessageRecord } from '../../sms/model/message.ts'
import { shown } from '../terminal/shown.ts'
import { type Cells, COLUMNS, type Column, cellsOf, isColumn, REQUIRED } from './columns.ts'
import { type FileFormat, LineError, LONGEST_ROW, type Row } from './file.ts'

/** A header line with the columns, then one row per message, quoted as in RFC 4180. */
export const csv: FileFormat = { read, head: `${COLUMNS.join(',')}\n`, write }

/** CSV with an apostrophe before cells that a spreadsheet would compute. */
export const csvForSpreadsheets: FileFormat = { ...csv, write: writeEscaped }

const ERROR_TEXTS: ReadonlyMap<string, string> = new Map([
  ['CSV_QUOTE_NOT_CLOSED', 'a quotation mark is not closed'],
  ['CSV_INVALID_CLOSING_QUOTE', 'expected a comma or the end of the line after a closing quotation mark'],
  ['INVALID_OPENING_QUOTE', 'a quotation mark inside of a cell that does not begin with one'],
  ['CSV_MAX_RECORD_SIZE', `the row has more than ${LONGEST_ROW} bytes`],
])

function write(records: readonly MessageRecord[]): string {
  return writeCells(records.map((record) => Object.values(cellsOf(record))))
}

function writeEscaped(records: readonly MessageRecord[]): string {
  return writeCells(
    records.map((record) => Object.values(cellsOf(record)).map((cell) => (isFormula(cell) ? `'${cell}` : cell))),
  )
}

/** Whether a spreadsheet computes a cell: its first character decides, wide forms included. */
function isFormula(cell: string | number | undefined): boolean {
  return typeof cell === 'string' && /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(cell)
}

/** Text of rows; an absent cell is empty. */
export function writeCells(rows: readonly (readonly (string | number | undefined)[])[]): string {
  // Without quotes, a return at the end of a row would be read as a part of it.
  return stringify([...rows], { record_delimiter: '\n', quoted_match: /[\r\n]/ })
}

async function* read(pieces: AsyncIterable<string>): AsyncGenerator<readonly Row[]> {
  let columns: readonly Column[] | undefined
  for await (const lines of readCells(pieces)) {
    const rows: Row[] = []
    try {
      for (const { line, cells } of lines) {
        if (columns === undefined) columns = columnsOf(cells, line)
        else rows.push({ line, cells: rowOf(columns, cells, line) })
      }
    } catch (error) {
      yield rows
      throw error
    }
    yield rows
  }
  if (columns === undefined) throw new LineError(1, `expected a line with the names of the columns: ${COLUMNS.join()}`)
}

/** A row of cells, and its first line. */
interface Line {
  readonly line: number
  readonly cells: readonly string[]
}

/** The rows of a text in batches, without empty lines. @throws LineError after all rows before it */
export async function* readCells(pieces: AsyncIterable<string>): AsyncGenerator<readonly Line[]> {
  const reader = new Reader()
  for await (const piece of pieces) yield* reader.take((done) => reader.parser.write(piece, done))
  yield* reader.take((done) => reader.parser.end(done))
}

/** Collects the rows of the parser, which drops them when it finds an error. */
class Reader {
  readonly parser: Parser
  #found: Line[] = []
  #error: Error | undefined
  /** First line of the next row, without empty lines. */
  #next = 1
  #emptyLines = 0

  constructor() {
    this.parser = new Parser({
      record_delimiter: ['\r\n', '\n'],
      skip_empty_lines: true,
      relax_column_count: true,
      max_record_size: LONGEST_ROW,
      on_record: (cells: string[], info) => this.#add(cells, info),
    })
    this.parser.on('error', (error) => {
      this.#error = error
    })
    // The parser has no output, but it ends only when its output is read.
    this.parser.resume()
  }

  /** @param give passes text to the parser, and calls back when the parser has read it */
  async *take(give: (done: (error?: Error | null) => void) => void): AsyncGenerator<readonly Line[]> {
    await new Promise<void>((resolve) => {
      give((error) => {
        this.#error ??= error ?? undefined
        resolve()
      })
    })
    const found = this.#found
    this.#found = []
    yield found
    if (this.#error !== undefined) throw this.#lineError(this.#error as CsvError)
  }

  /** The line count of the parser is unusable: it counts CR LF inside quotes as two lines. */
  #add(cells: readonly string[], { empty_lines: emptyLines }: InfoRecord): null {
    const line = this.#beginning(emptyLines)
    this.#found.push({ line, cells })
    this.#next = line + 1
    for (const cell of cells) this.#next += cell.split('\n').length - 1
    return null
  }

  #beginning(emptyLines: number): number {
    const line = this.#next + emptyLines - this.#emptyLines
    this.#emptyLines = emptyLines
    return line
  }

  #lineError(error: CsvError): LineError {
    const line = this.#beginning(Number(error['empty_lines']))
    return new LineError(line, ERROR_TEXTS.get(error.code) ?? error.message)
  }
}

function columnsOf(cells: readonly string[], line: number): readonly Column[] {
  const unknown = cells.filter((name) => !isColumn(name))
  if (unknown.length > 0) {
    throw new LineError(line, `unknown column ${unknown.map(shown).join(', ')}: there are ${COLUMNS.join()}`)
  }
  const columns = cells.filter(isColumn)
  const twice = columns.find((name, at) => columns.indexOf(name) !== at)
  if (twice !== undefined) throw new LineError(line, `column "${twice}" twice`)
  const missing = REQUIRED.find((name) => !columns.includes(name))
  if (missing !== undefined) throw new LineError(line, `no column "${missing}"`)
  return columns
}

function rowOf(columns: readonly Column[], cells: readonly string[], line: number): Cells {
  if (cells.length !== columns.length) {
    throw new LineError(line, `expected ${columns.length} cells, found ${cells.length}`)
  }
  const row = new Map<Column, string>()
  for (const [at, column] of columns.entries()) {
    const cell = cells[at] ?? ''
    if (cell !== '') row.set(column, cell)
  }
  return row
}
