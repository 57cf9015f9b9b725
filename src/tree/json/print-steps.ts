import type { Steps } from '../../scheduling/steps.ts'
import { PRIORITY } from '../key.ts'
import { arrayLengthInSteps } from '../order.ts'
import { type Branch, isBranch, ownMember, VALUE, type Value } from '../value.ts'
import { etagHash, NULL_ETAG } from './etag.ts'
import { keysInSteps, memberKeysInSteps } from './member-keys.ts'
import { withoutPriorities } from './plain-text.ts'
import { exceeds, includesPriority, isStringText, print, printKey, type TextForm, withoutOwnPriority } from './print.ts'
import { type AnyText, collected, pieceEnd, pieces, piecesOf, type TextSink } from './text-pieces.ts'

/** Members printed between two pauses. */
const STEP_MEMBERS = 256
/** Approximate length of a chunk, in UTF-16 code units. */
const PIECE_LENGTH = 64 * 1024
/** Length up to which a branch is printed natively, in UTF-16 code units: ten times as fast as its members one by one. */
const NATIVE_LENGTH = 4096

/** As `print`, with pauses. */
export function* printInSteps(value: Value, form: TextForm, sink: TextSink): Steps<void> {
  yield* new StepPrinter(sink, form).print(value)
}

/** As `JSON.stringify` of parsed JSON, with pauses. */
export function* stringifyInSteps(json: unknown, sink: TextSink): Steps<void> {
  yield* new StepPrinter(sink, undefined).print(json)
}

/** As `toPlain`, with pauses. */
export function* toPlainInSteps(stored: AnyText): Steps<AnyText> {
  if (!(yield* mentionsPriorityInSteps(stored))) return stored
  const cut = typeof stored === 'string' ? withoutOwnPriority(stored) : undefined
  if (cut !== undefined) return cut
  return yield* collected((sink) => withoutPriorities(stored, sink))
}

/** As `mentionsPriority`, with pauses. */
function* mentionsPriorityInSteps(text: AnyText): Steps<boolean> {
  const all = piecesOf(text)
  if (isStringText(all[0] ?? '')) return false
  for (const piece of all) {
    if (includesPriority(piece)) return true
    yield
  }
  return false
}

/** As `etagOf` of the stored text of a value, with pauses. */
export function* etagInSteps(value: Value | undefined): Steps<string> {
  if (value === undefined) return NULL_ETAG
  const hash = etagHash()
  yield* printInSteps(value, 'stored', (piece) => hash.update(piece))
  return hash.digest('base64')
}

/** As `etagOf`, with pauses. */
export function* etagOfInSteps(stored: AnyText): Steps<string> {
  const hash = etagHash()
  yield* pieces(stored, (piece) => hash.update(piece))
  return hash.digest('base64')
}

class StepPrinter {
  readonly #sink: TextSink
  /** `undefined` prints the JSON as it is. */
  readonly #form: TextForm | undefined
  #texts: string[] = []
  #length = 0
  #members = 0

  constructor(sink: TextSink, form: TextForm | undefined) {
    this.#sink = sink
    this.#form = form
  }

  *print(json: unknown): Steps<void> {
    yield* this.#node(json)
    this.#flush()
  }

  *#node(json: unknown): Steps<void> {
    if (!this.#addShort(json)) yield* this.#long(json as string | Branch)
  }

  *#long(json: string | Branch): Steps<void> {
    if (typeof json === 'string') yield* this.#string(json)
    else if (Array.isArray(json)) yield* this.#array(json, json.length)
    else if (this.#form === undefined) yield* this.#object(json, yield* keysInSteps(json))
    else yield* this.#branch(json, this.#form)
  }

  *#branch(branch: Branch, form: TextForm): Steps<void> {
    const leaf = form === 'plain' ? ownMember(branch, VALUE) : undefined
    if (leaf !== undefined) return yield* this.#node(leaf)
    const all = yield* memberKeysInSteps(branch)
    const keys = form === 'plain' && Object.hasOwn(branch, PRIORITY) ? all.filter((key) => key !== PRIORITY) : all
    const length = form === 'export' ? undefined : yield* arrayLengthInSteps(keys)
    if (length === undefined) yield* this.#object(branch, keys)
    else yield* this.#array(branch, length)
  }

  *#object(branch: Branch, keys: readonly string[]): Steps<void> {
    let before = '{'
    for (const key of keys) {
      const member = branch[key]
      this.#add(`${before}${printKey(key)}:`)
      before = ','
      if (!this.#addShort(member)) yield* this.#long(member as string | Branch)
      if (this.#isPauseDue()) yield
    }
    this.#add(before === '{' ? '{}' : '}')
  }

  /** @param elements an array, or a branch that reads as one */
  *#array(elements: Branch | readonly unknown[], length: number): Steps<void> {
    this.#add('[')
    for (let index = 0; index < length; index++) {
      if (index > 0) this.#add(',')
      const element: unknown = (Array.isArray(elements) ? elements[index] : (elements as Branch)[index]) ?? null
      if (!this.#addShort(element)) yield* this.#long(element as string | Branch)
      if (this.#isPauseDue()) yield
    }
    this.#add(']')
  }

  /** @returns `false`, with nothing added, for what may be long */
  #addShort(json: unknown): boolean {
    if (typeof json === 'string' ? json.length > PIECE_LENGTH : exceeds(json, NATIVE_LENGTH)) return false
    this.#add(this.#form !== undefined && isBranch(json) ? print(json, this.#form) : JSON.stringify(json))
    return true
  }

  /** Ends a piece of text that is long enough. */
  #isPauseDue(): boolean {
    const isLong = this.#length >= PIECE_LENGTH
    if (isLong) this.#flush()
    return ++this.#members % STEP_MEMBERS === 0 || isLong
  }

  /** A long string in pieces. */
  *#string(json: string): Steps<void> {
    this.#add('"')
    for (let start = 0; start < json.length; ) {
      const end = pieceEnd(json, start, PIECE_LENGTH)
      this.#add(JSON.stringify(json.slice(start, end)).slice(1, -1))
      this.#flush()
      start = end
      yield
    }
    this.#add('"')
  }

  #add(text: string): void {
    this.#texts.push(text)
    this.#length += text.length
  }

  #flush(): void {
    if (this.#length > 0) this.#sink(this.#texts.join(''))
    this.#texts = []
    this.#length = 0
  }
}
