import { DholeError } from '../../error.ts'
import { atOnce, type Steps } from '../../scheduling/steps.ts'
import { listedOrder, rememberKeys } from './member-keys.ts'
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isSpace,
  type JsonBounds,
  type LargeParts,
  measureJson,
  OPEN_ARRAY,
  OPEN_OBJECT,
  PART_BYTES,
  QUOTE,
} from './shape/json-shape.ts'

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
/** `u` of an escape with four digits. */
const ESCAPED_UNIT = 0x75
/** Throws for bytes that are not UTF-8. It keeps a byte order mark, with which a part may begin. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * As `JSON.parse` of UTF-8 bytes, with pauses: `JSON.parse` parses a long text in parts of about `PART_BYTES`, which are
 * then assembled.
 * @throws SyntaxError; TypeError for bytes that are not UTF-8; as `measureJson`
 */
export function* parseJsonInSteps(bytes: Uint8Array, bounds: JsonBounds): Steps<unknown> {
  const text = BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? bytes.subarray(3) : bytes
  return yield* new PartsParser(text, yield* measureJson(text, bounds)).parse()
}

class PartsParser {
  readonly #bytes: Uint8Array
  readonly #large: LargeParts

  constructor(bytes: Uint8Array, large: LargeParts) {
    this.#bytes = bytes
    this.#large = large
  }

  *parse(): Steps<unknown> {
    const start = yield* this.#beyondSpaces(0, 1)
    const stop = yield* this.#beyondSpaces(this.#bytes.length, -1)
    const end = this.#large.get(start)
    if (end === undefined) return JSON.parse(this.#text(start, stop))
    if (end < stop) throw new SyntaxError('Only one value is expected')
    return yield* this.#value(start, end)
  }

  /** Passes the spaces around the value, of which there may be many. @param step 1 forwards, -1 backwards */
  *#beyondSpaces(from: number, step: 1 | -1): Steps<number> {
    const offset = step === 1 ? 0 : -1
    let at = from
    for (let paused = at; isSpace(this.#bytes[at + offset]); at += step) {
      if (Math.abs(at - paused) < PART_BYTES) continue
      paused = at
      yield
    }
    return at
  }

  *#value(start: number, end: number): Steps<unknown> {
    switch (this.#bytes[start]) {
      case QUOTE:
        return yield* this.#string(start, end)
      case OPEN_ARRAY:
        return yield* this.#members(start, end, new Elements())
      default:
        return yield* this.#members(start, end, new Members())
    }
  }

  /** Parses short members in groups and long ones one by one. */
  *#members(start: number, end: number, container: Elements | Members): Steps<unknown> {
    const bytes = this.#bytes
    const close = end - 1
    // The rest to parse begins at `from`; its last comma is `comma`.
    let from = start + 1
    let comma = -1
    let paused = from
    for (let at = from; at < close; ) {
      if (at - paused >= PART_BYTES) {
        paused = at
        yield
      }
      const byte = bytes[at]
      if (byte === COMMA) {
        comma = at++
        if (comma - from < PART_BYTES) continue
        yield* container.addGroup(this.#text(from, comma))
        from = at
      } else if (byte === QUOTE || byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        const stop = this.#large.get(at)
        if (stop === undefined) {
          at = byte === QUOTE ? this.#behindString(at) : this.#behindContainer(at)
          continue
        }
        if (comma >= from) yield* container.addGroup(this.#text(from, comma))
        const lead = this.#text(Math.max(from, comma + 1), at)
        const behind = this.#behindSpace(stop)
        if (container.isKey(lead) && bytes[behind] === COLON) throw new DholeError('key-too-long')
        container.add(lead, yield* this.#value(at, stop))
        at = behind
        if (at === close) return yield* container.end()
        if (bytes[at] !== COMMA) throw new SyntaxError('A comma is expected')
        from = ++at
        paused = at
      } else at++
    }
    yield* container.addLast(this.#text(from, close))
    return yield* container.end()
  }

  /** @param at of a container shorter than `PART_BYTES` */
  #behindContainer(at: number): number {
    const bytes = this.#bytes
    let level = 0
    for (let next = at; ; ) {
      const byte = bytes[next]
      if (byte === QUOTE) {
        next = this.#behindString(next)
        continue
      }
      next++
      if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) level++
      else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) level--
      if (level === 0) return next
    }
  }

