import { DholeError } from '../../../error.ts'
import type { Steps } from '../../../scheduling/steps.ts'
import { MAX_DEPTH } from '../../limits.ts'
import { NameCount } from './name-count.ts'

/** Length from which a container or a string is parsed in parts, in bytes. */
export const PART_BYTES = 64 * 1024
const MEBIBYTE = 1024 * 1024
/** Longest run of spaces, or number, in bytes: neither can be parsed in parts. */
const MAX_RUN_BYTES = MEBIBYTE
/** Maximum levels of a text: those of a tree, and special members in the deepest one. */
const MAX_LEVELS = MAX_DEPTH + 4

const TOO_MANY_NAMES = 'There are too many different names of members: write them in several requests'

export const QUOTE = 0x22
export const COMMA = 0x2c
export const COLON = 0x3a
export const OPEN_ARRAY = 0x5b
export const BACKSLASH = 0x5c
export const CLOSE_ARRAY = 0x5d
export const OPEN_OBJECT = 0x7b
export const CLOSE_OBJECT = 0x7d

/** Bounds of a text. */
export interface JsonBounds {
  /** Leaves, objects and arrays; empty ones count twice. */
  readonly mostValues: number
  /** Members of one container. */
  readonly mostSiblings: number
  /** Different names of members in all containers. */
  readonly mostNames: number
}

/** `"":1,` */
const BYTES_OF_SHORTEST_MEMBER = 5

/** Body limit, in bytes, up to which all limits allow the same number of values. */
const DEFAULT_BYTES = 16 * MEBIBYTE
const BYTES_PER_VALUE = 8
/** A container with more members than the default cannot be sorted in a few milliseconds. */
const BYTES_PER_SIBLING = 80
/** The engine keeps all names in one table, and moves the whole table at once when it grows. */
const BYTES_PER_NAME = 80

/**
 * Bounds of a body, by the limit of its length: about 2 million values, 200,000 members of one container and as many
 * different names with the default of 16 MiB, and more with a higher limit.
 * @see docs/reference/protocol.md#sizes
 */
export function writeBounds(maxWriteBytes: number): JsonBounds {
  const bytes = Math.max(maxWriteBytes, DEFAULT_BYTES)
  return {
    mostValues: Math.floor(bytes / BYTES_PER_VALUE),
    mostSiblings: Math.floor(bytes / BYTES_PER_SIBLING),
    mostNames: Math.floor(bytes / BYTES_PER_NAME),
  }
}

/** Ends of the containers and strings of at least `PART_BYTES`, by their starts; an end is the offset after the last byte. */
export type LargeParts = ReadonlyMap<number, number>

/**
 * Reads each byte of a JSON text once, before any of it is parsed.
 * @throws SyntaxError when brackets or quotes do not match, or a number or a run of spaces is longer than 1 MiB;
 *   `too-deep`, `write-too-big` for more than the bounds allow
 * @see docs/reference/protocol.md#sizes
 */
export function* measureJson(bytes: Uint8Array, bounds: JsonBounds): Steps<LargeParts> {
  const shape = new Shape(bytes, bounds)
  while (!shape.isDone) {
    shape.look(PART_BYTES)
    yield
  }
  return shape.parts()
}

class Shape {
  readonly #bytes: Uint8Array
  readonly #bounds: JsonBounds
  readonly #large = new Map<number, number>()
  /** For each open container, its start and its number of commas. */
  readonly #starts = new Int32Array(MAX_LEVELS + 1)
  readonly #commas = new Int32Array(MAX_LEVELS + 1)
  readonly #names: NameCount
  /** Whether the next string is the name of a member. */
  #isNameNext = false
  #level = 0
  #values = 0
  #at = 0
  /** Offset after the last bracket, comma or quote. */
  #run = 0
  /** Start of the open string; -1 outside strings. */
  #string = -1

  constructor(bytes: Uint8Array, bounds: JsonBounds) {
    this.#bytes = bytes
    this.#bounds = bounds
    // The first name beyond the bound ends the reading.
    this.#names = new NameCount(Math.min(bounds.mostNames + 1, Math.ceil(bytes.length / BYTES_OF_SHORTEST_MEMBER)))
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length
  }

  parts(): LargeParts {
    if (this.#level > 0 || this.#string >= 0) throw new SyntaxError('The text ends in the middle')
    return this.#large
  }

  /** Reads that many more bytes. */
  look(count: number): void {
    const bytes = this.#bytes
    const end = Math.min(bytes.length, this.#at + count)
    let at = this.#at
    if (this.#string >= 0) {
      at = this.#behindString(at, end)
      this.#run = at
    }
    while (at < end) {
      switch (bytes[at]) {
        case QUOTE:
          this.#string = at
          at = this.#behindString(at + 1, end)
          this.#run = at
          continue
        case COMMA:
          this.#countMember()
          break
        case OPEN_ARRAY:
        case OPEN_OBJECT:
          this.#open(at)
          break
        case CLOSE_ARRAY:
          this.#close(at, OPEN_ARRAY)
          break
        case CLOSE_OBJECT:
          this.#close(at, OPEN_OBJECT)
          break
        default:
          at++
          continue
      }
      this.#run = ++at
    }
    this.#at = at
    const isRun = at - this.#run > MAX_RUN_BYTES && this.#string < 0
    // Spaces around the value are harmless.
    if (isRun && (this.#level > 0 || !isSpace(bytes[at - 1]))) throw new SyntaxError('A number or a space is too long')
  }

  /** @returns the offset after the open string, or `end` or a little more when it continues there */
  #behindString(from: number, end: number): number {
    const bytes = this.#bytes
    let at = from
    while (at < end) {
      const byte = bytes[at]
      if (byte === BACKSLASH) at += 2
      else if (byte !== QUOTE) at++
      else {
        if (this.#isNameNext) this.#countName(at)
        at++
        this.#note(this.#string, at)
        this.#string = -1
        return at
      }
    }
    return at
  }

  #countMember(): void {
    const commas = (this.#commas[this.#level] as number) + 1
    if (this.#level === 0) throw new SyntaxError('Only one value is expected')
    if (commas >= this.#bounds.mostSiblings) throw new DholeError('write-too-big')
    this.#commas[this.#level] = commas
    this.#isNameNext = this.#bytes[this.#starts[this.#level] as number] === OPEN_OBJECT
    this.#countValue()
  }

  /** @param end offset of the quote behind it */
  #countName(end: number): void {
    this.#isNameNext = false
    this.#names.add(this.#bytes, this.#string + 1, end)
    if (this.#names.count > this.#bounds.mostNames) throw new DholeError('write-too-big', TOO_MANY_NAMES)
  }

  #countValue(): void {
    if (++this.#values > this.#bounds.mostValues) throw new DholeError('write-too-big')
  }

  #open(at: number): void {
    if (this.#level === MAX_LEVELS) throw new DholeError('too-deep')
    this.#level++
    this.#starts[this.#level] = at
    this.#commas[this.#level] = 0
    this.#isNameNext = this.#bytes[at] === OPEN_OBJECT
    this.#countValue()
  }

  #close(at: number, bracket: number): void {
    const start = this.#starts[this.#level] as number
    if (this.#level === 0 || this.#bytes[start] !== bracket) throw new SyntaxError('A bracket closes what is not open')
    this.#level--
    this.#note(start, at + 1)
  }

  #note(start: number, end: number): void {
    if (end - start >= PART_BYTES) this.#large.set(start, end)
  }
}

export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/** Offset after the closing quote of a string; -1 where the text ends before it. @param start offset inside the string */
export function endOfString(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH) at++
  }
  return -1
}
