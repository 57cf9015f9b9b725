import { extname } from 'node:path'
import { fileName } from './input.ts'
import { csv } from './sms-csv.ts'
import type { FileFormat } from './sms-file.ts'
import { ndjson } from './sms-ndjson.ts'

export type FormatName = 'csv' | 'ndjson'

const FORMATS: Readonly<Record<FormatName, FileFormat>> = { csv, ndjson }
const ENDINGS: ReadonlyMap<string, FormatName> = new Map([
  ['.csv', 'csv'],
  ['.ndjson', 'ndjson'],
  ['.jsonl', 'ndjson'],
])

/**
 * The format that is asked for, or that the name of a file ends in.
 * @throws Error when neither says it
 */
export function formatOf(file: string, name: FormatName | undefined): FileFormat {
  const known = name ?? ENDINGS.get(extname(file).toLowerCase())
  if (known !== undefined) return FORMATS[known]
  throw new Error(`${fileName(file)}: its name ends neither in .csv nor in .ndjson: say --format csv or ndjson`)
}
