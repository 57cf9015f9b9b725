import type { Reads } from '../../tree/read-program.ts'
import { evaluate } from '../expression/evaluate.ts'
import type { EvaluationContext, Plain } from '../expression/evaluation-context.ts'
import type { Choice, Expression, Strict } from '../expression/expression.ts'
import { isEqual, isUnequal } from '../expression/operators.ts'
import { RuleFailure, UnknownValue } from '../expression/rule-errors.ts'

/** Whether a rule can be true: never, depending on unknown values, or always. */
export type Chance = 'none' | 'some' | 'sure'

/** Possible outcomes of an expression, as a set of bits. A failure makes the whole rule false. */
const TRUE = 1
const FALSE = 2
const NO_ANSWER = 4
const ANYTHING = TRUE | FALSE | NO_ANSWER

/**
 * Whether an expression can be true while some values are unknown: an operand that throws `UnknownValue` may be anything.
 * `newData.exists() && auth != null` cannot be true for an anonymous caller.
 */
export function* chanceOf(expression: Expression, context: EvaluationContext): Reads<Chance> {
  const outcomes = yield* outcomesOf(expression, context)
  if (outcomes === TRUE) return 'sure'
  return (outcomes & TRUE) === 0 ? 'none' : 'some'
}

function* outcomesOf(expression: Expression, context: EvaluationContext): Reads<number> {
  let found = 0
  let chosen = expression
  while (chosen.kind === 'choice') {
    const test: number = yield* outcomesOf(chosen.test, context)
    found |= test & NO_ANSWER
    if ((test & TRUE) !== 0 && (test & FALSE) !== 0) {
      const [short, long] = branchesOf(chosen)
      found |= yield* outcomesOf(short, context)
      chosen = long
    } else if ((test & TRUE) !== 0) chosen = chosen.yes
    else if ((test & FALSE) !== 0) chosen = chosen.no
    else return found
  }
  return found | (yield* outcomesOfStrict(chosen, context))
}

/** The branch that ends a row of `&&` or `||`, and the branch that continues it. */
function branchesOf({ operator, yes, no }: Choice): readonly [short: Expression, long: Expression] {
  return operator === '&&' ? [no, yes] : [yes, no]
}

function* outcomesOfStrict(expression: Strict, context: EvaluationContext): Reads<number> {
  try {
    return outcomeOf(yield* evaluate(expression, context))
  } catch (error) {
    if (error instanceof RuleFailure) return NO_ANSWER
    if (!(error instanceof UnknownValue)) throw error
    return yield* outcomesOfUnknown(expression, context)
  }
}

function outcomeOf(value: Plain): number {
  if (value === true) return TRUE
  return value === false ? FALSE : NO_ANSWER
}

/** An unknown key is still a string: `auth.uid == $user` is false for an anonymous caller. */
function* outcomesOfUnknown(expression: Strict, context: EvaluationContext): Reads<number> {
  if (expression.kind !== 'chain' || expression.links.length !== 1) return ANYTHING
  const [link] = expression.links
  const isEquality = link?.operation === isEqual
  if (link === undefined || (!isEquality && link.operation !== isUnequal)) return ANYTHING
  const other = isKey(expression.head) ? link.operand : isKey(link.operand) ? expression.head : undefined
  if (other === undefined) return ANYTHING
  try {
    if ((yield* evaluate(other, context)) !== null) return ANYTHING
  } catch (error) {
    if (error instanceof UnknownValue) return ANYTHING
    if (error instanceof RuleFailure) return NO_ANSWER
    throw error
  }
  return isEquality ? FALSE : TRUE
}

function isKey(expression: Expression): boolean {
  return expression.kind === 'application' && expression.isKey === true
}
