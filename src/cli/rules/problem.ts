import { DholeError } from '../../error.ts'
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

const PLACED = /^Line (\d+): (.*)$/s
const COLUMN = / \(column (\d+)\)/

/** What the rules room had to say about a file. @throws what is no refusal of rules */
export function problemOf(thrown: unknown): Problem {
  if (!(thrown instanceof DholeError) || !(thrown.code === 'bad-rules' || thrown.code === 'rule-wildcards'))
    throw thrown
  const { errcode } = thrown.body
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
