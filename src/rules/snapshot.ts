import { checkKey } from '../tree/key.ts'
import { MAX_DEPTH } from '../tree/limits.ts'
import type { Path } from '../tree/path.ts'
import type { Reads } from '../tree/read-request.ts'
import type { Expression, PlaceExpression, Question } from './expression.ts'
import { fail } from './failure.ts'
import type { Frame, Plain } from './frame.ts'
import { BEFORE, type State } from './state.ts'

/** How the values that name children are come by. */
export type NameSource = (expression: Expression, frame: Frame) => Reads<Plain>

/** What the value of a node with children is: not null, and equal to nothing. */
const OPAQUE: object = Object.freeze(Object.create(null))

/** About what a read of the tree costs, in steps. */
const READ_STEPS = 10

/** A place that a snapshot stands at, which need not be a possible one. */
interface Place {
  readonly state: State
  readonly path: Path
  /** How many of the keys can be keys of the data: where it is fewer than all, no node is there. */
  readonly possible: number
}

/** Answers what an expression asks of a snapshot. */
export function* ask(question: Question, frame: Frame, nameSource: NameSource): Reads<Plain> {
  const place = yield* locate(question.place, frame, nameSource)
  look(place, question.at, frame)
  switch (question.about) {
    case 'value':
      return yield* value(place)
    case 'exists':
      return yield* exists(place)
    case 'has-children':
      return isPossible(place) && (yield* place.state.hasChildren(place.path))
    case 'has-these-children':
      return yield* hasAll(place, question, frame, nameSource)
    case 'priority':
      return isPossible(place) ? ((yield* place.state.priority(place.path)) ?? null) : null
    case 'is-number':
      return typeof (yield* leaf(place)) === 'number'
    case 'is-string':
      return typeof (yield* leaf(place)) === 'string'
    case 'is-boolean':
      return typeof (yield* leaf(place)) === 'boolean'
  }
}

function look(place: Place, at: number, frame: Frame): void {
  frame.at = at
  frame.hasLooked = true
  frame.budget.spend(place.state === BEFORE ? READ_STEPS : 1)
}

function* leaf(place: Place): Reads<Plain | undefined> {
  return isPossible(place) ? yield* place.state.leaf(place.path) : undefined
}

function* value(place: Place): Reads<Plain> {
  const found = yield* leaf(place)
  if (found !== undefined) return found
  return (yield* exists(place)) ? OPAQUE : null
}

function* exists(place: Place): Reads<boolean> {
  return isPossible(place) && (yield* place.state.exists(place.path))
}

function* hasAll(place: Place, question: Question, frame: Frame, nameSource: NameSource): Reads<boolean> {
  for (const expression of question.names) {
    const name = yield* nameSource(expression, frame)
    frame.at = question.at
    const child = below(place, name, frame)
    look(child, question.at, frame)
    if (!(yield* exists(child))) return false
  }
  return true
}

function* locate(expression: PlaceExpression, frame: Frame, nameSource: NameSource): Reads<Place> {
  switch (expression.kind) {
    case 'root':
      return { state: BEFORE, path: [], possible: 0 }
    case 'data':
      return ruleNode(BEFORE, frame)
    case 'new-data':
      return ruleNode(frame.after ?? fail('newData is not known here'), frame)
    case 'child': {
      const place = yield* locate(expression.of, frame, nameSource)
      const name = yield* nameSource(expression.name, frame)
      frame.at = expression.at
      return below(place, name, frame)
    }
    case 'parent': {
      const place = yield* locate(expression.of, frame, nameSource)
      frame.at = expression.at
      return above(place)
    }
  }
}

function ruleNode(state: State, frame: Frame): Place {
  return { state, path: frame.path.slice(0, frame.depth), possible: frame.depth }
}

function above({ state, path, possible }: Place): Place {
  if (path.length === 0) fail('the root has no parent')
  const parent = path.slice(0, -1)
  return { state, path: parent, possible: Math.min(possible, parent.length) }
}

/** @param name a key or a path; what cannot be one names a node that is not there */
function below(place: Place, name: Plain, frame: Frame): Place {
  if (typeof name !== 'string') return fail('a child is named by a string')
  frame.budget.spend(1 + name.length)
  const path = [...place.path]
  let possible = place.possible
  for (const key of name.split('/')) {
    if (key === '') continue
    if (possible === path.length && possible < MAX_DEPTH && isKey(key)) possible++
    path.push(key)
  }
  return { state: place.state, path, possible }
}

function isPossible({ path, possible }: Place): boolean {
  return possible === path.length
}

function isKey(text: string): boolean {
  try {
    checkKey(text, 'bad-path')
    return true
  } catch {
    return false
  }
}
