import { MAX_DEPTH } from '../../tree/limits.ts'
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  DOT,
  endOfPlainKey,
  endOfString,
  mayBeKey,
  nextMember,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
} from './json-bytes.ts'

/** What a byte outside strings means for where members end; 0 for most. */
const MEANING = new Uint8Array(256)
for (const byte of [QUOTE, COMMA, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT]) MEANING[byte] = byte

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
/** One level more than a tree has, for `.value` and `.priority` of the wrong kind, which are told of where they stand. */
const MOST_FRAMES = MAX_DEPTH + 2
const FIRST_WINDOW = 1024 * 1024
/** Commas from which a slice is told before it is full: parsed, tiny members take many times their text. */
const MOST_COMMAS = 32 * 1024

/** Bytes of JSON text that belong together. They stand until the next slice is asked for. */
interface Text {
  readonly bytes: Uint8Array
  /** Where they begin in the whole text. */
  readonly offset: number
}

/** Members of an object, or elements of an array, between two commas; without brackets around them. */
export interface MembersSlice extends Text {
  readonly kind: 'members'
  /** Keys from the root down to the container. */
  readonly keys: readonly string[]
  readonly isArray: boolean
  /** Index of the first element. */
  readonly first: number
  /** Members, or elements. */
  readonly count: number
  /** Whether a key of its own may be other than it is written, hold a slash or begin with a dot. */
  readonly hasOddKeys: boolean
}

/** What a long JSON text consists of, in its order. */
export type Slice =
  /** All of it, since it is short. */
  | (Text & { readonly kind: 'whole' })
  /** An object or array is going to be told in parts. */
  | { readonly kind: 'open'; readonly keys: readonly string[] }
  | MembersSlice
  /** All parts of it have been told. */
  | { readonly kind: 'close'; readonly keys: readonly string[] }

/** A container that is told in parts, as a position remembers it. */
interface OpenContainer {
  /** In the container around it; empty for the root. */
  readonly key: string
  readonly isArray: boolean
  /** Commas passed. */
  readonly count: number
}

/** Where a reader of slices can go on. */
export interface SlicePosition {
  /** Bytes that need not be read again. */
  readonly offset: number
  /** From the root down. */
  readonly open: readonly OpenContainer[]
}

/** The text is no JSON, or nests too deeply. What is wrong exactly is found in the bytes of the window. */
export class BrokenText extends Error {
  /** Bytes from the last place that was whole. */
  readonly window: MembersSlice | (Text & { readonly kind: 'whole' })
  /** Where it was noticed. */
  readonly at: number

  constructor(message: string, window: BrokenText['window'], at: number) {
    super(message)
    this.window = window
    this.at = at
  }
}

/** A container that has begun and not ended. Indexes are those of the window. */
interface Frame {
  isArray: boolean
  /** Its bracket. */
  bracket: number
  /** The last comma of its own, -1 for none in the window. */
  comma: number
  /** Commas so far. */
  count: number
  /** The last odd key of its own, -1 for none in the window. */
  oddKey: number
}

/** More of a container that is told in parts. */
interface Split {
  readonly key: string
  /** What has not been told begins here. */
  start: number
  /** Index of the first element that has not been told. */
  first: number
  /** Whether a member that was itself told in parts has just ended, so that nothing but a comma or the end may come. */
  hasEnded: boolean
}

/**
 * Cuts the JSON text of one value, which may be of any size, into slices of bounded size that a JSON parser can take.
 * It looks at brackets, commas and quotes alone, once: whether the rest is JSON is seen when the slices are parsed.
 * Containers longer than a slice are told in parts; what they hold directly comes in as few slices as possible.
 */
