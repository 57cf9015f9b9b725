import { type Options, parseExpressionAt, type SpreadElement, type Super, type Expression as Syntax } from 'acorn'
import { callSnapshot, callString } from './calls.ts'
import { application, chain, choice, constant, type Expression, type Link } from './expression.ts'
import { authMember, compileName, queryMember, type Scope } from './names.ts'
import { falseWithNull, negate, not, OPERATORS, type Operator } from './operators.ts'
import { refuse } from './rule-errors.ts'
import { lengthOf } from './string-methods.ts'
import {
  ANYTHING,
  BOOLEAN,
  expressionOf,
  NULL,
  NUMBER,
  STRING,
  type Typed,
  type TypedValue,
  typed,
  typedMember,
} from './types.ts'

/** Longest expression, in UTF-16 code units. */
const MAX_LENGTH = 16 * 1024
/** Deepest nesting; operators of one kind in a row count once. */
const MAX_DEPTH = 200
const BLANK = /\s+|\/\/.*|\/\*[\s\S]*?\*\//y
const DECIMAL = /^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/

/** A module allows neither HTML comments nor octal numbers. */
const OPTIONS: Options = { ecmaVersion: 'latest', sourceType: 'module', preserveParens: true }

type Of<T extends Syntax['type']> = Extract<Syntax, { type: T }>

/**
 * Compiles an expression and checks it as far as possible before it runs. Only names, members, methods and operators of
 * the rules are accepted. The result is a tree of this module's own nodes; no code is ever generated from it.
 * @throws ExpressionError
 * @see docs/reference/protocol.md#rules
 */
export function compileExpression(text: string, scope: Scope): Expression {
  if (text.length > MAX_LENGTH) refuse(0, `an expression has at most ${MAX_LENGTH} characters`)
  const converted = new ExpressionCompiler(scope).convert(parse(text))
  return expressionOf(converted, BOOLEAN, 'a rule is a boolean')
}

function parse(text: string): Syntax {
  const syntax = parseSyntax(text)
  const end = endOfBlank(text, syntax.end)
  if (end < text.length) refuse(end, 'the expression should end here')
  return syntax
}

/** End of white space and comments. */
function endOfBlank(text: string, start: number): number {
  if (start === text.length) return start
  BLANK.lastIndex = start
  let end = start
  while (BLANK.test(text)) end = BLANK.lastIndex
  return end
}

function parseSyntax(text: string): Syntax {
  try {
    return parseExpressionAt(text, 0, OPTIONS)
  } catch (error) {
    if (!(error instanceof SyntaxError)) return refuse(0, 'the expression is too complex')
    const at = 'pos' in error && typeof error.pos === 'number' ? error.pos : 0
    return refuse(at, error.message.replace(/ \(\d+:\d+\)$/, ''))
  }
}

class ExpressionCompiler {
  readonly #scope: Scope
  #depth = 0

  constructor(scope: Scope) {
    this.#scope = scope
  }

  convert(syntax: Syntax | SpreadElement | Super): Typed {
    this.#scope.bounds.countPiece(syntax.start)
    if (++this.#depth > MAX_DEPTH) refuse(syntax.start, 'the expression is nested too deep')
    const converted = this.#convert(syntax)
    this.#depth--
    return converted
  }

  #convert(syntax: Syntax | SpreadElement | Super): Typed {
    switch (syntax.type) {
      case 'ParenthesizedExpression':
        return this.convert(syntax.expression)
      case 'Literal':
        return literal(syntax)
      case 'Identifier':
        return compileName(syntax.start, syntax.name, this.#scope)
      case 'MemberExpression':
        return this.#member(syntax)
      case 'CallExpression':
        return this.#call(syntax)
      case 'UnaryExpression':
        return this.#unary(syntax)
      case 'BinaryExpression':
        return this.#binary(syntax)
      case 'LogicalExpression':
        return this.#logical(syntax)
      case 'ConditionalExpression':
        return this.#conditional(syntax)
      default:
        return refuse(syntax.start, OTHERS.get(syntax.type) ?? 'rules have nothing like this')
    }
  }

  #unary(syntax: Of<'UnaryExpression'>): Typed {
    const { start, operator } = syntax
    if (operator !== '!' && operator !== '-') return refuse(start, `unknown operator ${operator}`)
    const operand = this.convert(syntax.argument)
    if (operator === '!') {
      return typed(start, application(start, not, [expressionOf(operand, BOOLEAN, '! needs a boolean')]), BOOLEAN)
    }
    return typed(start, application(start, negate, [expressionOf(operand, NUMBER, '- needs a number')]), NUMBER)
  }

