import type { Node } from 'jsonc-parser'
import type { DholeError } from '../tree/error.ts'
import { checkKey } from '../tree/key.ts'
import { MAX_DEPTH } from '../tree/limits.ts'
import { endsInPriority, type Path, parsePath } from '../tree/path.ts'
import { convertExpression } from './convert.ts'
import { constant, type Expression } from './expression.ts'
import { Refusal, refuse } from './failure.ts'
import { rawIndex, textOfLiteral } from './literal.ts'
import type { RuleKind, Scope } from './names.ts'
import type { Rule, RuleNode } from './rule-node.ts'

const WILDCARD = /^\$[A-Za-z_][A-Za-z0-9_]*$/
/** What lists are always sorted by, so that it need not be declared. */
const ALWAYS_INDEXED: ReadonlySet<string> = new Set(['$key', '$priority', '.priority'])

/** Two `$name` keys in one node. */
export class WildcardRefusal extends Refusal {}

/** A member of an object in the file. */
interface Member {
  readonly key: string
  /** Where its key stands. */
  readonly at: number
  readonly value: Node
}

/** Where in the rules we are. */
interface Position {
  readonly path: Path
  /** Which key of the path each `$name` is. */
  readonly wildcards: ReadonlyMap<string, number>
}

type Draft = { -readonly [Name in keyof RuleNode]: RuleNode[Name] } & { children: Map<string, RuleNode> }

/** Reads the tree of rules out of a file that is JSON. */
export class RuleReader {
  readonly #source: string
  /** Files say the same again and again. */
  readonly #expressions = new Map<string, Expression>()

  constructor(source: string) {
    this.#source = source
  }

  /**
   * @param file the outermost object
   * @throws Refusal at a place in the file
   */
  read(file: Node): RuleNode {
    const [rules, ...others] = this.#members(file, 'the rules')
    if (rules?.key !== 'rules') return refuse(rules?.at ?? file.offset, 'the one key here is "rules"')
    for (const other of others) refuse(other.at, 'the one key here is "rules"')
    return this.#node(rules.value, { path: [], wildcards: new Map() })
  }

  #members(node: Node, what: string): Member[] {
    if (node.type !== 'object') return refuse(node.offset, `${what} must be an object`)
    const known = new Set<string>()
    return (node.children ?? []).map(({ children = [] }) => {
      const [name, value] = children
      if (name === undefined || value === undefined) return refuse(node.offset, 'a member without a value')
      const key = this.#text(name)
      if (known.has(key)) refuse(name.offset, `"${key}" stands here twice`)
      known.add(key)
      return { key, at: name.offset, value }
    })
  }

  #node(node: Node, position: Position): RuleNode {
    if (position.path.length > MAX_DEPTH) refuse(node.offset, `rules are at most ${MAX_DEPTH} keys deep`)
    const draft: Draft = {
      path: position.path,
      indexes: [],
      children: new Map(),
      wildcard: undefined,
      validates: false,
    }
    const members = this.#members(node, `"${position.path.at(-1) ?? 'rules'}"`)
    for (const member of members) this.#member(draft, member, position)
    return draft
  }

  #member(draft: Draft, member: Member, position: Position): void {
    switch (member.key) {
      case '.read':
        draft.read = this.#rule('.read', member, position)
        return
      case '.write':
        draft.write = this.#rule('.write', member, position)
        return
      case '.validate':
        draft.validate = this.#rule('.validate', member, position)
        draft.validates = true
        return
      case '.indexOn':
        draft.indexes = this.#indexes(member.value)
        return
      default:
        this.#child(draft, member, position)
    }
  }

  #child(draft: Draft, { key, at, value }: Member, position: Position): void {
    const below = this.#below(draft, key, at, position)
    const child = this.#node(value, below)
    if (child.validates) draft.validates = true
    if (key.startsWith('$')) draft.wildcard = child
    else draft.children.set(key, child)
  }

  #below(draft: Draft, key: string, at: number, { path, wildcards }: Position): Position {
    if (!key.startsWith('$')) {
      refuseIllegal(key, at)
      return { path: [...path, key], wildcards }
    }
    if (!WILDCARD.test(key)) refuse(at, `"${key}" is no name for a key`)
    if (draft.wildcard) throw new WildcardRefusal(at, `there is a second $ key beside "${draft.wildcard.path.at(-1)}"`)
    if (wildcards.has(key)) refuse(at, `"${key}" is the name of a key above`)
    return { path: [...path, key], wildcards: new Map(wildcards).set(key, path.length) }
  }

  #rule(kind: RuleKind, { value }: Member, { path, wildcards }: Position): Rule {
    const name = `/${path.join('/')} ${kind}`
    const { offset, length } = value
    const common = { name, depth: path.length, source: this.#source, offset, length }
    if (value.type === 'boolean') {
      const expression = constant(value.value === true)
      return { ...common, text: String(value.value), expression }
    }
    if (value.type !== 'string') return refuse(value.offset, `${kind} is a boolean or an expression in a string`)
    const text = this.#text(value)
    const expression = this.#expression(text, value, { kind, wildcards })
    return { ...common, text, expression }
  }

  #expression(text: string, literal: Node, scope: Scope): Expression {
    const key = `${scope.kind} ${[...scope.wildcards].join(' ')}\n${text}`
    const known = this.#expressions.get(key)
    if (known !== undefined) return known
    try {
      const expression = convertExpression(text, scope)
      this.#expressions.set(key, expression)
      return expression
    } catch (error) {
      if (error instanceof Refusal) return refuse(this.#offset(literal, error.at), error.message)
      throw error
    }
  }

  #indexes(value: Node): readonly Path[] {
    if (value.type === 'string') return this.#index(value)
    if (value.type !== 'array') return refuse(value.offset, '.indexOn is a string or a list of strings')
    return (value.children ?? []).flatMap((element) => this.#index(element))
  }

  #index(value: Node): readonly Path[] {
    if (value.type !== 'string') return refuse(value.offset, '.indexOn names strings')
    const name = this.#text(value)
    if (ALWAYS_INDEXED.has(name)) return []
    return [name === '.value' || name === '$value' ? [] : childPath(name, value.offset)]
  }

  #text(literal: Node): string {
    return textOfLiteral(this.#raw(literal))
  }

  /** The blanked file has lost what stood raw in strings. */
  #raw({ offset, length }: Node): string {
    return this.#source.slice(offset + 1, offset + length - 1)
  }

  #offset(literal: Node, at: number): number {
    return literal.offset + 1 + rawIndex(this.#raw(literal), at)
  }
}

function refuseIllegal(key: string, at: number): void {
  if (key.startsWith('.')) refuse(at, `unknown rule "${key}"`)
  try {
    checkKey(key, 'bad-key')
  } catch (error) {
    refuse(at, `"${key}" can be no key: ${(error as DholeError).body.message}`)
  }
}

function childPath(name: string, at: number): Path {
  const path = legalPath(name)
  if (path === undefined || path.length === 0 || endsInPriority(path)) {
    return refuse(at, `"${name}" is nothing to sort by`)
  }
  return path
}

function legalPath(text: string): Path | undefined {
  try {
    return parsePath(text)
  } catch {
    return undefined
  }
}
