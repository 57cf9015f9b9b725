import type { Reads } from '../../tree/read-program.ts'
import type { EvaluationContext, Plain } from './evaluation-context.ts'
import type { Choice, Expression, Strict } from './expression.ts'
import { fail } from './rule-errors.ts'
import { answer, type NameSource } from './snapshot.ts'

/**
 * Evaluates a rule.
 * @throws RuleFailure when it has no boolean result; `context.at` is the position
 */
export function* isTrue(expression: Expression, context: EvaluationContext): Reads<boolean> {
  const value = yield* evaluate(expression, context)
  return typeof value === 'boolean' ? value : fail('the rule is not a boolean')
}

/**
 * Evaluates an expression that may read or take long; others are passed to `compute`.
 * @throws as `isTrue`
 */
export function* evaluate(expression: Expression, context: EvaluationContext): Reads<Plain> {
  if (!expression.waits) return compute(expression, context)
  let mustBe: Choice | undefined
  let chosen: Expression = expression
  while (chosen.kind === 'choice') {
    mustBe = logical(chosen) ?? mustBe
    const test: Plain = yield* evaluate(chosen.test, context)
    chosen = branch(chosen, test, context)
  }
  return checked(yield* evaluateStrict(chosen, context), mustBe, context)
}

function* evaluateStrict(expression: Strict, context: EvaluationContext): Reads<Plain> {
  if (context.budget.isPauseDue()) yield* context.budget.pause()
  switch (expression.kind) {
    case 'constant':
      return expression.value
    case 'question':
      return yield* answer(expression, context, nameSource)
    case 'application': {
      const values: Plain[] = []
      for (const operand of expression.operands) {
        values.push(operand.waits ? yield* evaluate(operand, context) : compute(operand, context))
      }
      start(context, expression.at)
      return expression.operation(context, values[0] ?? null, values[1] ?? null, values[2] ?? null)
    }
    case 'chain': {
      let value = yield* evaluate(expression.head, context)
      for (const { at, operation, operand } of expression.links) {
        const next = operand.waits ? yield* evaluate(operand, context) : compute(operand, context)
        start(context, at)
        value = operation(context, value, next, null)
      }
      return value
    }
  }
}

const nameSource: NameSource = { compute, evaluate }

/** Evaluates an expression that neither reads nor takes long, without a generator. */
function compute(expression: Expression, context: EvaluationContext): Plain {
  let mustBe: Choice | undefined
  let chosen: Expression = expression
  while (chosen.kind === 'choice') {
    mustBe = logical(chosen) ?? mustBe
    chosen = branch(chosen, compute(chosen.test, context), context)
  }
  return checked(computeStrict(chosen, context), mustBe, context)
}

function computeStrict(expression: Strict, context: EvaluationContext): Plain {
  switch (expression.kind) {
    case 'constant':
      return expression.value
    case 'question':
      throw new Error('A question about a snapshot needs a generator')
    case 'application': {
      const [first, second, third] = expression.operands
      const a = first ? compute(first, context) : null
      const b = second ? compute(second, context) : null
      const c = third ? compute(third, context) : null
      start(context, expression.at)
      return expression.operation(context, a, b, c)
    }
    case 'chain': {
      let value = compute(expression.head, context)
      for (const { at, operation, operand } of expression.links) {
        const next = compute(operand, context)
        start(context, at)
        value = operation(context, value, next, null)
      }
      return value
    }
  }
}

function start(context: EvaluationContext, at: number): void {
  context.at = at
  context.budget.spend(1)
}

function branch(choice: Choice, test: Plain, context: EvaluationContext): Expression {
  context.at = choice.at
  if (typeof test !== 'boolean') fail(`${choice.operator} needs a boolean`)
  return test ? choice.yes : choice.no
}

function logical(choice: Choice): Choice | undefined {
  return choice.operator === '?:' ? undefined : choice
}

/** Checks that the result of `&&` or `||` is a boolean. */
function checked(value: Plain, mustBe: Choice | undefined, context: EvaluationContext): Plain {
  if (mustBe === undefined || typeof value === 'boolean') return value
  context.at = mustBe.at
  return fail(`${mustBe.operator} needs booleans`)
}
