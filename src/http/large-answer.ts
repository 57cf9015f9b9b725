import { DholeError } from '../tree/error.ts'
import type { Holding } from './holdings.ts'
import { PiecewiseAnswer, type Receiver } from './piecewise-answer.ts'

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
 * @see docs/operations.md#limits-against-abuse
 */
export function largeAnswer(text: string, source: object, receiver: Receiver): ReadableStream {
  // Nothing is kept of it once it is over.
  let rest = text
  let at = 0
  let holding: Holding | undefined
  const next = (): string | undefined => {
    if (at >= rest.length) return undefined
    const start = at
    at = pieceEnd(rest, start)
    return rest.slice(start, at)
  }
  const end = (): void => {
    rest = ''
    // It may be cut before it has begun.
    holding?.release()
  }
  const answer = new PiecewiseAnswer({ next, end }, receiver)
  holding = receiver.limits.hold(source, text.length * BYTES_PER_UNIT, () => answer.cut())
  if (receiver.request.signal.aborted) holding.release()
  else if (answer.isOver) throw new DholeError('too-busy')
  return answer.body
}

/** Two halves of a character stay together. */
function pieceEnd(text: string, start: number): number {
  const end = start + PIECE_LENGTH
  if (end >= text.length) return text.length
  const unit = text.charCodeAt(end - 1)
  return unit >= 0xd800 && unit < 0xdc00 ? end + 1 : end
}
