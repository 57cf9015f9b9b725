import type { Reads } from '../../tree/read-program.ts'
import type { Frame, Plain } from './evaluation-context.ts'
import type { Choice, Expression, Strict } from './expression.ts'
import { fail } from './rule-errors.ts'
import { ask, type NameSource } from './snapshot.ts'

/**
 * What a rule says.
 * @throws RuleFailure where it has no answer; `frame.at` tells the place
 */
export function* isTrue(expression: Expression, frame: Frame): Reads<boolean> {
  const value = yield* evaluate(expression, frame)
  return typeof value === 'boolean' ? value : fail('the rule is not a boolean')
}

/**
 * Evaluates what may read or take long; all else it hands to `compute`.
 * @throws as `isTrue`
 */
export function* evaluate(expression: Expression, frame: Frame): Reads<Plain> {
  if (!expression.waits) return compute(expression, frame)
  let mustBe: Choice | undefined
  let chosen: Expression = expression
  while (chosen.kind === 'choice') {
    mustBe = logical(chosen) ?? mustBe
    const test: Plain = yield* evaluate(chosen.test, frame)
    chosen = branch(chosen, test, frame)
  }
  return checked(yield* evaluateStrict(chosen, frame), mustBe, frame)
}

function* evaluateStrict(expression: Strict, frame: Frame): Reads<Plain> {
  if (frame.budget.isPauseDue()) yield* frame.budget.pause()
  switch (expression.kind) {
    case 'constant':
      return expression.value
    case 'question':
      return yield* ask(expression, frame, nameSource)
    case 'application': {
      const values: Plain[] = []
      for (const operand of expression.operands) {
        values.push(operand.waits ? yield* evaluate(operand, frame) : compute(operand, frame))
      }
      start(frame, expression.at)
      return expression.operation(frame, values[0] ?? null, values[1] ?? null, values[2] ?? null)
    }
    case 'chain': {
      let value = yield* evaluate(expression.head, frame)
      for (const { at, operation, operand } of expression.links) {
        const next = operand.waits ? yield* evaluate(operand, frame) : compute(operand, frame)
        start(frame, at)
        value = operation(frame, value, next, null)
      }
      return value
    }
  }
}

const nameSource: NameSource = { compute, evaluate }

/** The same for what neither reads nor takes long: no generator is made. */
function compute(expression: Expression, frame: Frame): Plain {
  let mustBe: Choice | undefined
  let chosen: Expression = expression
  while (chosen.kind === 'choice') {
    mustBe = logical(chosen) ?? mustBe
    chosen = branch(chosen, compute(chosen.test, frame), frame)
  }
  return checked(computeStrict(chosen, frame), mustBe, frame)
}

function computeStrict(expression: Strict, frame: Frame): Plain {
  switch (expression.kind) {
    case 'constant':
      return expression.value
    case 'question':
      throw new Error('A snapshot was asked without waiting')
    case 'application': {
      const [first, second, third] = expression.operands
      const a = first ? compute(first, frame) : null
      const b = second ? compute(second, frame) : null
      const c = third ? compute(third, frame) : null
      start(frame, expression.at)
      return expression.operation(frame, a, b, c)
    }
    case 'chain': {
      let value = compute(expression.head, frame)
      for (const { at, operation, operand } of expression.links) {
        const next = compute(operand, frame)
        start(frame, at)
        value = operation(frame, value, next, null)
      }
      return value
    }
  }
}

function start(frame: Frame, at: number): void {
  frame.at = at
  frame.budget.spend(1)
}

function branch(choice: Choice, test: Plain, frame: Frame): Expression {
  frame.at = choice.at
  if (typeof test !== 'boolean') fail(`${choice.operator} needs a boolean`)
  return test ? choice.yes : choice.no
}

function logical(choice: Choice): Choice | undefined {
  return choice.operator === '?:' ? undefined : choice
}

/** Both operands of `&&` and `||` are booleans, also the one that is the result. */
function checked(value: Plain, mustBe: Choice | undefined, frame: Frame): Plain {
  if (mustBe === undefined || typeof value === 'boolean') return value
  frame.at = mustBe.at
  return fail(`${mustBe.operator} needs booleans`)
}
