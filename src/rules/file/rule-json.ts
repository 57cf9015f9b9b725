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

interface JsonMember {
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

/**
 * Parses a rules file that `strictSource` has accepted.
 * @throws ExpressionError at the first error of JSON with comments, and for too many values
 */
export function* readJson(source: string, bounds: SourceLimits): Steps<JsonNode> {
  return yield* new JsonReader(source, bounds).read()
}

class JsonReader {
  readonly #scanner: RuleScanner
  readonly #bounds: SourceLimits

  constructor(source: string, bounds: SourceLimits) {
    this.#scanner = new RuleScanner(source)
    this.#bounds = bounds
  }

  *read(): Steps<JsonNode> {
    yield* this.#scanner.next()
    const root = yield* this.#value()
    if (this.#scanner.token !== 'end') this.#missing('the file should end here')
    return root
  }

  *#value(): Steps<JsonNode> {
    const { token, offset, end } = this.#scanner
    switch (token) {
      case '{':
        return yield* this.#object()
      case '[':
        return yield* this.#list()
      case 'string':
        return yield* this.#scalar({ type: 'string', offset, length: end - offset })
      case 'true':
      case 'false':
        return yield* this.#scalar({ type: 'boolean', offset, length: end - offset, value: token === 'true' })
      case 'other':
        return yield* this.#scalar({ type: 'other', offset })
      default:
        return this.#missing('a value should stand here')
    }
  }

  *#scalar(node: JsonNode): Steps<JsonNode> {
    this.#bounds.countValue(node.offset)
    yield* this.#scanner.next()
    return node
  }

  *#object(): Steps<JsonObject> {
    const scanner = this.#scanner
    const { offset } = scanner
    this.#bounds.countValue(offset)
    yield* scanner.next()
    const members: JsonMember[] = []
    while (scanner.token !== '}' && scanner.token !== 'end') {
      if (members.length > 0 || scanner.token === ',') yield* this.#comma(members.length > 0)
      members.push(yield* this.#member())
    }
    yield* this.#close('}')
    return { type: 'object', offset, members }
  }

  *#member(): Steps<JsonMember> {
    const scanner = this.#scanner
    const { token, offset, end } = scanner
    if (token !== 'string') this.#missing('a key in quotation marks should stand here')
    yield* scanner.next()
    if (scanner.token !== ':') this.#missing('a colon should stand here')
    yield* scanner.next()
    return { key: { type: 'string', offset, length: end - offset }, value: yield* this.#value() }
  }

  *#list(): Steps<JsonList> {
    const scanner = this.#scanner
    const { offset } = scanner
    this.#bounds.countValue(offset)
    yield* scanner.next()
    const elements: JsonNode[] = []
    while (scanner.token !== ']' && scanner.token !== 'end') {
      if (elements.length > 0 || scanner.token === ',') yield* this.#comma(elements.length > 0)
      elements.push(yield* this.#value())
    }
    yield* this.#close(']')
    return { type: 'list', offset, elements }
  }

  /** @param isBehindValue whether a comma is allowed here */
  *#comma(isBehindValue: boolean): Steps<void> {
    if (!isBehindValue) this.#missing('a value should stand here')
    if (this.#scanner.token !== ',') this.#missing('a comma should stand here')
    yield* this.#scanner.next()
  }

  *#close(token: '}' | ']'): Steps<void> {
    if (this.#scanner.token !== token) this.#missing(`a ${token} should stand here`)
    yield* this.#scanner.next()
  }

  #missing(what: string): never {
    return refuse(this.#scanner.offset, `not JSON: ${what}`)
  }
}
