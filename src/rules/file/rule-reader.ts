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
import type { JsonBoolean, JsonMember, JsonNode, JsonString } from './rule-json.ts'
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
    const [rules, other] = membersOf(file, 'the rules')
    if (rules?.key.text !== 'rules') return refuse(rules?.key.offset ?? file.offset, 'the one key here is "rules"')
    if (other?.key.text === 'rules') refuseTwice(other.key)
    if (other !== undefined) refuse(other.key.offset, 'the one key here is "rules"')
    return yield* this.#node(rules.value, { path: [], names: namesOf(new Map()) })
  }

  /** One generator for a node: one for each part of it would take longer than to read the part. */
  *#node(node: JsonNode, position: Position): Steps<RuleNode> {
    if (position.path.length > MAX_DEPTH) refuse(node.offset, `rules are at most ${MAX_DEPTH} keys deep`)
    const draft: Draft = {
      path: position.path,
      indexes: NO_INDEXES,
      children: NO_CHILDREN,
      wildcard: undefined,
      validates: false,
    }
    for (const { key, value } of membersOf(node, `"${position.path.at(-1) ?? 'rules'}"`)) {
      const { text } = key
      if (isIn(draft, text)) refuseTwice(key)
      if (text === '.read' || text === '.write' || text === '.validate') {
        setRule(draft, this.#knownRule(text, value, position) ?? (yield* this.#newRule(text, value, position)))
      } else if (text === '.indexOn') draft.indexes = yield* this.#indexes(value)
      else addChild(draft, text, yield* this.#node(value, this.#below(draft, text, key.offset, position)))
      if (this.#isPauseDue(value.type === 'string' ? value.length : 0)) yield
    }
    return draft
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

  /** @returns `undefined` for an expression that is not compiled, and for what is no rule */
  #knownRule(kind: RuleKind, value: JsonNode, position: Position): Rule | undefined {
    if (value.type === 'boolean') return this.#rule(kind, value, String(value.value), constant(value.value), position)
    if (value.type !== 'string') return undefined
    const known = position.names.expressions[kind]?.get(value.text)
    return known && this.#rule(kind, value, value.text, known, position)
  }

  *#newRule(kind: RuleKind, value: JsonNode, position: Position): Steps<Rule> {
    if (value.type !== 'string') return refuse(value.offset, `${kind} is a boolean or an expression in a string`)
    const { wildcards, expressions } = position.names
    this.#bounds.countExpression(value.offset)
    const expression = yield* this.#convert(value, kind, wildcards)
    expressions[kind] ??= new Map()
    expressions[kind].set(value.text, expression)
    return this.#rule(kind, value, value.text, expression, position)
  }

  #rule(kind: RuleKind, at: JsonString | JsonBoolean, text: string, expression: Expression, { path }: Position): Rule {
    return { path, kind, text, expression, source: this.#source, offset: at.offset, length: at.length }
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
      const index = element.type === 'object' ? this.#describedIndex(element) : this.#index(element, false)
      if (index !== undefined) indexes.push(index)
      if (this.#isPauseDue(STEP_LENGTH / STEP_INDEXES)) yield
    }
    return indexes
  }

  /** Reads `{"child": …, "covering": …}`. @returns `undefined` for an order that needs no index */
  #describedIndex(value: JsonNode): RuleIndex | undefined {
    let child: JsonNode | undefined
    let covering = false
    const known = new Set<string>()
    for (const { key, value: member } of membersOf(value, '.indexOn')) {
      if (known.has(key.text)) refuseTwice(key)
      known.add(key.text)
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

function membersOf(node: JsonNode, what: string): readonly JsonMember[] {
  return node.type === 'object' ? node.members : refuse(node.offset, `${what} must be an object`)
}

function refuseTwice({ text, offset }: JsonString): never {
  return refuse(offset, `"${text}" stands here twice`)
}

/** Whether a key has been read. */
function isIn(draft: Draft, key: string): boolean {
  switch (key) {
    case '.read':
      return draft.read !== undefined
    case '.write':
      return draft.write !== undefined
    case '.validate':
      return draft.validate !== undefined
    case '.indexOn':
      return draft.indexes !== NO_INDEXES
    default:
      return draft.children.has(key) || draft.wildcard?.path.at(-1) === key
  }
}

function setRule(draft: Draft, rule: Rule): void {
  if (rule.kind === '.read') draft.read = rule
  else if (rule.kind === '.write') draft.write = rule
  else {
    draft.validate = rule
    draft.validates = true
  }
}

function addChild(draft: Draft, key: string, child: RuleNode): void {
  if (child.validates) draft.validates = true
  if (key.startsWith('$')) {
    draft.wildcard = child
    return
  }
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