  /** Operators in a row are left-associative. They are walked in a loop, not recursively, so a row may be long. */
  #binary(syntax: Of<'BinaryExpression'>): Typed {
    const row: Of<'BinaryExpression'>[] = []
    let first: Syntax = syntax
    while (first.type === 'BinaryExpression') {
      row.push(first)
      if (first.left.type === 'PrivateIdentifier') return refuse(first.start, 'rules have nothing like this')
      first = first.left
    }
    const head = this.convert(first)
    const links: Link[] = []
    let left = head
    for (const each of row.reverse()) left = this.#link(left, each, links)
    const { types } = left as TypedValue
    // The head is checked as the left operand of the first link.
    return typed(syntax.start, chain((head as TypedValue).expression, links), types)
  }

  /** Adds an operator and its right operand. @returns the type of the result, whose expression is in `links` */
  #link(left: Typed, syntax: Of<'BinaryExpression'>, links: Link[]): TypedValue {
    const operator = OPERATORS.get(syntax.operator)
    if (operator === undefined) return refuse(syntax.start, `unknown operator ${syntax.operator}`)
    const right = this.convert(syntax.right)
    const needs = `${syntax.operator} needs ${operator.needs}`
    const result = expressionOf(left, operator.takes, needs)
    const operand = expressionOf(right, operator.takes, needs)
    links.push({ at: syntax.right.start, operation: operationFor(operator, left, right), operand })
    return typed(syntax.start, result, operator.gives((left as TypedValue).types, (right as TypedValue).types))
  }

  /** `a && b` is `a ? b : false`, and `a || b` is `a ? true : b`. */
  #logical(syntax: Of<'LogicalExpression'>): Typed {
    const { start, operator } = syntax
    if (operator === '??') return refuse(start, 'unknown operator ??')
    const operands = inRow(syntax).map((operand) =>
      expressionOf(this.convert(operand), BOOLEAN, `${operator} needs booleans`),
    )
    const decided = constant(operator === '||')
    const all = operands.reduceRight((rest, operand) =>
      operator === '&&'
        ? choice(start, operator, operand, rest, decided)
        : choice(start, operator, operand, decided, rest),
    )
    return typed(start, all, BOOLEAN)
  }

  #conditional(syntax: Of<'ConditionalExpression'>): Typed {
    const test = expressionOf(this.convert(syntax.test), BOOLEAN, '?: needs a boolean')
    const either = [this.#branch(syntax.consequent), this.#branch(syntax.alternate)] as const
    const [yes, no] = either
    const expression = choice(syntax.start, '?:', test, yes.expression, no.expression)
    return { ...typed(syntax.start, expression, yes.types | no.types), either }
  }

  #branch(syntax: Syntax): TypedValue {
    const converted = this.convert(syntax)
    expressionOf(converted, ANYTHING, '?: chooses between values')
    return converted as TypedValue
  }

  #member(syntax: Of<'MemberExpression'>): Typed {
    if (syntax.optional) refuse(syntax.start, 'unknown operator ?.')
    const object = this.convert(syntax.object)
    const name = nameOf(syntax)
    const at = syntax.property.start
    if (object.kind === 'snapshot') return refuse(at, snapshotMember(name))
    if (object.kind === 'query') return queryMember(at, name ?? refuse(at, 'a member of a query is written out'))
    if (object.memberOf === 'auth') return this.#authMember(object, syntax, name)
    if (name === undefined) return refuse(at, 'only auth has members to choose')
    if (name !== 'length') return refuse(at, `unknown name "${name}"`)
    return typed(at, application(at, lengthOf, [expressionOf(object, STRING, 'length is of strings')]), NUMBER)
  }

  #authMember(object: TypedValue, syntax: Of<'MemberExpression'>, name: string | undefined): Typed {
    const at = syntax.property.start
    const member = name === undefined ? this.#chosenMember(syntax) : constant(name)
    return typedMember(at, application(at, authMember, [object.expression, member]), ANYTHING, 'auth')
  }

  #chosenMember({ property }: Of<'MemberExpression'>): Expression {
    if (property.type === 'PrivateIdentifier') return refuse(property.start, 'rules have nothing like this')
    return expressionOf(this.convert(property), STRING, 'a member is named by a string')
  }

  #call(syntax: Of<'CallExpression'>): Typed {
    const { callee } = syntax
    if (syntax.optional) refuse(syntax.start, 'unknown operator ?.')
    if (callee.type !== 'MemberExpression') return refuse(callee.start, 'only methods can be called')
    if (callee.optional) refuse(callee.start, 'unknown operator ?.')
    const at = callee.property.start
    const name = nameOf(callee) ?? refuse(at, 'a method is written out')
    const object = this.convert(callee.object)
    const call = {
      at,
      name,
      arguments: syntax.arguments,
      convert: (each: Syntax | SpreadElement) => this.convert(each),
      patterns: this.#scope.patterns,
    }
    return object.kind === 'snapshot' ? callSnapshot(object.place, call) : callString(object, call)
  }
}

