import { refuse } from '../expression/rule-errors.ts'

/** A rules file in two other forms. */
export interface RuleSource {
  /** Of the same length, every character where it was, but plain JSON: comments and what stands raw in strings blank. */
  readonly blanked: string
  /** Valid JSON that says the same, if the file is right: comments gone, raw control characters in strings escaped. */
  readonly strict: string
}

/** Deepest nesting of objects that is read at all; rules are refused long before. */
const MAX_NESTING = 100

const QUOTE = 34
const SLASH = 47
const FIRST_PRINTABLE = 32
const BACKSLASH = 92
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [123, 125, 91, 93]

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROLS = /[\u0000-\u001f]/g
const NOT_LINE_BREAK = /[^\r\n]/g

/**
 * @throws Refusal at a comment without an end, and where it is nested absurdly
 * @see docs/reference/protocol.md#rules
 */
export function readSource(source: string): RuleSource {
  const reader = new SourceReader(source)
  reader.read()
  return reader.result()
}

class SourceReader {
  readonly #source: string
  #blanked = ''
  #strict = ''
  /** Up to where the source has been taken over. */
  #taken = 0
  #nesting = 0

  constructor(source: string) {
    this.#source = source
  }

  result(): RuleSource {
    return { blanked: this.#blanked, strict: this.#strict }
  }

  read(): void {
    if (this.#source.startsWith('\uFEFF')) this.#replace(0, 1, ' ', '')
    let at = this.#taken
    while (at < this.#source.length) at = this.#token(at)
    this.#replace(at, at, '', '')
  }

  /** @returns where the next one begins */
  #token(at: number): number {
    switch (this.#source.charCodeAt(at)) {
      case QUOTE:
        return this.#string(at)
      case SLASH:
        return this.#comment(at)
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (++this.#nesting > MAX_NESTING) refuse(at, 'nested too deep')
        return at + 1
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        this.#nesting--
        return at + 1
      default:
        return at + 1
    }
  }

  #string(at: number): number {
    let hasControl = false
    let end = at + 1
    while (end < this.#source.length) {
      const code = this.#source.charCodeAt(end++)
      if (code === QUOTE) break
      if (code < FIRST_PRINTABLE) hasControl = true
      else if (code === BACKSLASH && this.#source.charCodeAt(end++) < FIRST_PRINTABLE) hasControl = true
    }
    end = Math.min(end, this.#source.length)
    if (hasControl) this.#escape(at, end)
    return end
  }

  #escape(from: number, to: number): void {
    const text = this.#source.slice(from, to)
    this.#replace(from, to, text.replace(CONTROLS, ' '), text.replace(CONTROLS, escapeControl))
  }

  #comment(at: number): number {
    const end = this.#endOfComment(at)
    if (end === undefined) return at + 1
    this.#replace(at, end, this.#source.slice(at, end).replace(NOT_LINE_BREAK, ' '), '')
    return end
  }

  #endOfComment(at: number): number | undefined {
    switch (this.#source[at + 1]) {
      case '/': {
        const length = this.#source.slice(at).search(/[\r\n]/)
        return length === -1 ? this.#source.length : at + length
      }
      case '*': {
        const end = this.#source.indexOf('*/', at + 2)
        return end === -1 ? refuse(at, 'a comment without an end') : end + 2
      }
      default:
        return undefined
    }
  }

  #replace(from: number, to: number, blanked: string, strict: string): void {
    const before = this.#source.slice(this.#taken, from)
    this.#blanked += before + blanked
    this.#strict += before + strict
    this.#taken = to
  }
}

function escapeControl(character: string): string {
  return JSON.stringify(character).slice(1, -1)
}
