import { MAX_DEPTH } from '../../tree/limits.ts'
import type { Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import { type ChildKeys, childKeys } from '../file/child-keys.ts'
import { CURRENT_TREE } from './current-tree.ts'
import type { EvaluationContext, Plain, TreeView } from './evaluation-context.ts'
import type { Expression, PlaceExpression, Question } from './expression.ts'
import { fail, UnknownValue } from './rule-errors.ts'

/** Evaluates the expressions that name children. */
export interface NameSource {
  compute(expression: Expression, context: EvaluationContext): Plain
  evaluate(expression: Expression, context: EvaluationContext): Reads<Plain>
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
export function* answer(question: Question, context: EvaluationContext, names: NameSource): Reads<Plain> {
  let place = start(question.place.from, context)
  for (const step of question.place.steps) {
    if (step.kind === 'keys') place = belowKeys(place, step)
    else if (step.kind === 'parent') place = above(place, step.at, context)
    else {
      const name = yield* nameOf(step.name, context, names)
      context.at = step.at
      place = below(place, name, context)
    }
  }
  look(question.at, context)
  const { tree, path } = place
  if (question.about === 'has-these-children') return yield* hasAll(place, question, context, names)
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
    case 'is-number':
      return typeof (yield* tree.leaf(path, context)) === 'number'
    case 'is-string':
      return typeof (yield* tree.leaf(path, context)) === 'string'
    case 'is-boolean':
      return typeof (yield* tree.leaf(path, context)) === 'boolean'
  }
}

function look(at: number, context: EvaluationContext): void {
  context.at = at
  context.budget.spend(1)
}

function* hasAll(place: Place, question: Question, context: EvaluationContext, names: NameSource): Reads<boolean> {
  for (const expression of question.names) {
    const name = yield* nameOf(expression, context, names)
    context.at = question.at
    const child = below(place, name, context)
    look(question.at, context)
    if (!isPossible(child) || !(yield* child.tree.exists(child.path, context))) return false
  }
  return true
}

function* nameOf(expression: Expression, context: EvaluationContext, names: NameSource): Reads<Plain> {
  return expression.waits ? yield* names.evaluate(expression, context) : names.compute(expression, context)
}

function start(from: PlaceExpression['from'], context: EvaluationContext): Place {
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
  if (context.path.length < context.depth) throw new UnknownValue()
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
