import type { Expression, PlaceExpression } from './expression.ts'
import { refuse } from './rule-errors.ts'

/** Possible types of a value before the rule runs: a sum of these bits. */
export const NULL = 1
export const BOOLEAN = 2
export const NUMBER = 4
export const STRING = 8
const OBJECT = 16

/** Null, or a part of `auth` that has members. */
export const NULL_OR_OBJECT: number = NULL | OBJECT
/** Leaves of the tree, and null. */
export const VALUE: number = NULL | BOOLEAN | NUMBER | STRING
export const ANYTHING: number = VALUE | OBJECT

/** An expression and its possible types. */
export type Typed = TypedValue | TypedSnapshot | TypedQuery

export interface TypedValue {
  readonly kind: 'value'
  readonly at: number
  readonly expression: Expression
  readonly types: number
  /** The two branches of a choice, which must both fit. */
  readonly either?: readonly [TypedValue, TypedValue]
  /** The object it belongs to: `auth` has further members, an unset member of `query` compares as false. */
  readonly memberOf?: 'auth' | 'query'
}

interface TypedSnapshot {
  readonly kind: 'snapshot'
  readonly at: number
  readonly place: PlaceExpression
}

/** The name `query`, which can be used only through its members. */
interface TypedQuery {
  readonly kind: 'query'
  readonly at: number
}

export function typed(at: number, expression: Expression, types: number): TypedValue {
  return { kind: 'value', at, expression, types }
}

/** `auth`, or a member of `auth` or `query`. */
export function typedMember(at: number, expression: Expression, types: number, memberOf: 'auth' | 'query'): TypedValue {
  return { kind: 'value', at, expression, types, memberOf }
}

/**
 * The expression, checked to have one of some types.
 * @param needs the requirement, for the error text
 * @throws ExpressionError when it can have none of them
 */
export function expressionOf(item: Typed, types: number, needs: string): Expression {
  checkType(item, types, needs)
  return item.expression
}

function checkType(item: Typed, types: number, needs: string): asserts item is TypedValue {
  if (item.kind === 'snapshot') refuse(item.at, `${needs}, not a snapshot: is val() missing?`)
  if (item.kind === 'query') refuse(item.at, `${needs}, not the query itself`)
  if (item.either) for (const value of item.either) checkType(value, types, needs)
  if ((item.types & types) === 0) refuse(item.at, `${needs}, not ${nameTypes(item.types)}`)
}

function nameTypes(types: number): string {
  const names = ['null', 'a boolean', 'a number', 'a string', 'an object']
  return names.filter((_, bit) => (types & (1 << bit)) !== 0).join(' or ')
}
