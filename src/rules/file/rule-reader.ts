import type { DholeError, ErrorCode } from '../../error.ts'
import type { Steps } from '../../scheduling/steps.ts'
import { checkKey } from '../../tree/key.ts'
import { MAX_DEPTH } from '../../tree/limits.ts'
import { type Path, sortPath } from '../../tree/path.ts'
import { compileExpression } from '../expression/compile-expression.ts'
import { constant, type Expression } from '../expression/expression.ts'
import { rawIndex } from '../expression/literal.ts'
import type { RuleKind } from '../expression/names.ts'
import { PatternCache, PatternPause } from '../expression/pattern.ts'
import { ExpressionError, refuse } from '../expression/rule-errors.ts'
import type { SourceLimits } from '../expression/source-limits.ts'
import type { JsonMember, JsonNode, JsonString } from './rule-json.ts'
import type { Rule, RuleIndex, RuleNode } from './rule-node.ts'

const WILDCARD = /^\$[A-Za-z_][A-Za-z0-9_]*$/
/** Orders that need no index. */
const ALWAYS_INDEXED: ReadonlySet<string> = new Set(['$key', '$priority', '.priority'])

/** Two `$name` keys in one node. */
export class WildcardError extends ExpressionError {}

/** Position in the rules. */
interface Position {
  readonly path: Path
  readonly names: Names
}

/** The `$name` keys above a node, and the expressions compiled below equal keys, because files repeat expressions. */
interface Names {
  /** Index of each name in the path. */
  readonly wildcards: ReadonlyMap<string, number>
  readonly expressions: Record<RuleKind, Map<string, Expression> | undefined>
  /** The same names and one more, by its depth and that name. */
  readonly below: Map<string, Names>
}

type Draft = { -readonly [Name in keyof RuleNode]: RuleNode[Name] } & { children: Map<string, RuleNode> }

/** Most nodes have neither: these constants are shared and stay empty. */
const NO_CHILDREN = new Map<string, RuleNode>()
const NO_INDEXES: readonly RuleIndex[] = []

/** Characters of expressions read between two pauses. */
const STEP_LENGTH = 8 * 1024
/** Cost of a member beside its expression, in characters of an expression. */
const WORK_AROUND = 16
/** Names of `.indexOn` read between two pauses. */
const STEP_INDEXES = 256
/** Longest name of `.indexOn`, in UTF-16 code units: keys are far shorter. */
const MAX_ORDER_LENGTH = 16 * 1024

/** Reads the tree of rules from a parsed file. */
export class RuleReader {
  readonly #source: string
  readonly #bounds: SourceLimits
  readonly #patterns: PatternCache
  /** Work since the last pause, in characters of expressions. */
  #worked = 0

  constructor(source: string, bounds: SourceLimits) {
    this.#source = source
    this.#bounds = bounds
    this.#patterns = new PatternCache(bounds)
  }

  /**
   * @param file the outermost object
   * @throws ExpressionError at a place in the file
   */
  *read(file: JsonNode): Steps<RuleNode> {
    const [rules, other] = yield* this.#members(file, 'the rules')
    if (rules?.key.text !== 'rules') return refuse(rules?.key.offset ?? file.offset, 'the one key here is "rules"')
    if (other !== undefined) refuse(other.key.offset, 'the one key here is "rules"')
    return yield* this.#node(rules.value, { path: [], names: namesOf(new Map()) })
  }

  *#members(node: JsonNode, what: string): Steps<readonly JsonMember[]> {
    if (node.type !== 'object') return refuse(node.offset, `${what} must be an object`)
    const known = new Set<string>()
    for (const { key } of node.members) {
      if (known.has(key.text)) refuse(key.offset, `"${key.text}" stands here twice`)
      known.add(key.text)
      if (this.#isPauseDue()) yield
    }
    return node.members
  }

  *#node(node: JsonNode, position: Position): Steps<RuleNode> {
    if (position.path.length > MAX_DEPTH) refuse(node.offset, `rules are at most ${MAX_DEPTH} keys deep`)
    const draft: Draft = {
      path: position.path,
      indexes: NO_INDEXES,
      children: NO_CHILDREN,
      wildcard: undefined,
      validates: false,
    }
    const members = yield* this.#members(node, `"${position.path.at(-1) ?? 'rules'}"`)
    for (const member of members) {
      yield* this.#member(draft, member, position)
      if (this.#isPauseDue()) yield
    }
    return draft
  }

