import type { EvaluationContext, Plain } from './evaluation-context.ts'
import type { Operation } from './expression.ts'
import type { Pattern } from './pattern.ts'
import { fail } from './rule-errors.ts'
import { BOOLEAN, NUMBER, STRING } from './types.ts'

/** A method of strings with string arguments. */
interface StringMethod {
  readonly operation: Operation
  readonly arguments: number
  readonly gives: number
}

/** All methods but `matches`, whose argument is no value. @see docs/reference/protocol.md#rules */
export const STRING_METHODS: ReadonlyMap<string, StringMethod> = new Map([
  ['length', { operation: lengthOf, arguments: 0, gives: NUMBER }],
  ['contains', { operation: contains, arguments: 1, gives: BOOLEAN }],
  [
    'beginsWith',
    { operation: edge('beginsWith', (text, part) => text.startsWith(part)), arguments: 1, gives: BOOLEAN },
  ],
  [
    'startsWith',
    { operation: edge('startsWith', (text, part) => text.startsWith(part)), arguments: 1, gives: BOOLEAN },
  ],
  ['endsWith', { operation: edge('endsWith', (text, part) => text.endsWith(part)), arguments: 1, gives: BOOLEAN }],
  ['replace', { operation: replace, arguments: 2, gives: STRING }],
  ['toLowerCase', { operation: change('toLowerCase', (text) => text.toLowerCase()), arguments: 0, gives: STRING }],
  ['toUpperCase', { operation: change('toUpperCase', (text) => text.toUpperCase()), arguments: 0, gives: STRING }],
])

/** Longest text that a pattern is matched with, in UTF-16 code units. */
const MAX_SUBJECT_LENGTH = 500_000

/** Maximum occurrences that one call replaces. */
const MAX_REPLACED = 100_000

/** Number of UTF-16 code units. */
export function lengthOf(_: EvaluationContext, text: Plain): number {
  return typeof text === 'string' ? text.length : fail('length is of strings')
}

export function matches(pattern: Pattern): Operation {
  return (context, text) => {
    const subject = stringOf(text, 'matches')
    if (subject.length > MAX_SUBJECT_LENGTH) fail('too costly')
    context.budget.spendMatch(subject.length * pattern.stepsPerCharacter)
    return pattern.test(subject)
  }
}

function contains(context: EvaluationContext, text: Plain, part: Plain): boolean {
  const [whole, wanted] = [stringOf(text, 'contains'), stringOf(part, 'contains')]
  context.budget.spendSearch(whole, wanted)
  return whole.includes(wanted)
}

function edge(name: string, test: (text: string, part: string) => boolean): Operation {
  return (context, text, part) => {
    const [whole, wanted] = [stringOf(text, name), stringOf(part, name)]
    context.budget.spendText(wanted.length)
    return test(whole, wanted)
  }
}

function change(name: string, convert: (text: string) => string): Operation {
  return (context, text) => {
    const whole = stringOf(text, name)
    context.budget.make(whole.length)
    return convert(whole)
  }
}

/** Replaces all literal occurrences. An empty part leaves the text unchanged. */
function replace(context: EvaluationContext, text: Plain, part: Plain, replacement: Plain): string {
  const whole = stringOf(text, 'replace')
  const wanted = stringOf(part, 'replace')
  const instead = stringOf(replacement, 'replace')
  if (wanted === '') return whole
  context.budget.spendSearch(whole, wanted)
  const found = count(whole, wanted)
  if (found === 0) return whole
  context.budget.spend(found)
  context.budget.make(whole.length + found * (instead.length - wanted.length))
  // `$` is special in a replacement text; a replacement function would be called for each occurrence and be slow.
  return whole.replaceAll(wanted, instead.replaceAll('$', '$$$$'))
}

function count(text: string, part: string): number {
  let found = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) {
    if (++found > MAX_REPLACED) fail('too costly')
  }
  return found
}

function stringOf(value: Plain, name: string): string {
  return typeof value === 'string' ? value : fail(`${name} needs strings`)
}
