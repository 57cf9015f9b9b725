import { applyEdits, format, getLocation, type ParseError, parse } from 'jsonc-parser'

/** Characters that may stand for a line break; the first that the text does not have is used. */
const STAND_INS = ['\uE000', '\uE001', '\uE002', '\uF8FF']

/** Where in a rules file a position is. */
export interface RulesPlace {
  /** Keys from the root to the position, the last one being the member it is in. */
  readonly path: readonly string[]
  /** Whether a key is written there, and not a value. */
  readonly isKey: boolean
}

/**
 * Lays out a rules file with two spaces for each level. Comments and strings stay as they are.
 * @throws Error that says why it is not JSON with comments, and on which line
 */
export function formatRules(source: string): string {
  const { text, standIn } = withoutBreaks(source)
  const before = parsed(text)
  const edits = format(text, undefined, { tabSize: 2, insertSpaces: true, eol: '\n' })
  const formatted = applyEdits(text, edits)
  if (JSON.stringify(parsed(formatted)) !== JSON.stringify(before)) throw new Error('the layout would change the rules')
  return formatted.replaceAll(standIn, '\n')
}

/** The member of the rules that a position belongs to. */
export function placeAt(source: string, position: number): RulesPlace {
  const { path, isAtPropertyKey } = getLocation(withoutBreaks(source).text, position)
  return { path: path.map(String), isKey: isAtPropertyKey }
}

/** @throws Error `line 3: …` */
function parsed(text: string): unknown {
  const faults: ParseError[] = []
  const value: unknown = parse(text, faults, { allowTrailingComma: false })
  const [fault] = faults
  if (fault === undefined) return value
  const line = text.slice(0, fault.offset).split('\n').length
  throw new Error(`line ${line} is not JSON: correct what the editor marks first`)
}

/**
 * Rules may have raw line breaks within strings, JSON may not: the same text, of the same length, with another character in
 * their place.
 */
function withoutBreaks(source: string): { readonly text: string; readonly standIn: string } {
  const standIn = STAND_INS.find((character) => !source.includes(character)) ?? '\uE000'
  const STRINGS_AND_COMMENTS = /"(?:[^"\\]|\\[\s\S])*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g
  const text = source.replace(/\r\n?/g, '\n').replace(STRINGS_AND_COMMENTS, (piece) => {
    return piece.startsWith('"') ? piece.replaceAll('\n', standIn) : piece
  })
  return { text, standIn }
}
