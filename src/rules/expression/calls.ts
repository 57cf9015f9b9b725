import type { SpreadElement, Expression as Syntax } from 'acorn'
import {
  type About,
  application,
  childKeys,
  type Expression,
  type PlaceExpression,
  type PlaceStep,
} from './expression.ts'
import type { Pattern, PatternCache } from './pattern.ts'
import { refuse } from './rule-errors.ts'
import { matches, STRING_METHODS } from './string-methods.ts'
import { ANYTHING, BOOLEAN, expressionOf, NULL, NUMBER, STRING, type Typed, type TypedValue, typed } from './types.ts'

/** A method call. */
export interface Call {
  readonly at: number
  readonly name: string
  readonly arguments: readonly (Syntax | SpreadElement)[]
  /** Compiles an argument. */
  readonly convert: (syntax: Syntax | SpreadElement) => Typed
  readonly patterns: PatternCache
}

/** Methods of snapshots without arguments, and the types of their results. */
const QUESTIONS: ReadonlyMap<string, { readonly about: About; readonly gives: number }> = new Map([
  ['val', { about: 'value', gives: ANYTHING }],
  ['exists', { about: 'exists', gives: BOOLEAN }],
  ['getPriority', { about: 'priority', gives: NULL | NUMBER | STRING }],
  ['isNumber', { about: 'number', gives: BOOLEAN }],
  ['isString', { about: 'string', gives: BOOLEAN }],
  ['isBoolean', { about: 'boolean', gives: BOOLEAN }],
])

/** @throws ExpressionError for an unknown method of snapshots, and for wrong arguments */
export function callSnapshot(place: PlaceExpression, call: Call): Typed {
  const { at, name } = call
  const question = QUESTIONS.get(name)
  if (question !== undefined) {
    checkCount(call, 0)
    return typedQuestion(at, place, question.about, NO_NAMES, question.gives)
  }
  switch (name) {
    case 'parent':
      checkCount(call, 0)
      return { kind: 'snapshot', at, place: further(place, { kind: 'parent', at }) }
    case 'child':
      return {
        kind: 'snapshot',
        at,
        place: further(place, childStep(at, strings(call, 1)[0] as Expression)),
      }
    case 'hasChild':
      return typedQuestion(at, place, 'has-these-children', strings(call, 1), BOOLEAN)
    case 'hasChildren':
      return hasChildren(place, call)
    default:
      return refuse(at, `a snapshot has no method "${name}"`)
  }
}

const NO_NAMES: readonly Expression[] = []

function further({ from, steps }: PlaceExpression, step: PlaceStep): PlaceExpression {
  return { from, steps: [...steps, step] }
}

/** A literal name is split into keys once. */
function childStep(at: number, name: Expression): PlaceStep {
  if (name.kind !== 'constant' || typeof name.value !== 'string') return { kind: 'child', at, name }
  return { kind: 'keys', ...childKeys(name.value) }
}

function hasChildren(place: PlaceExpression, call: Call): Typed {
  const [list] = call.arguments
  if (list === undefined) return typedQuestion(call.at, place, 'has-children', NO_NAMES, BOOLEAN)
  checkCount(call, 1)
  if (list.type !== 'ArrayExpression') return refuse(list.start, 'hasChildren takes a list of strings')
  if (list.elements.length === 0) refuse(list.start, 'hasChildren takes a list that is not empty')
  const names = list.elements.map((element) => {
    if (element === null) return refuse(list.start, 'hasChildren takes a list without holes')
    return expressionOf(call.convert(element), STRING, 'hasChildren takes strings')
  })
  return typedQuestion(call.at, place, 'has-these-children', names, BOOLEAN)
}

function typedQuestion(
  at: number,
  place: PlaceExpression,
  about: About,
  names: readonly Expression[],
  gives: number,
): TypedValue {
  return typed(at, { kind: 'question', waits: true, at, place, about, names }, gives)
}

/** @throws ExpressionError for an unknown method of strings, for a value that cannot be a string, and for wrong arguments */
export function callString(text: Typed, call: Call): TypedValue {
  const { at, name } = call
  if (name === 'matches') return callMatches(text, call)
  const method = STRING_METHODS.get(name)
  if (method === undefined) return refuse(at, `unknown method "${name}"`)
  const operands = [expressionOf(text, STRING, `${name} is of strings`), ...strings(call, method.arguments)]
  return typed(at, application(at, method.operation, operands, true), method.gives)
}

function callMatches(text: Typed, call: Call): TypedValue {
  checkCount(call, 1)
  const subject = expressionOf(text, STRING, 'matches is of strings')
  const [pattern] = call.arguments
  if (pattern?.type !== 'Literal') return refuse(call.at, 'matches takes a pattern that is written out')
  const operation = matches(patternOf(pattern, call.patterns))
  return typed(call.at, application(call.at, operation, [subject], true), BOOLEAN)
}

function patternOf(literal: Extract<Syntax, { type: 'Literal' }>, patterns: PatternCache): Pattern {
  // After the slash or the quotation mark.
  const at = literal.start + 1
  if (literal.regex) return patterns.pattern(at, literal.regex.pattern, literal.regex.flags)
  if (typeof literal.value === 'string') return patterns.pattern(at, literal.value, '')
  return refuse(literal.start, 'matches takes a pattern')
}

function strings(call: Call, count: number): readonly Expression[] {
  checkCount(call, count)
  return call.arguments.map((argument) => expressionOf(call.convert(argument), STRING, `${call.name} takes strings`))
}

function checkCount({ at, name, arguments: given }: Call, count: number): void {
  if (given.length === count) return
  const wanted = ['no argument', '1 argument', '2 arguments'][count]
  refuse(at, `${name} takes ${wanted}, not ${given.length}`)
}
