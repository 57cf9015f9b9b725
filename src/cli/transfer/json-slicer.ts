import { DOT, nextMember } from './json-bytes.ts'
import { type Container, JsonScanner } from './json-scanner.ts'
import { BrokenText, type MembersSlice, type OpenContainer, type Slice, type SlicePosition } from './json-slice.ts'
import { TextWindow } from './text-window.ts'

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
/** Maximum commas in a slice: parsed, tiny members take many times the memory of their text. */
const MAX_COMMAS = 32 * 1024

/** State of a split container. */
interface Split {
  readonly key: string
  /** Index of the first byte that is in no slice yet. */
  start: number
  /** Number of the first element that is in no slice yet. */
  first: number
  /** Whether a split member has just ended, so that only a comma or the end may follow. */
  hasEnded: boolean
}

/**
 * Splits the JSON text of one value of any size into slices of bounded size for a JSON parser. It reads brackets, commas
 * and quotes once; the parser of the slices checks the rest. Containers longer than a slice are split; their direct
 * members come in as few slices as possible.
 */
export class JsonSlicer {
  readonly #sliceBytes: number
  readonly #maxLeafBytes: number
  readonly #window = new TextWindow()
  readonly #scanner = new JsonScanner(this.#window, (message, at) => this.#broken(message, at))
  #splits: Split[] = []
  #hasBegun = false
  /** Index behind the closing bracket of a split root. */
  #doneAt = 0

  /**
   * @param sliceBytes length from which containers are split
   * @param maxLeafBytes maximum length of a single leaf
   * @param from position to continue from; the pushed bytes start at its offset
   */
  constructor(sliceBytes: number, maxLeafBytes: number, from?: SlicePosition) {
    this.#sliceBytes = sliceBytes
    this.#maxLeafBytes = maxLeafBytes
    if (from === undefined || from.open.length === 0) return
    this.#hasBegun = true
    this.#window.base = from.offset
    for (const { key, isArray, count } of from.open) {
      this.#scanner.containers.push({ isArray, bracket: -1, comma: -1, count, oddKey: -1 })
      this.#splits.push({ key, start: 0, first: count, hasEnded: false })
    }
  }

