/** Longest frame of a message, in UTF-16 code units. A longer message is cut into segments. */
const SEGMENT_LENGTH = 16_384
/** Longest frame that may announce segments. */
const LONGEST_COUNT = 6
/** Frame that clients send to keep a connection open; it is no message. */
const KEEP_ALIVE = '0'

/** A frame that is no part of a message: the connection cannot be understood any more. */
export class BadFrame extends Error {}

/** Whether a message is sent as it is. */
export function isOneFrame(text: string): boolean {
  return text.length <= SEGMENT_LENGTH
}

/**
 * The frames of a message: the message itself, or the number of its segments and then these. No segment ends between the
 * halves of a character.
 */
export function* framesOf(text: string): Generator<string, void> {
  if (isOneFrame(text)) {
    yield text
    return
  }
  let count = 0
  for (let start = 0; start < text.length; start = segmentEnd(text, start)) count++
  yield String(count)
  for (let start = 0; start < text.length; ) {
    const end = segmentEnd(text, start)
    yield text.slice(start, end)
    start = end
  }
}

function segmentEnd(text: string, start: number): number {
  const end = start + SEGMENT_LENGTH
  if (end >= text.length) return text.length
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end
}

/** Joins the frames of a client to messages. */
export class FrameReader {
  readonly #maxLength: number
  #segments: string[] = []
  #missing = 0
  #length = 0

  /** @param maxLength of a message, in UTF-16 code units */
  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  /** Whether segments are missing. */
  get isWithinMessage(): boolean {
    return this.#missing > 0
  }

  /** Length of the segments that wait for others, in UTF-16 code units. */
  get waitingLength(): number {
    return this.#length
  }

  /** @returns the message that the frame completes @throws BadFrame */
  take(frame: string): string | undefined {
    if (frame.length > SEGMENT_LENGTH) throw new BadFrame('a frame is longer than 16,384 characters')
    if (this.#missing > 0) return this.#takeSegment(frame)
    if (frame === KEEP_ALIVE) return undefined
    if (frame.length > LONGEST_COUNT || !/^\d+$/.test(frame)) return frame
    const count = Number(frame)
    if (count * SEGMENT_LENGTH > this.#maxLength + SEGMENT_LENGTH) throw new BadFrame('the message is too long')
    this.#missing = count
    return undefined
  }

  #takeSegment(frame: string): string | undefined {
    this.#segments.push(frame)
    this.#length += frame.length
    if (--this.#missing > 0) return undefined
    const text = this.#segments.join('')
    this.#segments = []
    this.#length = 0
    return text
  }
}
