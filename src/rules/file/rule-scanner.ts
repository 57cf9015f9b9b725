import { joined, TextBuilder } from '../../tree/json/text-pieces.ts'
import { refuse } from '../expression/rule-errors.ts'

/** A number or `null` is `other`: rules use neither. After a `pause` the scan goes on where it was. */
export type Token = '{' | '}' | '[' | ']' | ':' | ',' | 'string' | 'true' | 'false' | 'other' | 'end' | 'pause'

/** Characters scanned between two pauses. */
const STRETCH = 16 * 1024

const QUOTE = 34
const SLASH = 47
const BACKSLASH = 92
const LOWER_U = 117
/** The first code that is no control character. */
const SPACE = 32
const [TAB, LINE_FEED, CARRIAGE_RETURN] = [9, 10, 13]
const UNICODE_DIGITS = 4

const LINE_END = /[\r\n]/g
const WORDS: ReadonlyMap<string, Token> = new Map([
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'other'],
])
const WORD = /^[^ \t\r\n{}[\]":,/]*/
/** Longest known word; a longer word is unknown. */
const MAX_WORD_LENGTH = 5
const NUMBER = /-?(?:0|[1-9][0-9]*(?![0-9]))(?:\.[0-9]+(?![0-9])|(?!\.))(?:[eE][+-]?[0-9]+(?![0-9])|(?![eE]))/y
const NUMBER_START = /[-0-9]/
const HEXADECIMAL = /[0-9a-fA-F]{0,4}/y
const ESCAPED = '"\\/bfnrt'
// biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for control characters
const CONTROLS = /[\u0000-\u001f]/g

const NO_TOKEN = 'not JSON'
const NO_END = 'not JSON: a string without an end'
const BAD_ESCAPE = 'not JSON: an unknown escape in a string'
const BAD_UNICODE = 'not JSON: \\u needs four hexadecimal digits'

/**
 * Splits a rules file into tokens: those of JSON, with comments and with raw control characters in strings. Meanwhile it
 * prints the file as JSON without comments. Offsets are in characters.
 */
export class RuleScanner {
  token: Token = 'end'
  /** Start of the token. */
  offset = 0
  /** Offset after the token. */
  end = 0
  /** Text of a string. */
  text = ''
  readonly #source: string
  readonly #strict = new TextBuilder()
  /** End of the source text that is printed. */
  #printed = 0
  #paused = 0
  #isInString = false
  /** Error in the open string. */
  #wrong: string | undefined

  constructor(source: string) {
    this.#source = source
    // A byte order mark counts as white space.
    if (source.startsWith('\uFEFF')) this.#replace(0, 1, '')
    this.end = this.#printed
  }

  /** The file as JSON, when all of it has been scanned. */
  strict(): string {
    const { length } = this.#source
    this.#replace(length, length, '')
    return joined(this.#strict.end())
  }

  /** Scans the next token. @throws ExpressionError at an invalid one */
  next(): void {
    if (this.#isInString) this.token = this.#string()
    else this.token = this.#isAtToken() ? this.#scan() : 'pause'
  }

  /** Skips white space and comments. @returns whether a token follows before the next pause */
  #isAtToken(): boolean {
    const source = this.#source
    const stop = this.#paused + STRETCH
    while (this.end < stop) {
      const code = source.charCodeAt(this.end)
      if (isSpace(code)) this.end++
      else {
        const behind = code === SLASH ? endOfComment(source, this.end) : undefined
        if (behind === undefined) return true
        this.#replace(this.end, behind, '')
        this.end = behind
      }
    }
    this.#paused = this.end
    return false
  }

  #scan(): Token {
    const at = this.end
    this.offset = at
    const character = this.#source.charAt(at)
    switch (character) {
      case '':
        return 'end'
      case '{':
      case '}':
      case '[':
      case ']':
      case ':':
      case ',':
        this.end = at + 1
        return character
      case '"':
        this.end = at + 1
        this.text = ''
        this.#wrong = undefined
        this.#isInString = true
        return this.#string()
      default:
        return NUMBER_START.test(character) ? this.#number() : this.#word()
    }
  }

  /** Scans the open string up to its end or the next pause. */
  #string(): Token {
    const source = this.#source
    const start = this.end
    const stop = Math.min(start + STRETCH, source.length)
    let at = start
    let hasControls = false
    let hasEscapes = false
    while (at < stop) {
      const code = source.charCodeAt(at)
      if (code === QUOTE) {
        this.#isInString = false
        break
      }
      at++
      if (code < SPACE) hasControls = true
      else if (code === BACKSLASH) {
        hasEscapes = true
        this.#wrong = this.#escapeError(at) ?? this.#wrong
        at = this.#endOfEscape(at)
      }
    }
    if (this.#isInString && at >= source.length) refuse(this.offset, NO_END)
    const raw = source.slice(start, at)
    const strict = hasControls ? raw.replace(CONTROLS, escapeControl) : raw
    if (hasControls) this.#replace(start, at, strict)
    if (this.#wrong === undefined) this.text += hasEscapes ? (JSON.parse(`"${strict}"`) as string) : raw
    this.end = at
    return this.#isInString ? 'pause' : this.#endString()
  }

  #endString(): Token {
    this.end++
    if (this.#wrong !== undefined) refuse(this.offset, this.#wrong)
    return 'string'
  }

  /** @param at offset after the backslash */
  #escapeError(at: number): string | undefined {
    const source = this.#source
    if (source.charCodeAt(at) !== LOWER_U) return ESCAPED.includes(source.charAt(at)) ? undefined : BAD_ESCAPE
    return this.#endOfEscape(at) === at + 1 + UNICODE_DIGITS ? undefined : BAD_UNICODE
  }

  #endOfEscape(at: number): number {
    if (this.#source.charCodeAt(at) !== LOWER_U) return at + 1
    HEXADECIMAL.lastIndex = at + 1
    HEXADECIMAL.test(this.#source)
    return HEXADECIMAL.lastIndex
  }

  #number(): Token {
    NUMBER.lastIndex = this.offset
    if (!NUMBER.test(this.#source)) refuse(this.offset, NO_TOKEN)
    this.end = NUMBER.lastIndex
    return 'other'
  }

  #word(): Token {
    const [word = ''] = WORD.exec(this.#source.slice(this.offset, this.offset + MAX_WORD_LENGTH + 1)) ?? []
    this.end = this.offset + word.length
    return WORDS.get(word) ?? refuse(this.offset, NO_TOKEN)
  }

  /** Prints a piece of the source, after all that is before it, in another form. */
  #replace(from: number, to: number, strict: string): void {
    const text = this.#source.slice(this.#printed, from) + strict
    if (text !== '') this.#strict.add(text)
    this.#printed = to
  }
}

function isSpace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === TAB || code === CARRIAGE_RETURN
}

/**
 * Offset after the comment that begins at an offset; `undefined` where none does.
 * @throws ExpressionError for a comment without an end
 */
function endOfComment(source: string, start: number): number | undefined {
  if (source.startsWith('//', start)) {
    LINE_END.lastIndex = start + 2
    return LINE_END.exec(source)?.index ?? source.length
  }
  if (!source.startsWith('/*', start)) return undefined
  const end = source.indexOf('*/', start + 2)
  return end === -1 ? refuse(start, 'a comment without an end') : end + 2
}

function escapeControl(character: string): string {
  return JSON.stringify(character).slice(1, -1)
}
