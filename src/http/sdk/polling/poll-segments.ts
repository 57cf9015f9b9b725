import { BadFrame } from '../socket/frames.ts'

/** Maximum segments that wait for earlier ones. */
const MOST_AHEAD = 4096
/** Longest segment, in characters. */
const LONGEST_SEGMENT = 4096

/** A segment of a message, as it stands in a URL. */
export interface PollSegment {
  /** Number of the segment in its session, from 0. */
  readonly number: number
  /** Number of segments of its message. */
  readonly count: number
  /** A part of the message in base64. */
  readonly text: string
}

/** Joins the segments of a long-polling client to messages. Requests may overtake each other. */
export class PollSegments {
  readonly #maxLength: number
  readonly #ahead = new Map<number, PollSegment>()
  #next = 0
  #texts: string[] = []
  #length = 0

  /** @param maxLength of a message, in UTF-16 code units */
  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  /** Length of the segments that wait, in characters. */
  get waitingLength(): number {
    return this.#length
  }

  /** @returns the messages that are complete now @throws BadFrame */
  take(segments: readonly PollSegment[]): readonly string[] {
    for (const segment of segments) {
      if (segment.number < this.#next || this.#ahead.has(segment.number)) continue
      if (segment.text.length > LONGEST_SEGMENT || this.#ahead.size >= MOST_AHEAD)
        throw new BadFrame('too much', 'too-big')
      this.#ahead.set(segment.number, segment)
      this.#length += segment.text.length
    }
    const messages: string[] = []
    for (let next = this.#takeNext(); next !== undefined; next = this.#takeNext()) {
      this.#texts.push(next.text)
      // Base64 has four characters for three bytes.
      if (this.#length > this.#maxLength * 4) throw new BadFrame('the message is too long', 'too-big')
      if (this.#texts.length < next.count) continue
      const text = this.#texts.join('')
      this.#texts = []
      this.#length -= text.length
      messages.push(decode(text))
    }
    return messages
  }

  #takeNext(): PollSegment | undefined {
    const segment = this.#ahead.get(this.#next)
    if (segment === undefined) return undefined
    this.#ahead.delete(this.#next++)
    return segment
  }
}

/** Clients write `.` for padding, and `-` and `_` for `+` and `/`. */
function decode(base64: string): string {
  const plain = base64.replaceAll('.', '')
  if (!/^[A-Za-z0-9_-]*$/.test(plain)) throw new BadFrame('a segment is not base64')
  return Buffer.from(plain, 'base64url').toString('utf8')
}
