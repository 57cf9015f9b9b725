import { extname } from 'node:path'
import { fileName } from '../terminal/input.ts'
import { csv, csvForSpreadsheets } from './csv.ts'
import type { FileFormat } from './file.ts'
import { ndjson } from './ndjson.ts'

export type FormatName = 'csv' | 'ndjson'

const FORMATS: Readonly<Record<FormatName, FileFormat>> = { csv, ndjson }
const ENDINGS: ReadonlyMap<string, FormatName> = new Map([
  ['.csv', 'csv'],
  ['.ndjson', 'ndjson'],
  ['.jsonl', 'ndjson'],
])

/**
 * The variant of a format without formulas. Its files cannot be imported unchanged.
 * @throws Error for a format without cells
 */
export function forSpreadsheets(format: FileFormat): FileFormat {
  if (format === csv) return csvForSpreadsheets
  throw new Error('--escape-formulas belongs to the format csv')
}

/**
 * The requested format, or that of the file extension.
 * @throws Error when both are missing
 */
export function formatOf(file: string, name: FormatName | undefined): FileFormat {
  const known = name ?? ENDINGS.get(extname(file).toLowerCase())
  if (known !== undefined) return FORMATS[known]
  throw new Error(`${fileName(file)}: its name ends neither in .csv nor in .ndjson: say --format csv or ndjson`)
}
