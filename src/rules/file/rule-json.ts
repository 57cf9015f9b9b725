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

interface JsonBoolean {
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
    yield* this.#next()
    const root = yield* this.#value()
    if (this.#scanner.token !== 'end') this.#missing('the file should end here')
    return root
  }

  *#next(): Steps<void> {
    const scanner = this.#scanner
    for (scanner.next(); scanner.token === 'pause'; scanner.next()) yield
  }

  *#value(): Steps<JsonNode> {
    const { token, offset } = this.#scanner
    switch (token) {
      case '{': {
        const members: JsonMember[] = []
        yield* this.#items('}', members, () => this.#member())
        return { type: 'object', offset, members }
      }
      case '[': {
        const elements: JsonNode[] = []
        yield* this.#items(']', elements, () => this.#value())
        return { type: 'list', offset, elements }
      }
      case 'string':
      case 'true':
      case 'false':
      case 'other':
        return yield* this.#scalar(token)
      default:
        return this.#missing('a value should stand here')
    }
  }

  *#scalar(token: 'string' | 'true' | 'false' | 'other'): Steps<JsonNode> {
    const { offset, end, text } = this.#scanner
    this.#bounds.countValue(offset)
    yield* this.#next()
    if (token === 'string') return { type: token, offset, length: end - offset, text }
    if (token === 'other') return { type: token, offset }
    return { type: 'boolean', offset, length: end - offset, value: token === 'true' }
  }

  /** Reads the items of an object or a list, and its closing bracket. */
  *#items<T>(close: '}' | ']', items: T[], item: () => Steps<T>): Steps<void> {
    const scanner = this.#scanner
    if (++this.#nesting > MAX_NESTING) refuse(scanner.offset, 'nested too deep')
    this.#bounds.countValue(scanner.offset)
    yield* this.#next()
    while (scanner.token !== close && scanner.token !== 'end') {
      if (items.length > 0) yield* this.#expect(',', 'a comma should stand here')
      else if (scanner.token === ',') this.#missing('a value should stand here')
      items.push(yield* item())
    }
    yield* this.#expect(close, `a ${close} should stand here`)
    this.#nesting--
  }

  *#member(): Steps<JsonMember> {
    const { token, offset, end, text } = this.#scanner
    if (token !== 'string') this.#missing('a key in quotation marks should stand here')
    yield* this.#next()
    yield* this.#expect(':', 'a colon should stand here')
    return { key: { type: 'string', offset, length: end - offset, text }, value: yield* this.#value() }
  }

  *#expect(token: '}' | ']' | ':' | ',', missing: string): Steps<void> {
    if (this.#scanner.token !== token) this.#missing(missing)
    yield* this.#next()
  }

  #missing(what: string): never {
    return refuse(this.#scanner.offset, `not JSON: ${what}`)
  }
}
