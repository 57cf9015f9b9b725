import { DholeError, type ErrorCode } from '../../error.ts'
import { printable } from '../terminal/printable.ts'
import { complaint, type Place } from './text-position.ts'

/** What is wrong with a rules file. */
export interface Problem {
  /** Number of the row in the table of errors. */
  readonly errcode: number
  /** `undefined` when it is the whole file. */
  readonly place: Place | undefined
  readonly why: string
}

/** Numbers that REST answers for the errors of rules. */
const ERRCODES: Partial<Record<ErrorCode, number>> = { 'bad-rules': 20602, 'rule-wildcards': 20601 }
const PLACED = /^Line (\d+): (.*)$/s
const COLUMN = / \(column (\d+)\)/

/** The mistake in a rules file that an error reports. @throws any other error again */
export function problemOf(thrown: unknown): Problem {
  const errcode = thrown instanceof DholeError ? ERRCODES[thrown.code] : undefined
  if (!(thrown instanceof DholeError) || errcode === undefined) throw thrown
  const [, line, text] = PLACED.exec(thrown.message) ?? []
  if (line === undefined || text === undefined) return { errcode, place: undefined, why: thrown.message }
  const column = COLUMN.exec(text)?.[1]
  const place = { line: Number(line), column: column === undefined ? undefined : Number(column) }
  return { errcode, place, why: text.replace(COLUMN, '') }
}

/** The lines that show it. */
export function problemText(file: string, source: string, { place, why }: Problem): string {
  return place === undefined ? `${file}: ${printable(why)}` : complaint(file, source, place, why)
}
