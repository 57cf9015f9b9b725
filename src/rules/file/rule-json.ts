import type { Steps } from '../../scheduling/steps.ts'
import { refuse } from '../expression/rule-errors.ts'
import type { SourceLimits } from '../expression/source-limits.ts'
import { RuleScanner } from './rule-scanner.ts'

/** A value of a rules file and its position. Offsets and lengths are in characters; strings include their quotation marks. */
export type JsonNode = JsonObject | JsonList | JsonString | JsonBoolean | JsonOther

interface JsonObject {
  readonly type: 'object'
  readonly offset: number
  readonly members: JsonMember[]
}

export interface JsonMember {
  readonly key: JsonString
  readonly value: JsonNode
}

interface JsonList {
  readonly type: 'list'
  readonly offset: number
  readonly elements: JsonNode[]
}

export interface JsonString {
  readonly type: 'string'
  readonly offset: number
  readonly length: number
  readonly text: string
}

export interface JsonBoolean {
  readonly type: 'boolean'
  readonly offset: number
  readonly length: number
  readonly value: boolean
}

/** A number or null. */
interface JsonOther {
  readonly type: 'other'
  readonly offset: number
}

/** Deepest nesting that is read; the limit of rules is far lower. */
const MAX_NESTING = 100

/** Reads the values of a rules file. */
export class RuleJson {
  readonly #scanner: RuleScanner
  readonly #bounds: SourceLimits
  #nesting = 0

  constructor(source: string, bounds: SourceLimits) {
    this.#scanner = new RuleScanner(source)
    this.#bounds = bounds
  }

  /** The file as JSON without comments, when it has been read. Raw control characters in strings are escaped. */
  strict(): string {
    return this.#scanner.strict()
  }

  /** @throws ExpressionError at the first error of JSON with comments, for too many values, and for absurd nesting */
  *read(): Steps<JsonNode> {
    if (this.#mustPause()) yield* this.#pause()
    const root = yield* this.#value()
    if (this.#scanner.token !== 'end') this.#missing('the file should end here')
    return root
  }

  /** Scans the next token. @returns whether `pause` must do the rest: a generator for each token would take longer */
  #mustPause(): boolean {
    this.#scanner.next()
    return this.#scanner.token === 'pause'
  }

  *#pause(): Steps<void> {
    do yield
    while (this.#mustPause())
  }

  /** Reads a value, and the token after it. */
  *#value(): Steps<JsonNode> {
    const scalar = this.#scalar()
    if (scalar === undefined) return yield* this.#container()
    if (this.#mustPause()) yield* this.#pause()
    return scalar
  }

  /** The value that the token is; `undefined` where an object or a list begins. */
  #scalar(): JsonNode | undefined {
    const { token, offset, end, text } = this.#scanner
    if (token === '{' || token === '[') return undefined
    if (token !== 'string' && token !== 'true' && token !== 'false' && token !== 'other') {
      return this.#missing('a value should stand here')
    }
    this.#bounds.countValue(offset)
    if (token === 'string') return { type: token, offset, length: end - offset, text }
    if (token === 'other') return { type: token, offset }
    return { type: 'boolean', offset, length: end - offset, value: token === 'true' }
  }

  /** Reads an object or a list, and the token after it. */
  *#container(): Steps<JsonNode> {
    const scanner = this.#scanner
    const { offset } = scanner
    const isObject = scanner.token === '{'
    const close = isObject ? '}' : ']'
    if (++this.#nesting > MAX_NESTING) refuse(offset, 'nested too deep')
    this.#bounds.countValue(offset)
    const members: JsonMember[] = []
    const elements: JsonNode[] = []
    if (this.#mustPause()) yield* this.#pause()
    if (scanner.token === ',') this.#missing('a value should stand here')
    while (scanner.token !== close && scanner.token !== 'end') {
      const isFirst = members.length + elements.length === 0
      if (!isFirst && this.#mustPauseAfter(',', 'a comma should stand here')) yield* this.#pause()
      const key = isObject ? this.#key() : undefined
      if (key !== undefined) {
        if (this.#mustPause()) yield* this.#pause()
        if (this.#mustPauseAfter(':', 'a colon should stand here')) yield* this.#pause()
      }
      const scalar = this.#scalar()
      const value = scalar ?? (yield* this.#container())
      if (scalar !== undefined && this.#mustPause()) yield* this.#pause()
      if (key === undefined) elements.push(value)
      else members.push({ key, value })
    }
    if (this.#mustPauseAfter(close, `a ${close} should stand here`)) yield* this.#pause()
    this.#nesting--
    return isObject ? { type: 'object', offset, members } : { type: 'list', offset, elements }
  }

  #key(): JsonString {
    const { token, offset, end, text } = this.#scanner
    if (token !== 'string') this.#missing('a key in quotation marks should stand here')
    return { type: 'string', offset, length: end - offset, text }
  }

  /** As `mustPause`, when the token is the expected one. */
  #mustPauseAfter(token: '}' | ']' | ':' | ',', missing: string): boolean {
    if (this.#scanner.token !== token) this.#missing(missing)
    return this.#mustPause()
  }

  #missing(what: string): never {
    return refuse(this.#scanner.offset, `not JSON: ${what}`)
  }
}