export class JsonSlicer {
  readonly #sliceBytes: number
  readonly #mostBytes: number
  #window = new Uint8Array(FIRST_WINDOW)
  #length = 0
  /** Offset of the window in the text. */
  #base = 0
  /** Next byte to look at; one behind the window when an escape is cut. */
  #at = 0
  #inString = false
  /** Since the last cut. */
  #commas = 0
  #frames: Frame[] = []
  #splits: Split[] = []
  #hasBegun = false
  /** A root that was told in parts has ended. */
  #isDone = false
  /** Behind the bracket that ended it. */
  #doneAt = 0

  /**
   * @param sliceBytes length from which containers are told in parts
   * @param mostBytes length from which a single leaf is refused
   * @param from where to go on; the bytes pushed then begin at its offset
   */
  constructor(sliceBytes: number, mostBytes: number, from?: SlicePosition) {
    this.#sliceBytes = sliceBytes
    this.#mostBytes = mostBytes
    if (from === undefined || from.open.length === 0) return
    this.#hasBegun = true
    this.#base = from.offset
    for (const { key, isArray, count } of from.open) {
      this.#frames.push({ isArray, bracket: -1, comma: -1, count, oddKey: -1 })
      this.#splits.push({ key, start: 0, first: count, hasEnded: false })
    }
  }

  /** Where to go on behind the last slice, which must have been one of members with more to come. */
  get position(): SlicePosition {
    const open = this.#splits.map(({ key }, depth): OpenContainer => {
      const frame = this.#frame(depth)
      // What this very container has behind its last comma is read again.
      return { key, isArray: frame.isArray, count: depth < this.#splits.length - 1 ? frame.count : this.#inner.first }
    })
    return { offset: this.#base + this.#inner.start, open }
  }

