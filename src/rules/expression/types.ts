import type { Expression, PlaceExpression } from './expression.ts'
import { refuse } from './rule-errors.ts'

/** What a value can be, as far as it is known before the rule runs: a sum of these. */
export const NULL = 1
export const BOOLEAN = 2
export const NUMBER = 4
export const STRING = 8
const OBJECT = 16

/** Null, or a part of `auth` that has members. */
export const NULL_OR_OBJECT: number = NULL | OBJECT
/** All that can stand in the tree, and null. */
export const VALUE: number = NULL | BOOLEAN | NUMBER | STRING
export const ANYTHING: number = VALUE | OBJECT

/** An expression and what is known of it. */
export type Typed = TypedValue | TypedSnapshot | TypedQuery

export interface TypedValue {
  readonly kind: 'value'
  readonly at: number
  readonly expression: Expression
  readonly types: number
  /** The two values it may be, of which each must fit. */
  readonly either?: readonly [TypedValue, TypedValue]
  /** Where it is a member of: `auth` has further members, what a query does not say compares as false. */
  readonly memberOf?: 'auth' | 'query'
}

interface TypedSnapshot {
  readonly kind: 'snapshot'
  readonly at: number
  readonly place: PlaceExpression
}

/** The name `query`, of which only members can be used. */
interface TypedQuery {
  readonly kind: 'query'
  readonly at: number
}

export function typed(at: number, expression: Expression, types: number): TypedValue {
  return { kind: 'value', at, expression, types }
}

/** What is known of `auth`, and of a member of it or of `query`. */
export function typedMember(at: number, expression: Expression, types: number, memberOf: 'auth' | 'query'): TypedValue {
  return { kind: 'value', at, expression, types, memberOf }
}

/**
 * The value of an expression that may be one of some types.
 * @param needs what is needed, for whoever wrote the rule
 * @throws Refusal when it can be none of them
 */
export function take(item: Typed, types: number, needs: string): Expression {
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
