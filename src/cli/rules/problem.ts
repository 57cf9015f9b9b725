import { DholeError, type ErrorCode } from '../../error.ts'
import { printable } from '../terminal/printable.ts'
import { errorText, type TextPosition } from './text-position.ts'

/** Fault of a rules file. */
export interface Problem {
  /** Number of the row in the table of errors. */
  readonly errcode: number
  /** `undefined` for a fault of the whole file. */
  readonly position: TextPosition | undefined
  readonly why: string
}

/** Numbers that REST answers for the errors of rules. */
const ERRCODES: Partial<Record<ErrorCode, number>> = { 'bad-rules': 20602, 'rule-wildcards': 20601 }
const POSITIONED = /^Line (\d+): (.*)$/s
const COLUMN = / \(column (\d+)\)/

/** The mistake in a rules file that an error reports. @throws any other error again */
export function problemOf(thrown: unknown): Problem {
  const errcode = thrown instanceof DholeError ? ERRCODES[thrown.code] : undefined
  if (!(thrown instanceof DholeError) || errcode === undefined) throw thrown
  const [, line, text] = POSITIONED.exec(thrown.message) ?? []
  if (line === undefined || text === undefined) return { errcode, position: undefined, why: thrown.message }
  const column = COLUMN.exec(text)?.[1]
  const position = { line: Number(line), column: column === undefined ? undefined : Number(column) }
  return { errcode, position, why: text.replace(COLUMN, '') }
}

/** Text of a fault with its source line. */
export function problemText(file: string, source: string, { position, why }: Problem): string {
  return position === undefined ? `${file}: ${printable(why)}` : errorText(file, source, position, why)
}
