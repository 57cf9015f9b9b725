import type { Steps } from '../../scheduling/steps.ts'
import { refuse } from '../expression/rule-errors.ts'

/** Characters scanned between two pauses. */
export const STRETCH = 16 * 1024
/** Deepest nesting that is scanned; the limit of rules is far lower. */
const MAX_NESTING = 100
/** Pieces of the strict text that are joined at once. */
const JOINED_PIECES = 4096

const QUOTE = 34
const ASTERISK = 42
const SLASH = 47
const BACKSLASH = 92
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [123, 125, 91, 93]
const [LINE_FEED, CARRIAGE_RETURN] = [10, 13]

// biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for control characters
const CONTROLS = /[\u0000-\u001f]/g

/**
 * Prints a rules file as JSON without comments; raw control characters in strings are escaped. The result is valid when
 * the file is.
 * @throws ExpressionError for a comment without an end, and for absurd nesting
 * @see docs/reference/protocol.md#rules
 */
export function* strictSource(source: string): Steps<string> {
  return yield* new StrictWriter(source).write()
}

class StrictWriter {
  readonly #source: string
  #pieces: string[] = []
  readonly #joined: string[] = []
  /** End of the source text that is printed. */
  #taken = 0
  #nesting = 0

  constructor(source: string) {
    this.#source = source
  }

  *write(): Steps<string> {
    if (hasByteOrderMark(this.#source)) this.#replace(0, 1, '')
    let paused = 0
    for (let at = this.#taken; at < this.#source.length; ) {
      const code = this.#source.charCodeAt(at)
      if (code === QUOTE) at = yield* this.#string(at)
      else if (code === SLASH) at = yield* this.#comment(at)
      else this.#nest(code, at++)
      if (at - paused < STRETCH) continue
      paused = at
      yield
    }
    this.#replace(this.#source.length, this.#source.length, '')
    this.#join()
    return this.#joined.join('')
  }

  #nest(code: number, at: number): void {
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++this.#nesting > MAX_NESTING) refuse(at, 'nested too deep')
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) this.#nesting--
  }

  /** @returns the offset after the string */
  *#string(at: number): Steps<number> {
    const end = yield* endOfString(this.#source, at)
    for (let start = at; start < end; start += STRETCH) {
      const stop = Math.min(start + STRETCH, end)
      const piece = this.#source.slice(start, stop)
      if (piece.search(CONTROLS) !== -1) this.#replace(start, stop, piece.replace(CONTROLS, escapeControl))
      if (stop < end) yield
    }
    return end
  }

  *#comment(at: number): Steps<number> {
    const end = yield* endOfComment(this.#source, at)
    if (end === undefined) return at + 1
    this.#replace(at, end, '')
    return end
  }

  #replace(from: number, to: number, strict: string): void {
    if (from > this.#taken) this.#pieces.push(this.#source.slice(this.#taken, from))
    if (strict !== '') this.#pieces.push(strict)
    this.#taken = to
    if (this.#pieces.length >= JOINED_PIECES) this.#join()
  }

  #join(): void {
    this.#joined.push(this.#pieces.join(''))
    this.#pieces = []
  }
}

/** Whether a file begins with a byte order mark, which counts as white space. */
export function hasByteOrderMark(source: string): boolean {
  return source.startsWith('\uFEFF')
}

/** Offset after the string that begins at a quotation mark; the end of the source for an unterminated string. */
function* endOfString(source: string, start: number): Steps<number> {
  for (let at = start + 1; ; ) {
    const stop = Math.min(at + STRETCH, source.length)
    while (at < stop) {
      const code = source.charCodeAt(at++)
      if (code === QUOTE) return at
      if (code === BACKSLASH) at++
    }
    if (at >= source.length) return source.length
    yield
  }
}

/**
 * Offset after the comment that begins at a slash; `undefined` for another slash.
 * @throws ExpressionError for a comment without an end
 */
export function* endOfComment(source: string, start: number): Steps<number | undefined> {
  switch (source.charCodeAt(start + 1)) {
    case SLASH:
      return yield* endOfLine(source, start + 2)
    case ASTERISK:
      return (yield* endOfBlock(source, start + 2)) ?? refuse(start, 'a comment without an end')
    default:
      return undefined
  }
}

function* endOfLine(source: string, start: number): Steps<number> {
  for (let at = start; at < source.length; ) {
    const stop = Math.min(at + STRETCH, source.length)
    for (; at < stop; at++) {
      const code = source.charCodeAt(at)
      if (code === LINE_FEED || code === CARRIAGE_RETURN) return at
    }
    yield
  }
  return source.length
}

function* endOfBlock(source: string, start: number): Steps<number | undefined> {
  for (let at = start; at < source.length; ) {
    const stop = Math.min(at + STRETCH, source.length)
    for (; at < stop; at++) {
      if (source.charCodeAt(at) === ASTERISK && source.charCodeAt(at + 1) === SLASH) return at + 2
    }
    yield
  }
  return undefined
}

function escapeControl(character: string): string {
  return JSON.stringify(character).slice(1, -1)
}
