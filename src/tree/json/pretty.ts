import type { Steps } from '../../scheduling/steps.ts'
import { type AnyText, pieces, piecesOf, type TextSink } from './text-pieces.ts'

/** `stringEnd` finds strings: a regular expression that repeats a group fails on a string of a few megabytes. */
const TOKEN = /\{\}|\[\]|[{}[\],:"]|[^{}[\],:"]+/g
const INDENT = '  '

/** Tokens between two pauses. */
const STEP_TOKENS = 1024
/** Approximate length of a chunk, in UTF-16 code units. */
const PIECE_LENGTH = 64 * 1024
/** Length from which a chunk ends, whatever its number of tokens, in UTF-16 code units. */
const LONG_PIECE = 256 * 1024

/**
 * Formats compact JSON over several lines, in the same order: two spaces of indent per object, `"key" : value`, arrays as
 * `[ 1, 2 ]`, a newline at the end.
 * @see docs/reference/protocol.md#parameters
 */
export function* prettyPrintInSteps(text: AnyText, sink: TextSink): Steps<void> {
  const layout = new Layout()
  for (const piece of piecesOf(text)) yield* prettyPrintPiece(piece, layout, sink)
  sink('\n')
}

function* prettyPrintPiece(text: string, layout: Layout, sink: TextSink): Steps<void> {
  // The expression is stateful: each run needs its own.
  const tokens = new RegExp(TOKEN)
  let piece = ''
  if (layout.isInString) {
    tokens.lastIndex = layout.stringEnd(text, -1)
    yield* pieces(text.slice(0, tokens.lastIndex), sink)
  }
  let count = 0
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const [token] = match
    if (token === '"') {
      tokens.lastIndex = layout.stringEnd(text, match.index)
      piece += text.slice(match.index, tokens.lastIndex)
    } else piece += layout.spread(token)
    if (++count % STEP_TOKENS !== 0 && piece.length < LONG_PIECE) continue
    if (piece.length >= PIECE_LENGTH) {
      yield* pieces(piece, sink)
      piece = ''
    }
    yield
  }
  sink(piece)
}

/** Tracks the open containers. */
class Layout {
  readonly #containers: string[] = []
  #newLine = '\n'
  /** Whether the last piece ended inside a string. */
  isInString = false

  /** @param token a token that is not a string */
  spread(token: string): string {
    switch (token) {
      case '{':
        this.#containers.push(token)
        this.#newLine += INDENT
        return `{${this.#newLine}`
      case '}':
        this.#containers.pop()
        this.#newLine = this.#newLine.slice(0, -INDENT.length)
        return `${this.#newLine}}`
      case '[':
        this.#containers.push(token)
        return '[ '
      case ']':
        this.#containers.pop()
        return ' ]'
      case ',':
        return this.#containers.at(-1) === '{' ? `,${this.#newLine}` : ', '
      case ':':
        return ' : '
      default:
        return token
    }
  }

  /**
   * Index after the closing quote of a string; the end of the text where the string continues in the next one.
   * @param start index of the opening quote; -1 for a string that continues
   */
  stringEnd(text: string, start: number): number {
    let quote = start
    do quote = text.indexOf('"', quote + 1)
    while (quote !== -1 && isEscaped(text, quote))
    this.isInString = quote === -1
    return quote === -1 ? text.length : quote + 1
  }
}

function isEscaped(text: string, index: number): boolean {
  let first = index
  while (text[first - 1] === '\\') first--
  return (index - first) % 2 === 1
}
