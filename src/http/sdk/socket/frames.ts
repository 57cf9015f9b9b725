import { numberIn, tooLongRequest } from '../session/parse-message.ts'

/** Longest frame of a message, in UTF-16 code units. A longer message is cut into segments. */
const SEGMENT_LENGTH = 16_384
/** Longest frame that may announce segments. */
const LONGEST_COUNT = 6
/** Frame that clients send to keep a connection open; it is no message. */
const KEEP_ALIVE = '0'

/** A frame that is no part of a message: the connection cannot be understood any more. */
export class BadFrame extends Error {
  readonly kind: 'not-understood' | 'too-big'

  constructor(message: string, kind: BadFrame['kind'] = 'not-understood') {
    super(message)
    this.kind = kind
  }
}

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

/** Length of the beginning and the end that are kept of a message that is too long, in UTF-16 code units. */
const KEPT_LENGTH = 64
/** Longest message of which only that is kept, as a multiple of the longest one that is taken. */
const LONGEST_DISCARDED = 16

/** Beginning and end of a message. */
interface Ends {
  head: string
  tail: string
}

/** Joins the frames of a client to messages. */
export class FrameReader {
  readonly #maxLength: number
  #segments: string[] = []
  #missing = 0
  /** Beginning and end so far of a message that is too long. */
  #discarded: Ends | undefined
  #length = 0
  #segmentsTaken = 0

  /** @param maxLength of a message, in UTF-16 code units */
  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  /** Whether segments are missing. */
  get isWithinMessage(): boolean {
    return this.#missing > 0
  }

  /** Number of segments of the message that have come. */
  get segmentsTaken(): number {
    return this.#segmentsTaken
  }

  /** Length of the segments that wait for others, in UTF-16 code units. */
  get waitingLength(): number {
    return this.#length
  }

  /** @returns the message that the frame completes @throws BadFrame */
  take(frame: string): string | undefined {
    if (frame.length > SEGMENT_LENGTH) throw new BadFrame('a frame is longer than 16,384 characters', 'too-big')
    if (this.#missing > 0) return this.#takeSegment(frame)
    if (frame === KEEP_ALIVE) return undefined
    if (frame.length > LONGEST_COUNT || !/^\d+$/.test(frame)) return frame
    const count = Number(frame)
    if (count * SEGMENT_LENGTH > this.#maxLength + SEGMENT_LENGTH) this.#discard(count)
    this.#missing = count
    this.#segmentsTaken = 0
    return undefined
  }

  /** A request that is too long is still answered: its client would send it again after each connection that it ends. */
  #discard(count: number): void {
    if (count * SEGMENT_LENGTH > this.#maxLength * LONGEST_DISCARDED) throw tooLong()
    this.#discarded = { head: '', tail: '' }
  }

  #discardSegment(frame: string, ends: Ends): string | undefined {
    if (ends.head === '') ends.head = frame.slice(0, KEPT_LENGTH)
    ends.tail = (ends.tail + frame).slice(-KEPT_LENGTH)
    if (--this.#missing > 0) return undefined
    this.#discarded = undefined
    const number = numberIn(ends.head, ends.tail)
    if (number === undefined) throw tooLong()
    return tooLongRequest(number)
  }

  #takeSegment(frame: string): string | undefined {
    this.#segmentsTaken++
    if (this.#discarded !== undefined) return this.#discardSegment(frame, this.#discarded)
    this.#segments.push(frame)
    this.#length += frame.length
    if (--this.#missing > 0) return undefined
    const text = this.#segments.join('')
    this.#segments = []
    this.#length = 0
    return text
  }
}

function tooLong(): BadFrame {
  return new BadFrame('the message is too long', 'too-big')
}