  #behindString(at: number): number {
    const bytes = this.#bytes
    let next = at + 1
    while (bytes[next] !== QUOTE) next += bytes[next] === BACKSLASH ? 2 : 1
    return next + 1
  }

  #behindSpace(from: number): number {
    let at = from
    while (isSpace(this.#bytes[at])) at++
    return at
  }

  #text(start: number, end: number): string {
    return utf8.decode(this.#bytes.subarray(start, end))
  }

  /** Divides a string between two characters. Escaped halves of a surrogate pair join again. */
  *#string(start: number, end: number): Steps<string> {
    const pieces: string[] = []
    for (let at = start + 1; at < end - 1; ) {
      const from = at
      while (at < end - 1 && at - from < PART_BYTES) {
        if (this.#bytes[at] !== BACKSLASH) at++
        else at += this.#bytes[at + 1] === ESCAPED_UNIT ? 6 : 2
      }
      while (at < end - 1 && isContinuation(this.#bytes[at] as number)) at++
      at = Math.min(at, end - 1)
      pieces.push(JSON.parse(`"${this.#text(from, at)}"`) as string)
      yield
    }
    return pieces.join('')
  }
}

/** An array that is being assembled. */
class Elements {
  readonly #built: unknown[] = []

  isKey(): boolean {
    return false
  }

  /** @param text elements between two commas */
  *addGroup(text: string): Steps<void> {
    const elements = JSON.parse(`[${text}]`) as unknown[]
    if (elements.length === 0) throw new SyntaxError('A value is expected')
    yield
    for (const element of elements) this.#built.push(element)
  }

  /** @param lead text between the last comma and the value */
  add(lead: string, value: unknown): void {
    if (lead.trim() !== '') throw new SyntaxError('A comma is expected')
    this.#built.push(value)
  }

  /** @param text elements between the last comma and the bracket */
  *addLast(text: string): Steps<void> {
    if (this.#built.length > 0 || text.trim() !== '') yield* this.addGroup(text)
  }

  end(): Steps<unknown> {
    return atOnce(() => this.#built)
  }
}

/** An object that is being assembled. The last member with a name counts. */
class Members {
  readonly #built: Record<string, unknown> = {}
  /** In the order of their first members. */
  readonly #keys: string[] = []

  /** Whether a key follows. @param lead text between the last comma and it */
  isKey(lead: string): boolean {
    return lead.trim() === ''
  }

  /** @param text members between two commas */
  *addGroup(text: string): Steps<void> {
    const members = JSON.parse(`{${text}}`) as Record<string, unknown>
    const keys = Object.keys(members)
    if (keys.length === 0) throw new SyntaxError('A member is expected')
    // The engine has a table of all names and one of those of an object: each is moved at once when it grows.
    yield
    for (const key of keys) this.#set(key, members[key])
  }

  /** @param lead text between the last comma and the value: the key */
  add(lead: string, value: unknown): void {
    const [key, ...others] = Object.keys(JSON.parse(`{${lead}[]}`) as object)
    if (key === undefined || others.length > 0) throw new SyntaxError('A key is expected')
    this.#set(key, value)
  }

  /** @param text members between the last comma and the bracket */
  *addLast(text: string): Steps<void> {
    if (this.#keys.length > 0 || text.trim() !== '') yield* this.addGroup(text)
  }

  *end(): Steps<unknown> {
    rememberKeys(this.#built, yield* listedOrder(this.#keys))
    return this.#built
  }

  #set(key: string, value: unknown): void {
    if (!Object.hasOwn(this.#built, key)) this.#keys.push(key)
    // Assigning `__proto__` would change the prototype.
    if (key === '__proto__') {
      Object.defineProperty(this.#built, key, { value, writable: true, enumerable: true, configurable: true })
    } else this.#built[key] = value
  }
}

/** Whether a byte of UTF-8 continues a character. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}

/** The value of a JSON text; `undefined` for other text. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
