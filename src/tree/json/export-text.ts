import { drain, type Steps } from '../../scheduling/steps.ts'
import { isStringText, type JsonText } from './print.ts'
import { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, endOfString, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './shape/json-shape.ts'
import { type AnyText, collected, joined, piecesOf, type TextSink } from './text-pieces.ts'

/** Code units read between two pauses. */
const STEP_LENGTH = 64 * 1024

const HOLE = 'null'

/** Converts stored text to the text of `format=export`. A text without arrays is unchanged. */
export function toExport(text: JsonText): JsonText {
  return !isStringText(text) && text.includes('[') ? joined(drain(toExportInSteps(text))) : text
}

/** As `toExport`, with pauses. */
export function* toExportInSteps(text: AnyText): Steps<AnyText> {
  if (isStringText(piecesOf(text)[0] ?? '')) return text
  for (const piece of piecesOf(text)) {
    if (piece.includes('[')) return yield* collected((sink) => new BracketPrinter(sink).print(text))
    yield
  }
  return text
}

/**
 * Writes each array of a stored text as an object. It reads the well-formed text once, which is several times faster than
 * parsing and printing it.
 */
class BracketPrinter {
  readonly #sink: TextSink
  /** For each open container, the index of the element in an array, -1 for an object. */
  readonly #around: number[] = []
  #index = -1
  /** Whether an element begins here; it gets a name unless it is a hole. */
  #isElement = false
  #isFirst = false
  /** Whether the last piece ended inside a string. */
  #isInString = false

  constructor(sink: TextSink) {
    this.#sink = sink
  }

  *print(text: AnyText): Steps<void> {
    for (const piece of piecesOf(text)) {
      yield* this.#piece(piece)
      // A piece may be all inside one string.
      yield
    }
  }

  *#piece(text: string): Steps<void> {
    let copied = 0
    let at = this.#isInString ? this.#behindString(text, 0) : 0
    let paused = at
    while (at < text.length) {
      if (at - paused >= STEP_LENGTH) {
        paused = at
        yield
      }
      const code = text.charCodeAt(at)
      if (this.#isElement) {
        this.#isElement = false
        if (code === CLOSE_ARRAY) continue
        if (text.startsWith(HOLE, at)) {
          at += HOLE.length
          copied = at
          continue
        }
        this.#sink(this.#isFirst ? `"${this.#index}":` : `,"${this.#index}":`)
        this.#isFirst = false
        copied = at
      }
      if (code === QUOTE) {
        at = this.#behindString(text, at + 1)
        continue
      }
      if (code === CLOSE_ARRAY || code === OPEN_ARRAY || (code === COMMA && this.#index >= 0)) {
        this.#sink(text.slice(copied, at))
        copied = at + 1
      }
      this.#token(code)
      at++
    }
    if (copied < text.length) this.#sink(text.slice(copied))
  }

  /** @param code of a character outside strings */
  #token(code: number): void {
    if (code === OPEN_OBJECT) {
      this.#around.push(this.#index)
      this.#index = -1
    } else if (code === OPEN_ARRAY) {
      this.#sink('{')
      this.#around.push(this.#index)
      this.#index = 0
      this.#isElement = true
      this.#isFirst = true
    } else if (code === CLOSE_OBJECT) this.#index = this.#around.pop() ?? -1
    else if (code === CLOSE_ARRAY) {
      this.#sink('}')
      this.#index = this.#around.pop() ?? -1
    } else if (code === COMMA && this.#index >= 0) {
      this.#index++
      this.#isElement = true
    }
  }

  /** @param start offset inside the string. @returns the end of the piece when the string continues in the next one */
  #behindString(text: string, start: number): number {
    const end = endOfString(text, start)
    this.#isInString = end === -1
    return end === -1 ? text.length : end
  }
}
