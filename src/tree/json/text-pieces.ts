import type { Steps } from '../../scheduling/steps.ts'

/** Receives the next piece of a text. */
export type TextSink = (piece: string) => void

/**
 * A text that is too long to be joined in one step. A piece ends between two tokens of JSON or between two characters of
 * a string.
 */
interface LongText {
  readonly pieces: readonly string[]
  /** In UTF-16 code units. */
  readonly length: number
}

/** A short text as one string, or a long text in pieces. */
export type AnyText = string | LongText

/** Longest text that a `TextBuilder` makes a string, in UTF-16 code units. */
const SHORT_LENGTH = 128 * 1024
/**
 * Longest text that is joined to one piece, in UTF-16 code units. To join it takes less than a millisecond; each piece is
 * a write of its own to a connection, and a short one ahead of a long one makes sending it slower.
 */
const JOINED_LENGTH = 1024 * 1024
/** Length of a piece, in UTF-16 code units. */
const PIECE_LENGTH = 64 * 1024

export function piecesOf(text: AnyText): readonly string[] {
  return typeof text === 'string' ? [text] : text.pieces
}

/** The text as one string; joining a long text takes long. */
export function joined(text: AnyText): string {
  if (typeof text === 'string') return text
  const { pieces } = text
  return pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('')
}

/** What is known of the pieces of long texts. To look takes a tenth of what it takes to encrypt them. */
const ascii = new WeakMap<LongText, boolean[]>()

/** Whether a piece has ASCII characters alone. It is remembered for a long text; a string is looked at each time. */
export function isAsciiPiece(text: AnyText, index: number): boolean {
  if (typeof text === 'string') return isAscii(text)
  const known = ascii.get(text) ?? []
  ascii.set(text, known)
  known[index] ??= isAscii(text.pieces[index] ?? '')
  return known[index]
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

/** Assembles a text. */
export class TextBuilder {
  readonly #pieces: string[] = []
  #texts: string[] = []
  /** Length of the texts that are in no piece yet. */
  #waiting = 0
  #length = 0

  /** @param text must end where a piece may end */
  add(text: string): void {
    this.#length += text.length
    if (text.length >= PIECE_LENGTH) {
      // A long text is a piece as it is: joining would copy it.
      this.#flush()
      this.#pieces.push(text)
      return
    }
    this.#texts.push(text)
    this.#waiting += text.length
    if (this.#waiting >= PIECE_LENGTH) this.#flush()
  }

  addAll(text: AnyText): void {
    if (typeof text === 'string') this.add(text)
    else for (const piece of text.pieces) this.add(piece)
  }

  end(): AnyText {
    this.#flush()
    const [pieces, length] = [this.#pieces, this.#length]
    if (length <= SHORT_LENGTH || pieces.length === 1) return pieces.join('')
    // Concatenation copies nothing before the text is used, and many readers in this process do not use it as a whole.
    return { pieces: length <= JOINED_LENGTH ? [pieces.reduce((before, piece) => before + piece)] : pieces, length }
  }

  #flush(): void {
    if (this.#texts.length > 0) this.#pieces.push(this.#texts.join(''))
    this.#texts = []
    this.#waiting = 0
  }
}

/** Collects the text that a printer writes to its sink. */
export function* collected(printing: (sink: TextSink) => Steps<void>): Steps<AnyText> {
  const builder = new TextBuilder()
  yield* printing((piece) => builder.add(piece))
  return builder.end()
}

/** End of a piece of a text; it never splits a surrogate pair. @param length approximate length of the piece */
export function pieceEnd(text: string, start: number, length: number): number {
  const end = start + length
  if (end >= text.length) return text.length
  const unit = text.charCodeAt(end - 1)
  return unit >= 0xd800 && unit < 0xdc00 ? end + 1 : end
}

/** Passes a text on in short pieces, with pauses. */
export function* pieces(text: AnyText, sink: TextSink): Steps<void> {
  for (const piece of piecesOf(text)) {
    for (let start = 0; start < piece.length; ) {
      const end = pieceEnd(piece, start, PIECE_LENGTH)
      sink(piece.slice(start, end))
      start = end
      yield
    }
  }
}
