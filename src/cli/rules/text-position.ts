import { printable } from '../terminal/printable.ts'

/** A position in a text: line and column from 1, columns in UTF-16 code units. */
export interface TextPosition {
  readonly line: number
  /** `undefined` when only the line is known. */
  readonly column: number | undefined
}

/** Characters shown on each side of a position. */
const SHOWN = 60

/** Position of a character. */
export function positionOf(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/** `FILE:LINE:COLUMN: why`, and below it the line of the source with a caret under the column. */
export function errorText(file: string, source: string, { line, column }: TextPosition, why: string): string {
  const text = (source.split('\n')[line - 1] ?? '').replace(/\r$/, '')
  const heading = `${file}:${line}:${column === undefined ? '' : `${column}:`} ${printable(why)}`
  return [heading, ...(column === undefined ? shown(text, 0) : underlined(text, column - 1))].join('\n')
}

function shown(text: string, from: number): readonly string[] {
  return text.trim() === '' ? [] : [`  ${printable(text.slice(from, from + 2 * SHOWN))}`]
}

/** @param at index in the line, from 0 */
function underlined(text: string, at: number): readonly string[] {
  const from = Math.max(0, at - SHOWN)
  const lines = shown(text, from)
  // Wide characters and tabs take the same width as in the line above.
  const indent = printable(text.slice(from, at))
    .split('\t')
    .map((piece) => ' '.repeat(Bun.stringWidth(piece)))
  return lines.length === 0 ? [] : [...lines, `  ${indent.join('\t')}^`]
}
