const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g
const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

/** The text of a JSON string, which may hold raw control characters. @param raw what stands between its quotation marks */
export function textOfLiteral(raw: string): string {
  if (!raw.includes('\\')) return raw
  return raw.replace(ESCAPE, (_, digits: string | undefined, character: string | undefined) =>
    digits === undefined
      ? (ESCAPED.get(character ?? '') ?? character ?? '')
      : String.fromCharCode(Number.parseInt(digits, 16)),
  )
}

/** Where in the raw string a character of its text stands. */
export function rawIndex(raw: string, index: number): number {
  let at = index
  for (const { 0: found, index: start } of raw.matchAll(ESCAPE)) {
    if (start >= at) break
    at += found.length - 1
  }
  return at
}

/** Number of the line that a character stands in, from 1. */
export function lineOf(source: string, offset: number): number {
  let line = 1
  for (let at = source.indexOf('\n'); at !== -1 && at < offset; at = source.indexOf('\n', at + 1)) line++
  return line
}

/** Number of a character within its line, from 1. */
export function columnOf(source: string, offset: number): number {
  return offset === 0 ? 1 : offset - source.lastIndexOf('\n', offset - 1)
}

const MAX_QUOTED_LENGTH = 200

/** A piece of a file as it is shown to people. */
export function cut(text: string): string {
  return text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text
}
