import { DholeError } from '../../error.ts'
import type { Reservation } from '../../hub/mailbox.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { loopTurn } from '../../scheduling/loop-turn.ts'
import { runBriefly } from '../../scheduling/turns.ts'
import { type AnyText, isAsciiPiece, pieceEnd, piecesOf } from '../../tree/json/text-pieces.ts'
import type { Exchange } from '../exchange.ts'
import { PacedBody, type Piece } from './paced-body.ts'
import type { Layout } from './reply.ts'

/** Longest body that is passed to the listener as one string, in UTF-16 code units. */
export const LARGE_LENGTH = 128 * 1024
/**
 * Length passed to the listener at a time, in UTF-16 code units. Each client that does not read holds so much, also where
 * clients share the text.
 */
const PIECE_LENGTH = 128 * 1024
/** The same while little memory is held for clients: fewer pieces cost less processor time. */
const ROOMY_PIECE_LENGTH = 1024 * 1024
const BYTES_PER_UNIT = 2

/**
 * Body of a long reply, written at the pace of the client. The connection is aborted if the client is too slow, or
 * holds the most memory when memory runs out. The text counts once for all who read it, and the piece of a read that
 * waits for the client counts for each.
 * @throws `too-busy` when it exceeds the memory budget, or is the largest when memory runs out
 * @param source what the text was made of: equal replies share its reservation
 * @param layout rewrites the text in steps
 * @see docs/how-to/limit-clients.md#limits-against-abuse
 */
export function largeAnswer(
  text: AnyText,
  source: object,
  exchange: Exchange,
  layout: Layout | undefined,
): ReadableStream {
  // Lets the text be collected once the reply has ended.
  let rest: Parts | undefined = layout === undefined ? inParts(text, takesStrings(exchange)) : laidOut(text, layout)
  let waiting: Reservation | undefined
  const end = (): void => {
    rest = undefined
    waiting?.release()
  }
  const memory = { bytes: text.length * BYTES_PER_UNIT, source }
  const { limits } = exchange
  const next = (): Awaitable<Piece | undefined> => {
    return rest?.(limits.isRoomy ? ROOMY_PIECE_LENGTH : PIECE_LENGTH)
  }
  const sending = (bytes: number): void => waiting?.resize(bytes)
  const answer = new PacedBody({ next, sending, end }, exchange, memory)
  // The text of a write is its own, and a write that is done must not be refused for a copy of a part of it.
  if (exchange.method === 'GET') {
    waiting = limits.reserve(answer, PIECE_LENGTH * BYTES_PER_UNIT, () => answer.abort())
    if (answer.isOver) waiting.release()
  }
  if (answer.isOver && !exchange.request.signal.aborted) throw new DholeError('too-busy')
  return answer.body
}

/** Returns the next part of a text, of about a length; `undefined` after the last. */
type Parts = (length: number) => Awaitable<Piece | undefined>

/**
 * Whether the listener sends a string of ASCII characters without a copy, as over HTTP/1.1: only requests of HTTP/1.1 may
 * have the header `Connection`. Where one has none, texts are encoded as for HTTP/2.
 */
function takesStrings({ request }: Exchange): boolean {
  return request.headers.has('connection')
}

/** The text in parts, unchanged. @param takesAscii whether ASCII characters need not be encoded */
function inParts(text: AnyText, takesAscii: boolean): Parts {
  const pieces = piecesOf(text)
  let index = 0
  let at = 0
  let isPieceEncoded = false
  return (length) => {
    const texts: string[] = []
    let isEncoded = takesAscii
    for (let missing = length; index < pieces.length && missing > 0; ) {
      const piece = pieces[index] ?? ''
      const end = pieceEnd(piece, at, missing)
      // Once for each piece, which may have many parts.
      if (at === 0) isPieceEncoded = takesAscii && isAsciiPiece(text, index)
      isEncoded &&= isPieceEncoded
      texts.push(piece.slice(at, end))
      missing -= end - at
      at = end
      if (at < piece.length) break
      index++
      at = 0
    }
    return texts.length === 0 ? undefined : { texts, isEncoded }
  }
}

/** Output of a layout, at most one turn of the event loop or one part at a time. */
function laidOut(text: AnyText, layout: Layout): Parts {
  let made: string[] = []
  let length = 0
  const steps = layout(text, (piece) => {
    made.push(piece)
    length += piece.length
  })
  return async (most) => {
    const isFull = () => length >= most
    for (;;) {
      await loopTurn.pause()
      const finished = runBriefly(steps, isFull)
      if (made.length > 0) {
        const texts = made
        made = []
        length = 0
        return { texts }
      }
      if (finished !== undefined) return undefined
    }
  }
}
