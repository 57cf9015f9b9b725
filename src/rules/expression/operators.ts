import type { EvaluationContext, Plain } from './evaluation-context.ts'
import type { Operation } from './expression.ts'
import { fail } from './rule-errors.ts'
import { BOOLEAN, NULL, NUMBER, STRING, VALUE } from './types.ts'

/** An operator with two operands. */
export interface Operator {
  readonly operation: Operation
  /** Accepted types of an operand. */
  readonly takes: number
  /** The accepted types in words. */
  readonly needs: string
  /** Types of the result for these types of operands. */
  readonly gives: (left: number, right: number) => number
  /** Set for a comparison by order. */
  readonly isOrdering?: true
}

/** @see docs/reference/protocol.md#rules */
export const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['==', equality(isEqual)],
  ['===', equality(isEqual)],
  ['!=', equality(isUnequal)],
  ['!==', equality(isUnequal)],
  ['<', comparison('<', (order) => order < 0)],
  ['<=', comparison('<=', (order) => order <= 0)],
  ['>', comparison('>', (order) => order > 0)],
  ['>=', comparison('>=', (order) => order >= 0)],
  ['+', { operation: add, takes: VALUE, needs: 'numbers or strings', gives: sumType }],
  ['-', arithmetic('-', (left, right) => left - right)],
  ['*', arithmetic('*', (left, right) => left * right)],
  ['/', arithmetic('/', divide)],
  ['%', arithmetic('%', (left, right) => left % right)],
])

export function not(_: EvaluationContext, value: Plain): boolean {
  return typeof value === 'boolean' ? !value : fail('! needs a boolean')
}

export function negate(_: EvaluationContext, value: Plain): number {
  return typeof value === 'number' ? -value : fail('- needs a number')
}

function equality(operation: Operation): Operator {
  return { operation, takes: VALUE, needs: 'values', gives: () => BOOLEAN }
}

/** Values of different types are never equal, and an object equals nothing, not even itself. */
export function isEqual(context: EvaluationContext, left: Plain, right: Plain): boolean {
  if (typeof left === 'string' && typeof right === 'string' && left.length === right.length) {
    context.budget.spendText(left.length)
  }
  return left === right && (typeof left !== 'object' || left === null)
}

export function isUnequal(context: EvaluationContext, left: Plain, right: Plain): boolean {
  return !isEqual(context, left, right)
}

function comparison(sign: string, holds: (order: number) => boolean): Operator {
  const needs = 'two numbers or two strings'
  const operation: Operation = (context, left, right) => {
    if (typeof left === 'number' && typeof right === 'number') return holds(orderOf(left, right))
    if (typeof left !== 'string' || typeof right !== 'string') return fail(`${sign} needs ${needs}`)
    context.budget.spendText(Math.min(left.length, right.length))
    return holds(orderOf(left, right))
  }
  return { operation, takes: NUMBER | STRING | NULL, needs, gives: () => BOOLEAN, isOrdering: true }
}

/** Compares strings by UTF-16 code unit, as the tree sorts. NaN for values without an order. */
function orderOf<T extends number | string>(left: T, right: T): number {
  if (left === right) return 0
  if (left < right) return -1
  return left > right ? 1 : Number.NaN
}

/**
 * The same comparison for a member of `query`: false when the member is unset.
 * @param operation one of `<`, `<=`, `>`, `>=`
 */
export function falseWithNull(operation: Operation): Operation {
  return (context, left, right) => left !== null && right !== null && operation(context, left, right, null)
}

function add(context: EvaluationContext, left: Plain, right: Plain): Plain {
  if (typeof left === 'number' && typeof right === 'number') return left + right
  if (!isAddend(left) || !isAddend(right)) return fail('+ needs numbers or strings')
  const [first, second] = [String(left), String(right)]
  context.budget.make(first.length + second.length)
  return first + second
}

function isAddend(value: Plain): value is number | string {
  return typeof value === 'number' || typeof value === 'string'
}

function sumType(left: number, right: number): number {
  if (left === STRING || right === STRING) return STRING
  return left === NUMBER && right === NUMBER ? NUMBER : NUMBER | STRING
}

function arithmetic(sign: string, compute: (left: number, right: number) => number): Operator {
  const operation: Operation = (_, left, right) => {
    if (typeof left !== 'number' || typeof right !== 'number') return fail(`${sign} needs numbers`)
    return compute(left, right)
  }
  return { operation, takes: NUMBER, needs: 'numbers', gives: () => NUMBER }
}

/** Division by 0 is NaN, never infinite. */
function divide(left: number, right: number): number {
  return right === 0 ? Number.NaN : left / right
}
