import { drain, type Steps } from '../../scheduling/steps.ts'

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g
/** Of `\\u0000`. */
const UNICODE_ESCAPE_LENGTH = 6
/** Characters of a string read between two pauses. */
const STEP_LENGTH = 16 * 1024
/** Lines counted between two pauses. */
const STEP_LINES = 4096
const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

/** The text of a JSON string, which may hold raw control characters. @param raw text between its quotation marks */
function textOfLiteral(raw: string): string {
  if (!raw.includes('\\')) return raw
  return raw.replace(ESCAPE, (_, digits: string | undefined, character: string | undefined) =>
    digits === undefined
      ? (ESCAPED.get(character ?? '') ?? character ?? '')
      : String.fromCharCode(Number.parseInt(digits, 16)),
  )
}

/** As `textOfLiteral`, with pauses. */
export function* textInSteps(raw: string): Steps<string> {
  if (raw.length <= STEP_LENGTH) return textOfLiteral(raw)
  const pieces: string[] = []
  for (let start = 0; start < raw.length; ) {
    const end = endOfPiece(raw, start)
    pieces.push(textOfLiteral(raw.slice(start, end)))
    start = end
    yield
  }
  return pieces.join('')
}

/** End of a piece of a raw string that splits no escape. */
function endOfPiece(raw: string, start: number): number {
  const stop = start + STEP_LENGTH
  for (let at = start; ; ) {
    const backslash = raw.slice(at, stop).indexOf('\\')
    if (backslash === -1) return Math.max(at, stop)
    at += backslash + (raw[at + backslash + 1] === 'u' ? UNICODE_ESCAPE_LENGTH : 2)
  }
}

/** Position in the raw string of a character of its text. */
export function rawIndex(raw: string, index: number): number {
  let at = index
  for (const { 0: found, index: start } of raw.matchAll(ESCAPE)) {
    if (start >= at) break
    at += found.length - 1
  }
  return at
}

/** Line number of a character, from 1. */
export function lineOf(source: string, offset: number): number {
  return drain(lineInSteps(source, offset))
}

/** As `lineOf`, with pauses. */
export function* lineInSteps(source: string, offset: number): Steps<number> {
  let line = 1
  for (let at = source.indexOf('\n'); at !== -1 && at < offset; at = source.indexOf('\n', at + 1)) {
    if (++line % STEP_LINES === 0) yield
  }
  return line
}

/** Column number of a character, from 1. */
export function columnOf(source: string, offset: number): number {
  return offset === 0 ? 1 : offset - source.lastIndexOf('\n', offset - 1)
}

const MAX_QUOTED_LENGTH = 200

/** A piece of a file, shortened for messages. */
export function shortened(text: string): string {
  return text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text
}