/** Error texts for other syntax that acorn accepts. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ['ArrayExpression', 'a list may only stand in hasChildren'],
  ['AssignmentExpression', 'rules cannot assign'],
  ['UpdateExpression', 'rules cannot assign'],
  ['SequenceExpression', 'only one expression can stand here'],
  ['ChainExpression', 'unknown operator ?.'],
  ['SpreadElement', 'unknown operator ...'],
  ['TemplateLiteral', 'strings stand in \' or "'],
  ['ArrowFunctionExpression', 'rules have no functions'],
  ['FunctionExpression', 'rules have no functions'],
  ['ThisExpression', 'unknown name "this"'],
  ['NewExpression', 'unknown operator new'],
])

function literal({ start, value, regex, bigint, raw }: Of<'Literal'>): Typed {
  if (regex) return refuse(start, 'a pattern may only stand in matches')
  if (bigint) return refuse(start, 'numbers are decimal')
  switch (typeof value) {
    case 'string':
      return typed(start, constant(value), STRING)
    case 'boolean':
      return typed(start, constant(value), BOOLEAN)
    case 'number':
      if (!DECIMAL.test(raw ?? '') || !Number.isFinite(value)) return refuse(start, 'numbers are decimal')
      return typed(start, constant(value), NUMBER)
    default:
      return typed(start, constant(null), NULL)
  }
}

/** The name after the dot, or the literal string in brackets. */
function nameOf({ computed, property }: Of<'MemberExpression'>): string | undefined {
  if (computed) return property.type === 'Literal' && typeof property.value === 'string' ? property.value : undefined
  return property.type === 'Identifier' ? property.name : refuse(property.start, 'rules have nothing like this')
}

function snapshotMember(name: string | undefined): string {
  return name === undefined ? 'a member of a snapshot is written out' : `a snapshot has no "${name}" that is not called`
}

/** Comparisons with an unset member of `query` are false. */
function operationFor(operator: Operator, left: Typed, right: Typed): Operator['operation'] {
  return operator.isOrdering && (isOfQuery(left) || isOfQuery(right))
    ? falseWithNull(operator.operation)
    : operator.operation
}

function isOfQuery(item: Typed): boolean {
  return item.kind === 'value' && item.memberOf === 'query'
}

/** The operands of the same operator in a row, from left to right. */
function inRow(syntax: Of<'LogicalExpression'>): Syntax[] {
  const operands: Syntax[] = []
  let rest: Syntax = syntax
  while (rest.type === 'LogicalExpression' && rest.operator === syntax.operator) {
    operands.push(rest.right)
    rest = rest.left
  }
  operands.push(rest)
  return operands.reverse()
}
