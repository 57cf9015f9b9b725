import type { ChildKeys } from '../file/child-keys.ts'
import type { EvaluationContext, Plain } from './evaluation-context.ts'

/** Computes a value from values; what it does not take it is given as null. Fails when it cannot. */
export type Operation = (context: EvaluationContext, first: Plain, second: Plain, third: Plain) => Plain

/**
 * A checked expression. `waits` tells that evaluating it may read the tree or take long, so that it must be able to
 * pause; the others are computed in one go.
 */
export type Expression = Strict | Choice

/** What is computed from all its parts. */
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
  /** Whether it is a `$name`: a key of the path, so always a string. */
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

/** `test ? yes : no`, and what `&&` and `||` come to: then the result must be a boolean as well. */
export interface Choice {
  readonly kind: 'choice'
  readonly waits: boolean
  readonly at: number
  readonly operator: '?:' | '&&' | '||'
  readonly test: Expression
  readonly yes: Expression
  readonly no: Expression
}

/** Something asked of a snapshot. */
export interface Question {
  readonly kind: 'question'
  readonly waits: true
  readonly at: number
  readonly place: PlaceExpression
  readonly about: About
  /** Children asked for by name. */
  readonly names: readonly Expression[]
}

export type About =
  | 'value'
  | 'exists'
  | 'has-children'
  | 'has-these-children'
  | 'priority'
  | 'is-number'
  | 'is-string'
  | 'is-boolean'

/** The way to a place in one of the two trees. */
export interface PlaceExpression {
  readonly from: 'root' | 'data' | 'new-data'
  readonly steps: readonly PlaceStep[]
}

export type PlaceStep =
  | { readonly kind: 'child'; readonly name: Expression; readonly at: number }
  | ({ readonly kind: 'keys' } & ChildKeys)
  | { readonly kind: 'parent'; readonly at: number }

/** Those that stand everywhere are there once. */
const TRUE: Expression = { kind: 'constant', waits: false, value: true }
const FALSE: Expression = { kind: 'constant', waits: false, value: false }
const NULL: Expression = { kind: 'constant', waits: false, value: null }

export function constant(value: Plain): Expression {
  if (value === null) return NULL
  if (typeof value === 'boolean') return value ? TRUE : FALSE
  return { kind: 'constant', waits: false, value }
}

const NO_OPERANDS: readonly Expression[] = []

/** An operation without operands, which takes no time. */
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
