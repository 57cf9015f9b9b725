import { type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser'
import { refuse } from '../expression/rule-errors.ts'
import type { FileBounds } from '../expression/source-limits.ts'

/** A value of a rules file, by where it stands: offsets and lengths are in characters, those of strings with their quotation marks. */
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
 * Reads JSON as far as the first thing that is wrong with it.
 * @throws Refusal there, and where there are too many values
 */
export function readJson(text: string, bounds: FileBounds): JsonNode {
  const tree = new JsonTree(bounds)
  visit(text, tree.visitor(), { disallowComments: true, allowTrailingComma: false })
  return tree.root ?? refuse(0, 'not JSON')
}

class JsonTree {
  root: JsonNode | undefined
  readonly #bounds: FileBounds
  /** What the next value stands in, from the outermost to the innermost. */
  readonly #open: (JsonObject | JsonList)[] = []
  #key: JsonString | undefined

  constructor(bounds: FileBounds) {
    this.#bounds = bounds
  }

  visitor(): JSONVisitor {
    return {
      onObjectBegin: (offset) => this.#enter({ type: 'object', offset, members: [] }),
      onArrayBegin: (offset) => this.#enter({ type: 'list', offset, elements: [] }),
      onObjectEnd: () => void this.#open.pop(),
      onArrayEnd: () => void this.#open.pop(),
      onObjectProperty: (_, offset, length) => {
        this.#key = { type: 'string', offset, length }
      },
      onLiteralValue: (value, offset, length) => this.#add(scalar(value, offset, length)),
      onError: (error, offset) => refuse(offset, WHYS.get(printParseErrorCode(error)) ?? 'not JSON'),
    }
  }

  #enter(node: JsonObject | JsonList): void {
    this.#add(node)
    this.#open.push(node)
  }

  #add(node: JsonNode): void {
    this.#bounds.countValue(node.offset)
    const around = this.#open.at(-1)
    if (around === undefined) this.root = node
    else if (around.type === 'list') around.elements.push(node)
    else if (this.#key !== undefined) around.members.push({ key: this.#key, value: node })
  }
}

function scalar(value: unknown, offset: number, length: number): JsonNode {
  if (typeof value === 'string') return { type: 'string', offset, length }
  if (typeof value === 'boolean') return { type: 'boolean', offset, length, value }
  return { type: 'other', offset }
}

const WHYS: ReadonlyMap<string, string> = new Map([
  ['PropertyNameExpected', 'not JSON: a key in quotation marks should stand here'],
  ['ValueExpected', 'not JSON: a value should stand here'],
  ['ColonExpected', 'not JSON: a colon should stand here'],
  ['CommaExpected', 'not JSON: a comma should stand here'],
  ['CloseBraceExpected', 'not JSON: a } should stand here'],
  ['CloseBracketExpected', 'not JSON: a ] should stand here'],
  ['EndOfFileExpected', 'not JSON: the file should end here'],
  ['UnexpectedEndOfString', 'not JSON: a string without an end'],
  ['InvalidEscapeCharacter', 'not JSON: an unknown escape in a string'],
  ['InvalidUnicode', 'not JSON: \\u needs four hexadecimal digits'],
])
