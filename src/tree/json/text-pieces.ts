import type { Steps } from '../../scheduling/steps.ts'

/** Takes the next piece of a text. */
export type TextSink = (piece: string) => void

/** End of a piece of a text, so that two halves of a character stay together. @param length of the piece, about */
export function pieceEnd(text: string, start: number, length: number): number {
  const end = start + length
  if (end >= text.length) return text.length
  const unit = text.charCodeAt(end - 1)
  return unit >= 0xd800 && unit < 0xdc00 ? end + 1 : end
}

/** Length of a piece, in UTF-16 code units. */
const PIECE_LENGTH = 64 * 1024

/** Hands a text on in pieces, with pauses. */
export function* pieces(text: string, sink: TextSink): Steps<void> {
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start, PIECE_LENGTH)
    sink(text.slice(start, end))
    start = end
    yield
  }
}