  /** Position behind the last slice, which must be members with more members to follow. */
  get position(): SlicePosition {
    const open = this.#splits.map(({ key }, depth): OpenContainer => {
      const container = this.#container(depth)
      // The innermost container is read again from its last comma.
      return {
        key,
        isArray: container.isArray,
        count: depth < this.#splits.length - 1 ? container.count : this.#inner.first,
      }
    })
    return { offset: this.#window.base + this.#inner.start, open }
  }

  /** Takes more of the text. @throws BrokenText */
  *push(bytes: Uint8Array): Generator<Slice> {
    this.#window.append(bytes)
    if (!this.#begin()) return
    yield* this.#scan()
    if (this.#window.length - this.#keepFrom >= this.#sliceBytes || this.#scanner.commas >= MAX_COMMAS) {
      this.#scanner.commas = 0
      yield* this.#cut()
    }
    this.#compact()
  }

  /** The text has ended. @throws BrokenText */
  *end(): Generator<Slice> {
    if (this.#scanner.containers.length > 0 || this.#scanner.inString)
      throw this.#broken('the file ends in the middle', this.#window.length)
    if (this.#scanner.isDone) return
    yield { kind: 'whole', bytes: this.#window.bytes.subarray(0, this.#window.length), offset: this.#window.base }
  }

  get #inner(): Split {
    return this.#splits[this.#splits.length - 1] as Split
  }

  #container(depth: number): Container {
    return this.#scanner.containers[depth] as Container
  }

  get #keepFrom(): number {
    return this.#splits.length === 0 ? 0 : this.#inner.start
  }

  /** Drops a byte order mark and spaces before the value. @returns whether the value has begun */
  #begin(): boolean {
    if (this.#hasBegun) return true
    const window = this.#window.bytes
    if (this.#window.base === 0 && window[0] === BYTE_ORDER_MARK[0]) {
      if (this.#window.length < BYTE_ORDER_MARK.length) return false
      if (BYTE_ORDER_MARK.every((byte, index) => window[index] === byte)) this.#window.drop(BYTE_ORDER_MARK.length)
    }
    this.#window.drop(this.#window.behindSpace(0))
    this.#hasBegun = this.#window.length > 0
    return this.#hasBegun
  }

  *#scan(): Generator<Slice> {
    const scanner = this.#scanner
    for (;;) {
      const found = scanner.advance(this.#splits.length, this.#splits.at(-1)?.hasEnded === true)
      if (found === 'window') break
      if (found === 'comma') {
        this.#continueBehind(scanner.at)
        scanner.passComma(this.#container(this.#splits.length - 1))
      } else {
        yield* this.#close(scanner.at)
        scanner.passEnd()
      }
    }
    if (!scanner.isDone) return
    const behind = this.#window.behindSpace(this.#doneAt)
    if (behind < this.#window.length) throw this.#broken('only one value is expected', behind)
  }

  /** Continues behind the comma of a split member. */
  #continueBehind(at: number): void {
    const { start } = this.#inner
    if (this.#window.behindSpace(start) !== at) throw this.#broken('a comma is expected', start)
    this.#inner.start = at + 1
    this.#inner.first = this.#container(this.#splits.length - 1).count + 1
    this.#inner.hasEnded = false
  }

  /** Ends the innermost split container. */
  *#close(at: number): Generator<Slice> {
    const { start, hasEnded } = this.#inner
    const isEmpty = this.#window.behindSpace(start) === at
    if (hasEnded && !isEmpty) throw this.#broken('a comma is expected', start)
    // A value must follow a comma.
    if (isEmpty && !hasEnded && this.#container(this.#splits.length - 1).count > 0) {
      throw this.#broken('a value is expected', at)
    }
    if (!isEmpty) yield this.#members(at, this.#container(this.#splits.length - 1).count + 1)
    yield { kind: 'close', keys: this.#keys }
    this.#splits.pop()
    if (this.#splits.length === 0) {
      this.#scanner.isDone = true
      this.#doneAt = at + 1
      return
    }
    this.#inner.start = at + 1
    this.#inner.hasEnded = true
  }

  get #keys(): string[] {
    return this.#splits.slice(1).map(({ key }) => key)
  }

  /** Members of the innermost container up to a comma or its end. @param behind number of the next element */
  #members(end: number, behind: number): MembersSlice {
    const { start, first } = this.#inner
    const { isArray, oddKey } = this.#container(this.#splits.length - 1)
    const bytes = this.#window.bytes.subarray(start, end)
    const count = behind - first
    return {
      kind: 'members',
      keys: this.#keys,
      isArray,
      first,
      count,
      hasOddKeys: oddKey >= start,
      bytes,
      offset: this.#window.base + start,
    }
  }

  /** Returns complete members, and splits members that are longer than a slice. */
  *#cut(): Generator<Slice> {
    if (this.#splits.length === 0) {
      if (!this.#isSplittable(0)) return this.#checkLeaf(0)
      if (this.#container(0).bracket !== 0) throw this.#broken('one value is expected', 0)
      this.#split('', 0)
      yield { kind: 'open', keys: [] }
    }
    for (;;) {
      const split = this.#inner
      const depth = this.#splits.length - 1
      const container = this.#container(depth)
      if (container.comma >= split.start) {
        if (this.#window.behindSpace(split.start) === container.comma)
          throw this.#broken('a value is expected', container.comma)
        const members = this.#members(container.comma, container.count)
        split.start = container.comma + 1
        split.first = container.count
        yield members
      }
      split.start = this.#window.behindSpace(split.start)
      if (this.#window.length - split.start < this.#sliceBytes / 2) return
      if (!this.#isSplittable(depth + 1)) return this.#checkLeaf(split.start)
      if (split.hasEnded) throw this.#broken('a comma is expected', split.start)
      this.#split(this.#keyOf(depth + 1), this.#container(depth + 1).bracket + 1)
      yield { kind: 'open', keys: this.#keys }
    }
  }

  #split(key: string, start: number): void {
    const depth = this.#splits.length
    const { bracket } = this.#container(depth)
    this.#splits.push({ key, start: depth === 0 ? bracket + 1 : start, first: 0, hasEnded: false })
  }

  /** @throws BrokenText when one leaf, or a run of spaces, is too long */
  #checkLeaf(from: number): void {
    if (this.#window.length - from > this.#maxLeafBytes) throw this.#broken('too long', from)
  }

  /** Whether a container holds children. A possible leaf with a priority is not split. */
  #isSplittable(depth: number): boolean {
    const container = this.#scanner.containers[depth]
    if (container === undefined) return false
    if (container.isArray || this.#scanner.containers.length > depth + 1) return true
    let at = this.#window.behindSpace(container.bracket + 1)
    if (this.#window.bytes[at + 1] !== DOT) return container.comma >= 0
    if (container.comma < 0) return false
    // The first member is special: search for a member that is not.
    for (;;) {
      const next = nextMember(this.#window.bytes, at, container.comma)
      if (next > container.comma) return false
      at = this.#window.behindSpace(next)
      if (this.#window.bytes[at + 1] !== DOT) return true
    }
  }

  /** Key of a container in its split parent. */
  #keyOf(depth: number): string {
    const { isArray, count } = this.#container(depth - 1)
    const { bracket } = this.#container(depth)
    const { start } = this.#inner
    if (isArray) {
      if (this.#window.behindSpace(start) !== bracket) throw this.#broken('a comma is expected', start)
      return String(count)
    }
    const found = /^\s*("(?:[^"\\]|\\.)*")\s*:\s*$/s.exec(
      Buffer.from(this.#window.bytes.subarray(start, bracket)).toString(),
    )
    try {
      return JSON.parse(found?.[1] ?? '') as string
    } catch {
      throw this.#broken('a key is expected', start)
    }
  }

  /** Drops the bytes that are complete. */
  #compact(): void {
    const from = this.#scanner.isDone ? this.#window.length : Math.min(this.#keepFrom, this.#window.length)
    if (from === 0) return
    this.#window.drop(from)
    this.#doneAt = 0
    this.#scanner.drop(from)
    for (const split of this.#splits) split.start -= from
  }

  #broken(message: string, at: number): BrokenText {
    const offset = this.#window.base + this.#keepFrom
    const bytes = this.#window.bytes.subarray(this.#keepFrom, this.#window.length)
    if (this.#splits.length > 0)
      return new BrokenText(message, this.#members(this.#window.length, 0), this.#window.base + at)
    return new BrokenText(message, { kind: 'whole', bytes, offset }, this.#window.base + at)
  }
}
