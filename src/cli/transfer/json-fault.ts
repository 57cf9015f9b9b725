import { DholeError } from '../../error.ts'
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isSpace,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from '../../tree/json/shape/json-shape.ts'
import { checkKey } from '../../tree/key.ts'
import type { Limits } from '../../tree/limits.ts'
import { checkWhole, planPart } from '../../tree/partial-write.ts'
import { checkPath, type Path } from '../../tree/path.ts'
import { parsePriority } from '../../tree/priority.ts'
import { endOfString } from './json-bytes.ts'
import type { MembersSlice } from './json-slice.ts'

const ENDS_LITERAL = new Set([...Buffer.from(' \t\n\r,:[]{}"')])

/** A fault of a JSON text with its position. */
export class JsonFault extends Error {
  readonly path: Path
  /** Byte offset in the whole text. */
  readonly offset: number

  constructor(message: string, path: Path, offset: number) {
    super(message)
    this.path = path
    this.offset = offset
  }
}

/** A faulty text. */
export interface FaultyText {
  readonly bytes: Uint8Array
  readonly offset: number
  /** Path of the value, or of the container of the members. */
  readonly path: Path
  /** For members without the brackets around them. */
  readonly members?: Pick<MembersSlice, 'isArray' | 'first'>
}

/** The first fault that a PUT would refuse; `undefined` without a fault. */
export function findFault(text: FaultyText, limits: Limits): JsonFault | undefined {
  const finder = new FaultFinder(text, limits)
  try {
    finder.read()
    return undefined
  } catch (error) {
    if (error instanceof JsonFault) return error
    throw error
  }
}

/** Parses JSON strictly and slowly, and checks every node as the tree does. */
class FaultFinder {
  readonly #bytes: Uint8Array
  readonly #text: FaultyText
  readonly #limits: Limits
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  #at = 0

  constructor(text: FaultyText, limits: Limits) {
    this.#bytes = text.bytes
    this.#text = text
    this.#limits = limits
  }

  read(): void {
    const { path, members } = this.#text
    if (members === undefined) this.#value(path)
    else if (members.isArray) this.#elements(path, members.first, undefined)
    else this.#members(path, undefined)
    this.#space()
    if (this.#at < this.#bytes.length) throw this.#fault('nothing more is expected', path)
  }

  #value(path: Path): void {
    this.#space()
    const from = this.#at
    switch (this.#bytes[from]) {
      case OPEN_OBJECT:
        this.#check(path, from, () => checkPath(path, 'bad-key'))
        this.#at++
        this.#members(path, CLOSE_OBJECT)
        // Checks the relations of the members after each member is valid.
        this.#check(path, from, () => checkWhole(path, this.#parse(from, path), this.#limits))
        return
      case OPEN_ARRAY:
        this.#check(path, from, () => checkPath(path, 'bad-key'))
        this.#at++
        this.#elements(path, 0, CLOSE_ARRAY)
        return
      default: {
        const leaf = this.#leaf(path)
        this.#check(path, from, () => {
          checkPath(path, 'bad-key')
          checkWhole(path, leaf, this.#limits)
        })
      }
    }
  }

  /** @param end required closing bracket; `undefined` for the end of the text */
  #members(path: Path, end: number | undefined): void {
    const from = this.#at
    for (let isFirst = true; !this.#ends(end, isFirst, path); isFirst = false) {
      this.#space()
      const at = this.#at
      if (this.#bytes[at] !== QUOTE) throw this.#fault('a key in quotes is expected', path)
      const key = String(this.#leaf(path))
      if (!key.startsWith('.')) this.#check(path, at, () => checkKey(key, 'bad-key'))
      this.#space()
      if (this.#bytes[this.#at] !== COLON) throw this.#fault('a colon is expected', path)
      this.#at++
      this.#member(path, key, at)
    }
    if (end === undefined) this.#check(path, from, () => planPart(path, this.#allMembers(), this.#limits))
  }

  #member(path: Path, key: string, at: number): void {
    if (key === '.value' || key === '.sv') this.#value(path)
    else if (key === '.priority') this.#priority(path)
    else if (key.startsWith('.')) this.#check(path, at, () => checkKey(key, 'bad-key'))
    else this.#value([...path, key])
  }

  #priority(path: Path): void {
    this.#space()
    const from = this.#at
    const first = this.#bytes[from]
    if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
      this.#check([...path, '.priority'], from, () => {
        throw new DholeError('priority-type')
      })
    }
    const priority = this.#leaf(path)
    this.#check([...path, '.priority'], from, () => {
      parsePriority(priority)
      checkWhole(path, priority, this.#limits)
    })
  }

  #elements(path: Path, first: number, end: number | undefined): void {
    let index = first
    for (let isFirst = true; !this.#ends(end, isFirst, path); isFirst = false) this.#value([...path, String(index++)])
  }

  /** Whether the members end here. Otherwise reads the comma before the next member. */
  #ends(end: number | undefined, isFirst: boolean, path: Path): boolean {
    this.#space()
    const byte = this.#bytes[this.#at]
    if (byte === end) {
      this.#at++
      return true
    }
    if (isFirst) return false
    if (byte !== COMMA) throw this.#fault('a comma is expected', path)
    this.#at++
    this.#space()
    if (this.#bytes[this.#at] === end) throw this.#fault('a value is expected', path)
    return false
  }

  /** A string, number, true, false or null. */
  #leaf(path: Path): unknown {
    const from = this.#at
    const bytes = this.#bytes
    if (from >= bytes.length) throw this.#fault('the file ends in the middle', path)
    if (bytes[from] === QUOTE) {
      this.#at = endOfString(bytes, from + 1, bytes.length)
      if (this.#at < 0) throw new JsonFault('a string does not end', path, this.#text.offset + from)
    } else {
      while (this.#at < bytes.length && !ENDS_LITERAL.has(bytes[this.#at] ?? 0)) this.#at++
    }
    return this.#parse(from, path)
  }

  /** Parses the text from an index to the current one. */
  #parse(from: number, path: Path): unknown {
    const offset = this.#text.offset + from
    const bytes = this.#bytes.subarray(from, this.#at)
    let text: string
    try {
      text = this.#utf8.decode(bytes)
    } catch {
      throw new JsonFault('this is no UTF-8', path, offset)
    }
    try {
      return JSON.parse(text)
    } catch {
      throw new JsonFault('this is no JSON', path, offset)
    }
  }

  #allMembers(): Record<string, unknown> {
    return JSON.parse(`{${this.#utf8.decode(this.#bytes)}}`)
  }

  #check(path: Path, at: number, check: () => void): void {
    try {
      check()
    } catch (error) {
      if (!(error instanceof DholeError)) throw error
      throw new JsonFault(error.message, path, this.#text.offset + at)
    }
  }

  #fault(message: string, path: Path): JsonFault {
    const isAtEnd = this.#at >= this.#bytes.length
    return new JsonFault(isAtEnd ? 'the file ends in the middle' : message, path, this.#text.offset + this.#at)
  }

  #space(): void {
    while (isSpace(this.#bytes[this.#at])) this.#at++
  }
}
