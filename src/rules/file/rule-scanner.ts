import type { Steps } from '../../scheduling/steps.ts'
import { refuse } from '../expression/rule-errors.ts'
import { endOfComment, hasByteOrderMark, STRETCH } from './rule-source.ts'

/** A number or `null` is `other`: rules use neither. */
export type Token = '{' | '}' | '[' | ']' | ':' | ',' | 'string' | 'true' | 'false' | 'other' | 'end'

const QUOTE = 34
const SLASH = 47
const BACKSLASH = 92
const LOWER_U = 117
const [ZERO, NINE] = [48, 57]
const UNICODE_DIGITS = 4

const SPACES = ' \t\r\n'
/** First characters of white space and comments. */
const SKIPPED = `${SPACES}/`
const WORDS: ReadonlyMap<string, Token> = new Map([
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'other'],
])
const WORD = /^[^ \t\r\n{}[\]":,/]*/
/** Longest known word; a longer word is unknown. */
const MAX_WORD_LENGTH = 5
/** Longest string that is scanned without pauses. */
const PLAIN_LENGTH = 256
const HEXADECIMAL = /[0-9a-fA-F]{0,4}/y
const ESCAPED = '"\\/bfnrt'

const NO_TOKEN = 'not JSON'
const NO_END = 'not JSON: a string without an end'
const BAD_ESCAPE = 'not JSON: an unknown escape in a string'
const BAD_UNICODE = 'not JSON: \\u needs four hexadecimal digits'

/**
 * Splits a rules file into tokens: those of JSON, with comments and with raw control characters in strings. Offsets are
 * in characters.
 */
export class RuleScanner {
  token: Token = 'end'
  /** Start of the token. */
  offset = 0
  /** Offset after the token. */
  end = 0
  readonly #source: string
  #paused = 0

  constructor(source: string) {
    this.#source = source
    if (hasByteOrderMark(source)) this.end = 1
  }

  /** Scans the next token. @throws ExpressionError at an invalid one */
  *next(): Steps<void> {
    const isPauseDue = this.end - this.#paused >= STRETCH
    if (isPauseDue || SKIPPED.includes(this.#source.charAt(this.end))) yield* this.#skip()
    const at = this.end
    this.offset = at
    const character = this.#source.charAt(at)
    switch (character) {
      case '':
        this.token = 'end'
        return
      case '{':
      case '}':
      case '[':
      case ']':
      case ':':
      case ',':
        this.token = character
        this.end = at + 1
        return
      case '"':
        this.token = 'string'
        if (!this.#isPlainString()) yield* this.#string()
        return
      default:
        if (character === '-' || this.#isDigit(at)) yield* this.#number()
        else this.#word()
    }
  }

  /** Skips white space and comments. */
  *#skip(): Steps<void> {
    const source = this.#source
    for (let at = this.end; ; ) {
      while (at - this.#paused < STRETCH && at < source.length && SPACES.includes(source.charAt(at))) at++
      this.end = at
      if (at - this.#paused >= STRETCH) {
        this.#paused = at
        yield
      } else {
        const behind = source.charCodeAt(at) === SLASH ? yield* endOfComment(source, at) : undefined
        if (behind === undefined) return
        at = behind
      }
    }
  }

  /** Scans a short string without escapes. */
  #isPlainString(): boolean {
    const start = this.offset + 1
    const stop = Math.min(start + PLAIN_LENGTH, this.#source.length)
    for (let at = start; at < stop; at++) {
      const code = this.#source.charCodeAt(at)
      if (code === BACKSLASH) return false
      if (code !== QUOTE) continue
      this.end = at + 1
      return true
    }
    return false
  }

  *#string(): Steps<void> {
    const source = this.#source
    let wrong: string | undefined
    for (let at = this.offset + 1; ; ) {
      const stop = Math.min(at + STRETCH, source.length)
      while (at < stop) {
        const code = source.charCodeAt(at++)
        if (code === QUOTE) {
          if (wrong !== undefined) refuse(this.offset, wrong)
          this.end = at
          return
        }
        if (code !== BACKSLASH) continue
        wrong = this.#escapeError(at) ?? wrong
        at = this.#endOfEscape(at)
      }
      if (at >= source.length) refuse(this.offset, NO_END)
      yield
    }
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

  *#number(): Steps<void> {
    const source = this.#source
    let at = this.offset
    if (source[at] === '-') at++
    if (!this.#isDigit(at)) refuse(this.offset, NO_TOKEN)
    at = source[at] === '0' ? at + 1 : yield* this.#digits(at)
    if (source[at] === '.') at = yield* this.#digits(at + 1)
    if (source[at] === 'e' || source[at] === 'E') {
      at++
      if (source[at] === '+' || source[at] === '-') at++
      at = yield* this.#digits(at)
    }
    this.token = 'other'
    this.end = at
  }

  /** @returns the end of the digits @throws ExpressionError where there are none */
  *#digits(start: number): Steps<number> {
    if (!this.#isDigit(start)) refuse(this.offset, NO_TOKEN)
    let at = start + 1
    for (; this.#isDigit(at); at++) if ((at - start) % STRETCH === 0) yield
    return at
  }

  #isDigit(at: number): boolean {
    const code = this.#source.charCodeAt(at)
    return code >= ZERO && code <= NINE
  }

  #word(): void {
    const [word = ''] = WORD.exec(this.#source.slice(this.offset, this.offset + MAX_WORD_LENGTH + 1)) ?? []
    this.token = WORDS.get(word) ?? refuse(this.offset, NO_TOKEN)
    this.end = this.offset + word.length
  }
}
