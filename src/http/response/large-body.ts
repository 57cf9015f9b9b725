import { DholeError } from '../../error.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { runBriefly } from '../../scheduling/turns.ts'
import { type AnyText, pieceEnd, piecesOf } from '../../tree/json/text-pieces.ts'
import type { Exchange } from '../exchange.ts'
import { PacedBody } from './paced-body.ts'
import type { Layout } from './reply.ts'

/** Longest answer that is given to the listener as it is, in UTF-16 code units. */
export const LARGE_LENGTH = 128 * 1024
/** What the listener is given at a time: so much of it waits for a client that is slow. */
const PIECE_LENGTH = 1024 * 1024
const BYTES_PER_UNIT = 2

/**
 * The body of a long answer, given to the connection as the client takes it. A client that takes it slower than it may,
 * or holds the most memory when there is too much held, is cut off.
 * @throws `too-busy` when it is more than may be held at all, or than anybody else holds
 * @param source what the text was made of: where several are sent the same, it is held once
 * @param layout rewrites it on its way
 * @see docs/how-to/limit-clients.md#limits-against-abuse
 */
export function largeAnswer(
  text: AnyText,
  source: object,
  exchange: Exchange,
  layout: Layout | undefined,
): ReadableStream {
  // Nothing is kept of the text once it is over.
  let rest: (() => Awaitable<string | undefined>) | undefined =
    layout === undefined ? inParts(text) : laidOut(text, layout)
  const end = (): void => {
    rest = undefined
  }
  const memory = { bytes: text.length * BYTES_PER_UNIT, source }
  const answer = new PacedBody({ next: () => rest?.(), end }, exchange, memory)
  if (answer.isOver && !exchange.request.signal.aborted) throw new DholeError('too-busy')
  return answer.body
}

/** The text bit by bit, as it is. */
function inParts(text: AnyText): () => string | undefined {
  const pieces = piecesOf(text)
  let index = 0
  let at = 0
  return () => {
    let part = ''
    while (index < pieces.length && part.length < PIECE_LENGTH) {
      const piece = pieces[index] ?? ''
      const end = pieceEnd(piece, at, PIECE_LENGTH - part.length)
      part += piece.slice(at, end)
      at = end
      if (at < piece.length) break
      index++
      at = 0
    }
    return part === '' ? undefined : part
  }
}

/** What a layout makes of the text, as much at a time as one turn of the event loop has time for, or one piece. */
function laidOut(text: AnyText, layout: Layout): () => Promise<string | undefined> {
  let made = ''
  const steps = layout(text, (piece) => {
    made += piece
  })
  const isFull = () => made.length >= PIECE_LENGTH
  return async () => {
    for (;;) {
      await new Promise(setImmediate)
      const finished = runBriefly(steps, isFull)
      if (made !== '') {
        const part = made
        made = ''
        return part
      }
      if (finished !== undefined) return undefined
    }
  }
}
