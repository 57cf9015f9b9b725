import { checkKey } from '../../tree/key.ts'
import type { EvaluationContext, Plain } from './evaluation-context.ts'

/** Computes a value; unused operands are null. @throws RuleFailure */
export type Operation = (context: EvaluationContext, first: Plain, second: Plain, third: Plain) => Plain

/**
 * A checked expression. `waits` means that its evaluation may read the tree or take long, so it can pause; others are
 * computed in one go.
 */
export type Expression = Strict | Choice

/** An expression whose parts are all evaluated. */
export type Strict = Constant | Application | Chain | Question

interface Constant {
  readonly kind: 'constant'
  readonly waits: false
  readonly value: Plain
}

/** A name, a member, a method or an operator with one operand; at most three operands. */
interface Application {
  readonly kind: 'application'
  readonly waits: boolean
  readonly at: number
  readonly operation: Operation
  readonly operands: readonly Expression[]
  /** Set for a `$name`: a key of the path, which is always a string. */
  readonly isKey?: true
}

/** Operators with two operands, from left to right: `a + b - c`. */
interface Chain {
  readonly kind: 'chain'
  readonly waits: boolean
  readonly head: Expression
  readonly links: readonly Link[]
}

export interface Link {
  readonly at: number
  readonly operation: Operation
  readonly operand: Expression
}

/** `test ? yes : no`. `&&` and `||` are choices with a boolean result. */
export interface Choice {
  readonly kind: 'choice'
  readonly waits: boolean
  readonly at: number
  readonly operator: '?:' | '&&' | '||'
  readonly test: Expression
  readonly yes: Expression
  readonly no: Expression
}

/** A question about a snapshot. */
export interface Question {
  readonly kind: 'question'
  readonly waits: true
  readonly at: number
  readonly place: PlaceExpression
  readonly about: About
  /** Names of the children in question. */
  readonly names: readonly Expression[]
}

export type About =
  | 'value'
  | 'exists'
  | 'has-children'
  | 'has-these-children'
  | 'priority'
  | 'number'
  | 'string'
  | 'boolean'

/** A node of the current or the new tree. */
export interface PlaceExpression {
  readonly from: 'root' | 'data' | 'new-data'
  readonly steps: readonly PlaceStep[]
}

export type PlaceStep =
  | { readonly kind: 'child'; readonly name: Expression; readonly at: number }
  | ({ readonly kind: 'keys' } & ChildKeys)
  | { readonly kind: 'parent'; readonly at: number }

/** The keys of a name such as `a/b`. */
export interface ChildKeys {
  readonly keys: readonly string[]
  /** Number of leading keys that are legal in the tree. */
  readonly legal: number
}

/** @param name a key or a path; empty keys are ignored */
export function childKeys(name: string): ChildKeys {
  const keys = name.split('/').filter((key) => key !== '')
  const illegal = keys.findIndex((key) => !isKey(key))
  return { keys, legal: illegal === -1 ? keys.length : illegal }
}

function isKey(text: string): boolean {
  try {
    checkKey(text, 'bad-path')
    return true
  } catch {
    return false
  }
}

/** Frequent constants are shared. */
const TRUE: Expression = { kind: 'constant', waits: false, value: true }
const FALSE: Expression = { kind: 'constant', waits: false, value: false }
const NULL: Expression = { kind: 'constant', waits: false, value: null }

export function constant(value: Plain): Expression {
  if (value === null) return NULL
  if (typeof value === 'boolean') return value ? TRUE : FALSE
  return { kind: 'constant', waits: false, value }
}

const NO_OPERANDS: readonly Expression[] = []

/** A short operation without operands. */
export function nullary(at: number, operation: Operation): Expression {
  return { kind: 'application', waits: false, at, operation, operands: NO_OPERANDS }
}

/** A `$name`. */
export function pathKey(at: number, operation: Operation): Expression {
  return { kind: 'application', waits: false, at, operation, operands: NO_OPERANDS, isKey: true }
}

function waitsFor({ waits }: Expression): boolean {
  return waits
}

/** @param isLong whether the operation itself may take long */
export function application(
  at: number,
  operation: Operation,
  operands: readonly Expression[],
  isLong: boolean = false,
): Expression {
  return { kind: 'application', waits: isLong || operands.some(waitsFor), at, operation, operands }
}

export function chain(head: Expression, links: readonly Link[]): Expression {
  return { kind: 'chain', waits: head.waits || links.some(({ operand }) => operand.waits), head, links }
}

export function choice(
  at: number,
  operator: Choice['operator'],
  test: Expression,
  yes: Expression,
  no: Expression,
): Expression {
  return { kind: 'choice', waits: test.waits || yes.waits || no.waits, at, operator, test, yes, no }
}