  /** Takes more of the text. @throws BrokenText */
  *push(bytes: Uint8Array): Generator<Slice> {
    this.#append(bytes)
    if (!this.#begin()) return
    yield* this.#scan()
    if (this.#length - this.#keepFrom >= this.#sliceBytes || this.#commas >= MOST_COMMAS) {
      this.#commas = 0
      yield* this.#cut()
    }
    this.#compact()
  }

  /** The text has ended. @throws BrokenText */
  *end(): Generator<Slice> {
    if (this.#frames.length > 0 || this.#inString) throw this.#broken('the file ends in the middle', this.#length)
    if (this.#isDone) return
    yield { kind: 'whole', bytes: this.#window.subarray(0, this.#length), offset: this.#base }
  }

  get #inner(): Split {
    return this.#splits[this.#splits.length - 1] as Split
  }

  #frame(depth: number): Frame {
    return this.#frames[depth] as Frame
  }

  get #keepFrom(): number {
    return this.#splits.length === 0 ? 0 : this.#inner.start
  }

  #append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length
    if (length > this.#window.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#window.length))
      larger.set(this.#window.subarray(0, this.#length))
      this.#window = larger
    }
    this.#window.set(bytes, this.#length)
    this.#length = length
  }

  /** Drops what stands before the value. @returns whether it has begun */
  #begin(): boolean {
    if (this.#hasBegun) return true
    const window = this.#window
    if (this.#base === 0 && window[0] === BYTE_ORDER_MARK[0]) {
      if (this.#length < BYTE_ORDER_MARK.length) return false
      if (BYTE_ORDER_MARK.every((byte, index) => window[index] === byte)) this.#drop(BYTE_ORDER_MARK.length)
    }
    this.#drop(this.#behindSpace(0))
    this.#hasBegun = this.#length > 0
    return this.#hasBegun
  }

  #drop(count: number): void {
    this.#window.copyWithin(0, count, this.#length)
    this.#length -= count
    this.#base += count
  }

  #behindSpace(from: number): number {
    let at = from
    while (at < this.#length && SPACE[this.#window[at] as number] === 1) at++
    return at
  }

  *#scan(): Generator<Slice> {
    while (this.#advance()) {
      yield* this.#close(this.#at)
      this.#frames.pop()
      this.#at++
    }
    if (!this.#isDone) return
    const behind = this.#behindSpace(this.#doneAt)
    if (behind < this.#length) throw this.#broken('only one value is expected', behind)
  }

  /**
   * Looks at every byte, once. In one piece and no generator, as everything waits for it.
   * @returns whether it has come to the end of a container that is told in parts
   */
  #advance(): boolean {
    const window = this.#window
    const length = this.#length
    const frames = this.#frames
    const splits = this.#splits.length
    let frame = frames.at(-1)
    let at = this.#at
    if (this.#inString) {
      at = endOfString(window, at, length)
      this.#inString = at < 0
      if (at < 0) at = ~at
    }
    while (at < length) {
      const meaning = MEANING[window[at] as number] as number
      if (meaning === 0) {
        at++
        continue
      }
      if (meaning === QUOTE) {
        const from = at
        // In an object it may be a key, at the beginning and behind a comma.
        if (frame === undefined || frame.isArray || !mayBeKey(window, at)) at = endOfString(window, at + 1, length)
        else {
          at = endOfPlainKey(window, at + 1, length)
          if (at >= 0) continue
          frame.oddKey = from
          at = endOfString(window, from + 1, length)
        }
        if (at >= 0) continue
        at = ~at
        this.#inString = true
        break
      }
      if (meaning === COMMA) {
        if (frame === undefined) throw this.#broken('only one value is expected', at)
        if (frames.length === splits && this.#inner.hasEnded) this.#goOn(at)
        else frame.comma = at
        frame.count++
        this.#commas++
      } else if (meaning === OPEN_OBJECT || meaning === OPEN_ARRAY) {
        if (frames.length >= MOST_FRAMES) throw this.#broken('too deep', at)
        if (this.#isDone) throw this.#broken('only one value is expected', at)
        frame = { isArray: meaning === OPEN_ARRAY, bracket: at, comma: -1, count: 0, oddKey: -1 }
        frames.push(frame)
      } else {
        if (frame === undefined || frame.isArray !== (meaning === CLOSE_ARRAY)) {
          throw this.#broken('a bracket closes what is not open', at)
        }
        if (frames.length === splits) {
          this.#at = at
          return true
        }
        frames.pop()
        frame = frames.at(-1)
      }
      at++
    }
    this.#at = at
    return false
  }

  /** A comma behind a member that was told in parts. */
  #goOn(at: number): void {
    const { start } = this.#inner
    if (this.#behindSpace(start) !== at) throw this.#broken('a comma is expected', start)
    this.#inner.start = at + 1
    this.#inner.first = this.#frame(this.#splits.length - 1).count + 1
    this.#inner.hasEnded = false
  }

  /** The innermost container that is told in parts ends. */
  *#close(at: number): Generator<Slice> {
    const { start, hasEnded } = this.#inner
    const isEmpty = this.#behindSpace(start) === at
    if (hasEnded && !isEmpty) throw this.#broken('a comma is expected', start)
    // Behind a comma something must come.
    if (isEmpty && !hasEnded && this.#frame(this.#splits.length - 1).count > 0) {
      throw this.#broken('a value is expected', at)
    }
    if (!isEmpty) yield this.#members(at, this.#frame(this.#splits.length - 1).count + 1)
    yield { kind: 'close', keys: this.#keys }
    this.#splits.pop()
    if (this.#splits.length === 0) {
      this.#isDone = true
      this.#doneAt = at + 1
      return
    }
    this.#inner.start = at + 1
    this.#inner.hasEnded = true
  }

  get #keys(): string[] {
    return this.#splits.slice(1).map(({ key }) => key)
  }

  /** What the innermost container has from its start up to a comma or its end. @param behind commas up to there, and the end */
  #members(end: number, behind: number): MembersSlice {
    const { start, first } = this.#inner
    const { isArray, oddKey } = this.#frame(this.#splits.length - 1)
    const bytes = this.#window.subarray(start, end)
    const count = behind - first
    return {
      kind: 'members',
      keys: this.#keys,
      isArray,
      first,
      count,
      hasOddKeys: oddKey >= start,
      bytes,
      offset: this.#base + start,
    }
  }

  /** Tells what is complete, and goes down into what is too long to be waited for. */
  *#cut(): Generator<Slice> {
    if (this.#splits.length === 0) {
      if (!this.#isSplittable(0)) return this.#checkLeaf(0)
      if (this.#frame(0).bracket !== 0) throw this.#broken('one value is expected', 0)
      this.#split('', 0)
      yield { kind: 'open', keys: [] }
    }
    for (;;) {
      const split = this.#inner
      const depth = this.#splits.length - 1
      const frame = this.#frame(depth)
      if (frame.comma >= split.start) {
        if (this.#behindSpace(split.start) === frame.comma) throw this.#broken('a value is expected', frame.comma)
        const members = this.#members(frame.comma, frame.count)
        split.start = frame.comma + 1
        split.first = frame.count
        yield members
      }
      split.start = this.#behindSpace(split.start)
      if (this.#length - split.start < this.#sliceBytes / 2) return
      if (!this.#isSplittable(depth + 1)) return this.#checkLeaf(split.start)
      if (split.hasEnded) throw this.#broken('a comma is expected', split.start)
      this.#split(this.#keyOf(depth + 1), this.#frame(depth + 1).bracket + 1)
      yield { kind: 'open', keys: this.#keys }
    }
  }

  #split(key: string, start: number): void {
    const depth = this.#splits.length
    const { bracket } = this.#frame(depth)
    this.#splits.push({ key, start: depth === 0 ? bracket + 1 : start, first: 0, hasEnded: false })
  }

  /** One leaf, or a run of spaces, is longer than any may be. */
  #checkLeaf(from: number): void {
    if (this.#length - from > this.#mostBytes) throw this.#broken('too long', from)
  }

  /** Whether a container holds children. One that may be a leaf with its priority is not told in parts. */
  #isSplittable(depth: number): boolean {
    const frame = this.#frames[depth]
    if (frame === undefined) return false
    if (frame.isArray || this.#frames.length > depth + 1) return true
    let at = this.#behindSpace(frame.bracket + 1)
    if (this.#window[at + 1] !== DOT) return frame.comma >= 0
    if (frame.comma < 0) return false
    // A special member comes first: look whether it is followed by another kind.
    for (;;) {
      const next = nextMember(this.#window, at, frame.comma)
      if (next > frame.comma) return false
      at = this.#behindSpace(next)
      if (this.#window[at + 1] !== DOT) return true
    }
  }

  /** Key of a container in the one around it, which is told in parts. */
  #keyOf(depth: number): string {
    const { isArray, count } = this.#frame(depth - 1)
    const { bracket } = this.#frame(depth)
    const { start } = this.#inner
    if (isArray) {
      if (this.#behindSpace(start) !== bracket) throw this.#broken('a comma is expected', start)
      return String(count)
    }
    const found = /^\s*("(?:[^"\\]|\\.)*")\s*:\s*$/s.exec(Buffer.from(this.#window.subarray(start, bracket)).toString())
    try {
      return JSON.parse(found?.[1] ?? '') as string
    } catch {
      throw this.#broken('a key is expected', start)
    }
  }

  /** Moves what is still needed to the front. */
  #compact(): void {
    const from = this.#isDone ? this.#length : Math.min(this.#keepFrom, this.#length)
    if (from === 0) return
    this.#drop(from)
    this.#at -= from
    this.#doneAt = 0
    for (const frame of this.#frames) {
      frame.bracket -= from
      frame.comma -= from
      frame.oddKey -= from
    }
    for (const split of this.#splits) split.start -= from
  }

  #broken(message: string, at: number): BrokenText {
    const offset = this.#base + this.#keepFrom
    const bytes = this.#window.subarray(this.#keepFrom, this.#length)
    if (this.#splits.length > 0) return new BrokenText(message, this.#members(this.#length, 0), this.#base + at)
    return new BrokenText(message, { kind: 'whole', bytes, offset }, this.#base + at)
  }
}
