import { printable } from '../terminal/printable.ts'

/** A place in a text; both count from 1, columns in UTF-16 code units. */
export interface Place {
  readonly line: number
  /** `undefined` when only the line is known. */
  readonly column: number | undefined
}

/** Characters shown on each side of a place. */
const SHOWN = 60

/** The place of a character of a text. */
export function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/** `FILE:LINE:COLUMN: why`, and below it the line of the source with a caret under the place. */
export function complaint(file: string, source: string, { line, column }: Place, why: string): string {
  const text = (source.split('\n')[line - 1] ?? '').replace(/\r$/, '')
  const heading = `${file}:${line}:${column === undefined ? '' : `${column}:`} ${printable(why)}`
  return [heading, ...(column === undefined ? shown(text, 0) : underlined(text, column - 1))].join('\n')
}

function shown(text: string, from: number): readonly string[] {
  return text.trim() === '' ? [] : [`  ${printable(text.slice(from, from + 2 * SHOWN))}`]
}

/** @param at place in the line, from 0 */
function underlined(text: string, at: number): readonly string[] {
  const from = Math.max(0, at - SHOWN)
  const lines = shown(text, from)
  // Wide characters and tabs take the room they take in the line above.
  const indent = printable(text.slice(from, at))
    .split('\t')
    .map((piece) => ' '.repeat(Bun.stringWidth(piece)))
  return lines.length === 0 ? [] : [...lines, `  ${indent.join('\t')}^`]
}
