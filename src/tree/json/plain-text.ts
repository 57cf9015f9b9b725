import type { Steps } from '../../scheduling/steps.ts'
import { PRIORITY } from '../key.ts'
import { arrayLengthOf, isArrayKey } from '../order.ts'
import { VALUE } from '../value.ts'
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  endOfString,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from './shape/json-shape.ts'
import { type AnyText, piecesOf, type TextSink } from './text-pieces.ts'

/** Code units read between two pauses. */
const STEP_LENGTH = 64 * 1024

/**
 * Converts stored text to plain text. An object that forms an array without its priority becomes one. It reads the text
 * twice, because only the end of an object shows whether it forms an array.
 */
export function* withoutPriorities(text: AnyText, sink: TextSink): Steps<void> {
  const finder = new ArrayFinder()
  yield* new Tokens(finder).read(text)
  yield* new Tokens(new PriorityRemover(finder.arrays, sink)).read(text)
}

/** Receives the tokens of a text. Offsets are those of the current piece. */
interface TokenHandler {
  /** The next piece begins. */
  begin(piece: string): void
  open(isObject: boolean, at: number): void
  /** @param end offset after the closing quote */
  key(key: string, at: number, end: number): void
  colon(at: number): void
  comma(isInObject: boolean, at: number): void
  close(isObject: boolean, at: number): void
  /** The piece ends. */
  end(): void
}

/** Finds the tokens of a well-formed text. */
class Tokens {
  readonly #handler: TokenHandler
  /** For each open container, whether it is an object. */
  readonly #around: boolean[] = []
  #isKeyNext = false
  /** Whether the last piece ended inside a string. */
  #isInString = false

  constructor(handler: TokenHandler) {
    this.#handler = handler
  }

  *read(text: AnyText): Steps<void> {
    // Text read since the last pause. A piece may be all inside one string.
    let read = 0
    for (const piece of piecesOf(text)) {
      this.#handler.begin(piece)
      let paused = 0
      for (let at = this.#isInString ? this.#behindString(piece, 0) : 0; at < piece.length; ) {
        at = this.#token(piece, at)
        if (read + at - paused < STEP_LENGTH) continue
        paused = at
        read = 0
        yield
      }
      this.#handler.end()
      read += piece.length - paused
      if (read < STEP_LENGTH) continue
      read = 0
      yield
    }
  }

  /** @returns the offset after the token */
  #token(text: string, at: number): number {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return this.#string(text, at)
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      const isObject = code === OPEN_OBJECT
      this.#around.push(isObject)
      this.#isKeyNext = isObject
      this.#handler.open(isObject, at)
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      this.#around.pop()
      this.#isKeyNext = false
      this.#handler.close(code === CLOSE_OBJECT, at)
    } else if (code === COMMA) {
      this.#isKeyNext = this.#around.at(-1) === true
      this.#handler.comma(this.#isKeyNext, at)
    } else if (code === COLON) this.#handler.colon(at)
    return at + 1
  }

  #string(text: string, at: number): number {
    const end = this.#behindString(text, at + 1)
    if (this.#isKeyNext) this.#handler.key(text.slice(at + 1, end - 1), at, end)
    this.#isKeyNext = false
    return end
  }

  /** @param start offset inside the string. @returns the end of the piece when the string continues in the next one */
  #behindString(text: string, start: number): number {
    const end = endOfString(text, start)
    this.#isInString = end === -1
    return end === -1 ? text.length : end
  }
}

/** Finds the objects with a priority that form arrays without it. */
class ArrayFinder implements TokenHandler {
  /** Their numbers, counted in the order in which objects begin. */
  readonly arrays = new Set<number>()
  readonly #around: { number: number; count: number; last: string; hasPriority: boolean; isObjectAnyway: boolean }[] =
    []
  #objects = 0

  open(isObject: boolean): void {
    if (!isObject) return
    this.#around.push({ number: this.#objects++, count: 0, last: '', hasPriority: false, isObjectAnyway: false })
  }

  key(key: string): void {
    const object = this.#around.at(-1)
    if (object === undefined) return
    if (key === PRIORITY) object.hasPriority = true
    else if (isArrayKey(key)) {
      object.count++
      object.last = key
    } else object.isObjectAnyway = true
  }

  close(isObject: boolean): void {
    const object = isObject ? this.#around.pop() : undefined
    if (object === undefined || !object.hasPriority || object.isObjectAnyway || object.count === 0) return
    if (arrayLengthOf(object.count, object.last) !== undefined) this.arrays.add(object.number)
  }

  begin(): void {}
  colon(): void {}
  comma(): void {}
  end(): void {}
}

/** An open object. */
interface AroundObject {
  readonly isArray: boolean
  /** Whether its opening bracket is not yet written. */
  isPending: boolean
  /** Whether it is a leaf with a priority. */
  isLeaf: boolean
  /** Whether the current member is left out. */
  isLeftOut: boolean
  /** The next index of an array. */
  next: number
}

/** Copies all but priorities. */
class PriorityRemover implements TokenHandler {
  readonly #arrays: ReadonlySet<number>
  readonly #sink: TextSink
  readonly #around: AroundObject[] = []
  #objects = 0
  #piece = ''
  /** Offset up to which the piece is copied or left out. */
  #copied = 0
  /** Whether the next colon is left out. */
  #dropsColon = false

  constructor(arrays: ReadonlySet<number>, sink: TextSink) {
    this.#arrays = arrays
    this.#sink = sink
  }

  begin(piece: string): void {
    this.#piece = piece
    this.#copied = 0
  }

  open(isObject: boolean, at: number): void {
    if (!isObject) return
    this.#copy(at, at + 1)
    const isArray = this.#arrays.has(this.#objects++)
    this.#around.push({ isArray, isPending: true, isLeaf: false, isLeftOut: false, next: 0 })
  }

  key(key: string, at: number, end: number): void {
    const object = this.#around.at(-1)
    if (object === undefined) return
    if (key === PRIORITY) {
      object.isLeftOut = true
      return
    }
    this.#copied = at
    if (key === VALUE) object.isLeaf = true
    else this.#sink(object.isPending ? bracketOf(object) : ',')
    object.isPending = false
    if (object.isArray) while (object.next < Number(key)) this.#fillHole(object)
    object.next++
    if (!object.isArray && !object.isLeaf) return
    this.#copied = end
    this.#dropsColon = true
  }

  #fillHole(array: AroundObject): void {
    array.next++
    this.#sink('null,')
  }

  colon(at: number): void {
    if (!this.#dropsColon) return
    this.#dropsColon = false
    this.#copied = at + 1
  }

  comma(isInObject: boolean, at: number): void {
    const object = this.#around.at(-1)
    if (!isInObject || object === undefined) return
    this.#copy(at, at + 1)
    object.isLeftOut = false
  }

  close(isObject: boolean, at: number): void {
    const object = isObject ? this.#around.at(-1) : undefined
    if (object === undefined) return
    this.#copy(at, at + 1)
    this.#around.pop()
    if (object.isPending) this.#sink(bracketOf(object))
    if (!object.isLeaf) this.#sink(object.isArray ? ']' : '}')
  }

  end(): void {
    this.#copy(this.#piece.length, this.#piece.length)
  }

  /** Copies up to an offset, unless the member is left out, and continues at another one. */
  #copy(to: number, next: number): void {
    if (this.#around.at(-1)?.isLeftOut !== true && this.#copied < to) this.#sink(this.#piece.slice(this.#copied, to))
    this.#copied = next
  }
}

function bracketOf({ isArray }: AroundObject): string {
  return isArray ? '[' : '{'
}
