import { MAX_DEPTH } from '../../tree/limits.ts'
import type { Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import { CURRENT_TREE, type EvaluationContext, type Plain, type TreeView } from './evaluation-context.ts'
import {
  type ChildKeys,
  type Choice,
  childKeys,
  type Expression,
  type PlaceExpression,
  type Question,
  type Strict,
} from './expression.ts'
import { fail, unknown } from './rule-errors.ts'

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
      return yield* answer(expression, context)
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

/** The value of a node with children: not null, and equal to nothing. */
const OPAQUE: object = Object.freeze(Object.create(null))

/** The path of a snapshot, which may be impossible in the tree. */
interface Place {
  readonly tree: TreeView
  readonly path: Path
  /** Number of leading keys that are possible; with fewer than all no node exists. */
  readonly possible: number
}

/** Answers a question about a snapshot. */
function* answer(question: Question, context: EvaluationContext): Reads<Plain> {
  let place = placeOf(question.place.from, context)
  for (const step of question.place.steps) {
    if (step.kind === 'keys') place = belowKeys(place, step)
    else if (step.kind === 'parent') place = above(place, step.at, context)
    else {
      const name = step.name.waits ? yield* evaluate(step.name, context) : compute(step.name, context)
      context.at = step.at
      place = below(place, name, context)
    }
  }
  start(context, question.at)
  const { tree, path } = place
  if (question.about === 'has-these-children') return yield* hasAll(place, question, context)
  if (!isPossible(place)) return question.about === 'value' || question.about === 'priority' ? null : false
  switch (question.about) {
    case 'value':
      return (yield* tree.leaf(path, context)) ?? ((yield* tree.exists(path, context)) ? OPAQUE : null)
    case 'exists':
      return yield* tree.exists(path, context)
    case 'has-children':
      return yield* tree.hasChildren(path, context)
    case 'priority':
      return (yield* tree.priority(path, context)) ?? null
    default:
      return typeof (yield* tree.leaf(path, context)) === question.about
  }
}

function* hasAll(place: Place, question: Question, context: EvaluationContext): Reads<boolean> {
  for (const expression of question.names) {
    const name = expression.waits ? yield* evaluate(expression, context) : compute(expression, context)
    context.at = question.at
    const child = below(place, name, context)
    start(context, question.at)
    if (!isPossible(child) || !(yield* child.tree.exists(child.path, context))) return false
  }
  return true
}

function placeOf(from: PlaceExpression['from'], context: EvaluationContext): Place {
  switch (from) {
    case 'root':
      return { tree: CURRENT_TREE, path: [], possible: 0 }
    case 'data':
      return ruleNode(CURRENT_TREE, context)
    case 'new-data':
      return ruleNode(context.newTree ?? fail('newData is not known here'), context)
  }
}

function ruleNode(tree: TreeView, context: EvaluationContext): Place {
  if (context.path.length < context.depth) unknown()
  return { tree, path: context.path.slice(0, context.depth), possible: context.depth }
}

function above({ tree, path, possible }: Place, at: number, context: EvaluationContext): Place {
  context.at = at
  if (path.length === 0) fail('the root has no parent')
  const parent = path.slice(0, -1)
  return { tree, path: parent, possible: Math.min(possible, parent.length) }
}

/** @param name a key or a path; an impossible one names a node that does not exist */
function below(place: Place, name: Plain, context: EvaluationContext): Place {
  if (typeof name !== 'string') return fail('a child is named by a string')
  context.budget.spend(1 + name.length)
  return belowKeys(place, childKeys(name))
}

function belowKeys(place: Place, { keys, legal }: ChildKeys): Place {
  const possible = isPossible(place) ? Math.min(place.possible + legal, MAX_DEPTH) : place.possible
  return { tree: place.tree, path: [...place.path, ...keys], possible }
}

function isPossible({ path, possible }: Place): boolean {
  return possible === path.length
}
