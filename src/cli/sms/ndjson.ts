import type { MessageRecord } from '../../sms/model/message.ts'
import { jsonOf } from '../../tree/json/parse-json.ts'
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
  let line = 0
  for await (const lines of linesOf(pieces)) {
    const rows: Row[] = []
    try {
      for (const text of lines) {
        line++
        if (text.length > LONGEST_ROW) throw new LineError(line, `the line has more than ${LONGEST_ROW} characters`)
        if (text.trim() !== '') rows.push({ line, cells: parse(text, line) })
      }
    } catch (error) {
      yield rows
      throw error
    }
    yield rows
  }
}

async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  /** Start of an incomplete line. */
  let begun = ''
  for await (const piece of pieces) {
    const lines = (begun + piece).split('\n')
    begun = lines.pop() ?? ''
    // `read` refuses a line that is too long, complete or not.
    if (begun.length > LONGEST_ROW) lines.push(begun)
    yield lines
  }
  yield [begun]
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
