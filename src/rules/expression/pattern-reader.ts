import { refuse } from './rule-errors.ts'

const MAX_GROUPS_WITHIN = 50
const MAX_REPEATS = 1000
const CLASS_ESCAPES = 'dDsSwW'
const CONTROL_ESCAPES = 'nrtfv'
const QUANTIFIER = /[*+?]|\{(\d{1,9})(,(\d{1,9})?)?\}/y
const HEXADECIMAL = /x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})/y
const PUNCTUATION = /^[!-/:-@[-`{-~]$/
const WORD_CHARACTER = /^[0-9A-Za-z]$/

/**
 * Parses a pattern of the rules and prints it for the matcher, whose language has more syntax and treats stray signs in
 * another way.
 * @param at position of the pattern in the expression
 * @throws ExpressionError
 * @see docs/reference/protocol.md#rules
 */
export function readPattern(at: number, text: string): string {
  return new PatternReader(at, text).read()
}

/** One character of a class, or an escape for several characters. */
interface ClassItem {
  readonly text: string
  readonly code: number | undefined
}

class PatternReader {
  readonly #base: number
  readonly #text: string
  #at = 0

  constructor(base: number, text: string) {
    this.#base = base
    this.#text = text
  }

  read(): string {
    const written = this.#alternatives(0)
    if (this.#at < this.#text.length) this.#refuse('a ) without a (')
    return written
  }

  #alternatives(depth: number): string {
    if (depth > MAX_GROUPS_WITHIN) this.#refuse('groups within groups are too deep')
    let written = this.#sequence(depth)
    while (this.#take('|')) written += `|${this.#sequence(depth)}`
    return written
  }

  #sequence(depth: number): string {
    let written = ''
    if (this.#at === 0 && this.#take('^')) written = '^'
    while (this.#at < this.#text.length && !this.#isNext('|') && !this.#isNext(')')) {
      if (this.#isNext('$') && this.#at === this.#text.length - 1) {
        this.#at++
        return `${written}$`
      }
      written += this.#atom(depth) + this.#quantifier()
    }
    return written === '' ? this.#refuse('nothing stands here to be matched') : written
  }

  #atom(depth: number): string {
    const character = this.#next()
    switch (character) {
      case '(':
        return this.#group(depth)
      case '[':
        return this.#class()
      case '\\':
        return this.#escape().text
      case '.':
        return '.'
      case '^':
        return this.#refuse('^ may only stand first', -1)
      case '$':
        return this.#refuse('$ may only stand last', -1)
      case '*':
      case '+':
      case '?':
      case '{':
        return this.#refuse(`${character} has nothing to repeat`, -1)
      default:
        return literal(character)
    }
  }

  #group(depth: number): string {
    if (this.#isNext('?')) this.#refuse('only plain groups are known')
    const inner = this.#alternatives(depth + 1)
    if (!this.#take(')')) this.#refuse('a ) is missing')
    return `(${inner})`
  }

  #quantifier(): string {
    QUANTIFIER.lastIndex = this.#at
    const [whole, least = '0', , most] = QUANTIFIER.exec(this.#text) ?? []
    if (whole === undefined) return this.#isNext('{') ? this.#refuse('{ needs numbers') : ''
    if (Math.max(Number(least), Number(most ?? 0)) > MAX_REPEATS) this.#refuse(`at most ${MAX_REPEATS} repetitions`)
    if (most !== undefined && Number(most) < Number(least)) this.#refuse('a repetition ends before it begins')
    this.#at += whole.length
    if (/[*+?{]/.test(this.#text[this.#at] ?? '')) this.#refuse('a repetition cannot be repeated, nor be lazy')
    return whole
  }

  #class(): string {
    let written = this.#take('^') ? '[^' : '['
    if (this.#isNext(']')) this.#refuse('nothing stands here to be matched')
    while (!this.#take(']')) {
      const first = this.#classItem()
      written += this.#isRange() ? this.#range(first) : first.text
    }
    return `${written}]`
  }

  /** Whether the next character is a `-` that is not the last of its class. */
  #isRange(): boolean {
    return this.#isNext('-') && this.#text[this.#at + 1] !== ']' && this.#at + 1 < this.#text.length
  }

  #range(first: ClassItem): string {
    this.#at++
    const last = this.#classItem()
    if (first.code === undefined || last.code === undefined) return this.#refuse('a range needs two characters')
    if (last.code < first.code) this.#refuse('a range ends before it begins')
    return `${first.text}-${last.text}`
  }

  #classItem(): ClassItem {
    if (this.#at >= this.#text.length) this.#refuse('a ] is missing')
    const character = this.#next()
    if (character === '\\') return this.#escape()
    return { text: literal(character), code: character.codePointAt(0) }
  }

  #escape(): ClassItem {
    HEXADECIMAL.lastIndex = this.#at
    const digits = HEXADECIMAL.exec(this.#text)
    if (digits !== null) return this.#codePoint(digits[0].length, Number.parseInt(digits[1] ?? digits[2] ?? '', 16))
    if (this.#at >= this.#text.length) this.#refuse('nothing is escaped')
    const character = this.#next()
    if (CLASS_ESCAPES.includes(character)) return { text: `\\${character}`, code: undefined }
    if (CONTROL_ESCAPES.includes(character)) return { text: `\\${character}`, code: controlCode(character) }
    if (WORD_CHARACTER.test(character)) return this.#refuse(`unknown escape "\\${character}"`, -1)
    return { text: literal(character), code: character.codePointAt(0) }
  }

  #codePoint(length: number, code: number): ClassItem {
    if (code >= 0xd800 && code <= 0xdfff) this.#refuse('half a character')
    this.#at += length
    return { text: `\\x{${code.toString(16)}}`, code }
  }

  #next(): string {
    const character = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0)
    this.#at += character.length
    return character
  }

  #isNext(character: string): boolean {
    return this.#text[this.#at] === character
  }

  #take(character: string): boolean {
    if (!this.#isNext(character)) return false
    this.#at++
    return true
  }

  #refuse(why: string, offset: number = 0): never {
    return refuse(this.#base + this.#at + offset, `pattern: ${why}`)
  }
}

function literal(character: string): string {
  return PUNCTUATION.test(character) ? `\\${character}` : character
}

function controlCode(letter: string): number | undefined {
  return { n: 10, r: 13, t: 9, f: 12, v: 11 }[letter]
}