  *#member(draft: Draft, { key, value }: JsonMember, position: Position): Steps<void> {
    switch (key.text) {
      case '.read':
        draft.read = yield* this.#rule('.read', value, position)
        return
      case '.write':
        draft.write = yield* this.#rule('.write', value, position)
        return
      case '.validate':
        draft.validate = yield* this.#rule('.validate', value, position)
        draft.validates = true
        return
      case '.indexOn':
        draft.indexes = yield* this.#indexes(value)
        return
      default:
        yield* this.#child(draft, key, value, position)
    }
  }

  *#child(draft: Draft, { text, offset }: JsonString, value: JsonNode, position: Position): Steps<void> {
    const child = yield* this.#node(value, this.#below(draft, text, offset, position))
    if (child.validates) draft.validates = true
    if (text.startsWith('$')) draft.wildcard = child
    else addChild(draft, text, child)
  }

  #below(draft: Draft, key: string, at: number, { path, names }: Position): Position {
    if (!key.startsWith('$')) {
      refuseIllegal(key, at)
      return { path: [...path, key], names }
    }
    if (!WILDCARD.test(key)) refuse(at, `"${key}" is no name for a key`)
    if (draft.wildcard) throw new WildcardError(at, `there is a second $ key beside "${draft.wildcard.path.at(-1)}"`)
    if (names.wildcards.has(key)) refuse(at, `"${key}" is the name of a key above`)
    return { path: [...path, key], names: namesBelow(names, key, path.length) }
  }

  *#rule(kind: RuleKind, value: JsonNode, { path, names }: Position): Steps<Rule> {
    const { offset } = value
    const source = this.#source
    if (value.type === 'boolean') {
      const expression = constant(value.value)
      return { path, kind, text: String(value.value), expression, source, offset, length: value.length }
    }
    if (value.type !== 'string') return refuse(offset, `${kind} is a boolean or an expression in a string`)
    const { text, length } = value
    const expression = yield* this.#expression(value, kind, names)
    if (this.#isPauseDue(text.length)) yield
    return { path, kind, text, expression, source, offset, length }
  }

  *#expression(literal: JsonString, kind: RuleKind, { wildcards, expressions }: Names): Steps<Expression> {
    const { text } = literal
    expressions[kind] ??= new Map()
    const known = expressions[kind].get(text)
    if (known !== undefined) return known
    this.#bounds.countExpression(literal.offset)
    const expression = yield* this.#convert(literal, kind, wildcards)
    expressions[kind].set(text, expression)
    return expression
  }

  /** Compiles an expression. After a pause for its patterns it starts over: compiled patterns are cached. */
  *#convert(literal: JsonString, kind: RuleKind, wildcards: Names['wildcards']): Steps<Expression> {
    const scope = { kind, wildcards, bounds: this.#bounds, patterns: this.#patterns }
    const { pieces } = this.#bounds
    for (;;) {
      try {
        return compileExpression(literal.text, scope)
      } catch (error) {
        if (error instanceof ExpressionError) return refuse(this.#offset(literal, error.at), error.message)
        if (!(error instanceof PatternPause)) throw error
      }
      this.#bounds.resetPieces(pieces)
      yield
      this.#patterns.resume()
    }
  }

  *#indexes(value: JsonNode): Steps<readonly RuleIndex[]> {
    const indexes: RuleIndex[] = []
    for (const element of value.type === 'list' ? value.elements : [value]) {
      const index = element.type === 'object' ? yield* this.#describedIndex(element) : this.#index(element, false)
      if (index !== undefined) indexes.push(index)
      if (this.#isPauseDue(STEP_LENGTH / STEP_INDEXES)) yield
    }
    return indexes
  }

  /** Reads `{"child": …, "covering": …}`. @returns `undefined` for an order that needs no index */
  *#describedIndex(value: JsonNode): Steps<RuleIndex | undefined> {
    let child: JsonNode | undefined
    let covering = false
    for (const { key, value: member } of yield* this.#members(value, '.indexOn')) {
      if (key.text === 'child') child = member
      else if (key.text !== 'covering') return refuse(key.offset, 'an index has "child" and "covering"')
      else if (member.type === 'boolean') covering = member.value
      else return refuse(member.offset, '"covering" is true or false')
    }
    return child === undefined ? refuse(value.offset, 'an index needs "child"') : this.#index(child, covering)
  }

  /** @returns `undefined` for an order that needs no index */
  #index(value: JsonNode, covering: boolean): RuleIndex | undefined {
    if (value.type !== 'string')
      return refuse(value.offset, '.indexOn is a string, an object with "child", or a list of these')
    const name = value.text
    if (ALWAYS_INDEXED.has(name)) return undefined
    if (name === '.value' || name === '$value') return { path: [], covering }
    const path = name.length > MAX_ORDER_LENGTH ? undefined : sortPath(name)
    return path === undefined ? refuse(value.offset, `"${name}" is nothing to sort by`) : { path, covering }
  }

  #offset({ offset, length }: JsonString, at: number): number {
    return offset + 1 + rawIndex(this.#source.slice(offset + 1, offset + length - 1), at)
  }

  /** Counts work towards the next pause. @param length of an expression that takes as long */
  #isPauseDue(length: number = 0): boolean {
    this.#worked += WORK_AROUND + length
    if (this.#worked < STEP_LENGTH) return false
    this.#worked = 0
    return true
  }
}

function namesOf(wildcards: ReadonlyMap<string, number>): Names {
  const expressions = { '.read': undefined, '.write': undefined, '.validate': undefined }
  return { wildcards, expressions, below: new Map() }
}

function namesBelow(names: Names, key: string, depth: number): Names {
  const known = names.below.get(depth + key)
  if (known !== undefined) return known
  const below = namesOf(new Map(names.wildcards).set(key, depth))
  names.below.set(depth + key, below)
  return below
}

function addChild(draft: Draft, key: string, child: RuleNode): void {
  if (draft.children === NO_CHILDREN) draft.children = new Map()
  draft.children.set(key, child)
}

/** What is wrong with a key. */
const KEY_ERRORS: Partial<Record<ErrorCode, string>> = {
  'bad-key': 'Invalid key name including illeagle characters',
  'empty-key': 'Key name must not be null',
  'key-too-long': 'Invalid key name exceeded max length limitation(768 bytes)',
  'bad-data': 'The data of request is invalid',
}

function refuseIllegal(key: string, at: number): void {
  if (key.startsWith('.')) refuse(at, `unknown rule "${key}"`)
  try {
    checkKey(key, 'bad-key')
  } catch (error) {
    refuse(at, `"${key}" can be no key: ${KEY_ERRORS[(error as DholeError).code]}`)
  }
}
