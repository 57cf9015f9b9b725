import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { judge } from './driver.ts'

/** What an expression comes to; an object is a symbol of its own. */
type Answer = null | boolean | number | string | symbol

/** An expression as text, and what it must come to, by rules written down here once more. */
interface Sample {
  readonly text: string
  /** How tightly it binds: 0 `?:`, 1 `||`, 2 `&&`, 3 `==`, 4 `<`, 5 `+`, 6 `*`, 7 `!`, 8 everything else. */
  readonly tightness: number
  readonly answer: () => Answer
}

const AUTH = { s: 'abc', e: '', n: 3, z: 0, yes: true, no: false, o: { s: 'inner' }, l: ['a'] }
const DATA = { s: 'xyz', n: -2.5, yes: true, no: false, o: { k: 1 } }

class Failed extends Error {}

function failed(): never {
  throw new Failed()
}

function within(sample: Sample, tightness: number): string {
  return sample.tightness < tightness ? `(${sample.text})` : sample.text
}

function term(text: string, answer: Answer): Sample {
  return { text, tightness: 8, answer: () => answer }
}

const member: Record<string, Answer> = { ...AUTH, o: Symbol('object'), l: Symbol('list'), nope: null }
const anything = fc.oneof(
  fc.constantFrom(...Object.entries(member).map(([name, answer]) => term(`auth.${name}`, answer))),
  fc.constantFrom(term("auth['s']", 'abc'), term('auth.o.s', 'inner'), term('auth.o.nope.s', null)),
  fc.constantFrom(
    term("data.child('s').val()", 'xyz'),
    term("data.child('n').val()", -2.5),
    term("data.child('yes').val()", true),
    term("data.child('no').val()", false),
    term("data.child('o').val()", Symbol('node')),
    term("data.child('nope').val()", null),
    term("data.child('o/k').val()", 1),
    term("root.child('data/s').val()", 'xyz'),
  ),
)
const booleanTerm = fc.constantFrom(
  term('true', true),
  term('false', false),
  term('data.exists()', true),
  term("data.hasChild('nope')", false),
  term("data.hasChildren(['s', 'n'])", true),
  term("data.child('n').isNumber()", true),
  term("data.child('s').isNumber()", false),
)
const numberTerm = fc.constantFrom(term('0', 0), term('1', 1), term('2.5', 2.5), term('1e3', 1000), term('now', 1000))
const stringTerm = fc.constantFrom(
  term("''", ''),
  term("'a'", 'a'),
  term('"abc"', 'abc'),
  term("'1'", '1'),
  term('$k', 'data'),
)
const nullTerm = fc.constant(term('null', null))

function binary(operator: string, tightness: number, compute: (left: Answer, right: Answer) => Answer) {
  return (left: Sample, right: Sample): Sample => ({
    // The left operand may stand bare: operators lean to the left.
    text: `${within(left, tightness)} ${operator} ${within(right, tightness + 1)}`,
    tightness,
    answer: () => compute(left.answer(), right.answer()),
  })
}

function numbers(compute: (left: number, right: number) => Answer): (left: Answer, right: Answer) => Answer {
  return (left, right) => (typeof left === 'number' && typeof right === 'number' ? compute(left, right) : failed())
}

function ordered(compare: (left: number | string, right: number | string) => boolean) {
  return (left: Answer, right: Answer): Answer => {
    if (typeof left === 'number' && typeof right === 'number') return compare(left, right)
    return typeof left === 'string' && typeof right === 'string' ? compare(left, right) : failed()
  }
}

function same(left: Answer, right: Answer): boolean {
  return typeof left !== 'symbol' && left === right
}

function sum(left: Answer, right: Answer): Answer {
  if (typeof left === 'number' && typeof right === 'number') return left + right
  const isText = [left, right].every((each) => typeof each === 'number' || typeof each === 'string')
  return isText ? `${String(left)}${String(right)}` : failed()
}

function truth(answer: Answer): boolean {
  return typeof answer === 'boolean' ? answer : failed()
}

const ARITHMETIC = [
  binary(
    '-',
    5,
    numbers((left, right) => left - right),
  ),
  binary(
    '*',
    6,
    numbers((left, right) => left * right),
  ),
  binary(
    '/',
    6,
    numbers((left, right) => (right === 0 ? Number.NaN : left / right)),
  ),
  binary(
    '%',
    6,
    numbers((left, right) => left % right),
  ),
]
const PLUS = binary('+', 5, sum)
const ORDERINGS = [
  binary(
    '<',
    4,
    ordered((left, right) => left < right),
  ),
  binary(
    '<=',
    4,
    ordered((left, right) => left <= right),
  ),
  binary(
    '>',
    4,
    ordered((left, right) => left > right),
  ),
  binary(
    '>=',
    4,
    ordered((left, right) => left >= right),
  ),
]
const EQUALITIES = [
  binary('==', 3, same),
  binary('===', 3, same),
  binary('!=', 3, (left, right) => !same(left, right)),
  binary('!==', 3, (left, right) => !same(left, right)),
]

function both(left: Sample, right: Sample): Sample {
  const text = `${within(left, 2)} && ${within(right, 2)}`
  return { text, tightness: 2, answer: () => truth(left.answer()) && truth(right.answer()) }
}

function either(left: Sample, right: Sample): Sample {
  const text = `${within(left, 1)} || ${within(right, 1)}`
  return { text, tightness: 1, answer: () => truth(left.answer()) || truth(right.answer()) }
}

function inverse(operand: Sample): Sample {
  return { text: `!${within(operand, 7)}`, tightness: 7, answer: () => !truth(operand.answer()) }
}

function negative(operand: Sample): Sample {
  const answer = (): Answer => {
    const value = operand.answer()
    return typeof value === 'number' ? -value : failed()
  }
  return { text: `- ${within(operand, 7)}`, tightness: 7, answer }
}

function chosen(test: Sample, yes: Sample, no: Sample): Sample {
  const text = `${within(test, 1)} ? ${yes.text} : ${no.text}`
  return { text, tightness: 0, answer: () => (truth(test.answer()) ? yes.answer() : no.answer()) }
}

/** A method of strings. Every argument is asked for before any of them is looked at. */
function method(name: string, compute: (text: string, first: string, second: string) => Answer) {
  return (text: Sample, ...given: Sample[]): Sample => {
    const answer = (): Answer => {
      const values = [text, ...given].map((each) => each.answer())
      if (!values.every((value) => typeof value === 'string')) failed()
      const [whole = '', first = '', second = ''] = values as string[]
      return compute(whole, first, second)
    }
    const subject = /^[0-9]/.test(text.text) ? `(${text.text})` : within(text, 8)
    return { text: `${subject}.${name}(${given.map((each) => each.text).join(', ')})`, tightness: 8, answer }
  }
}

const contains = method('contains', (text, part) => text.includes(part))
const starts = method('beginsWith', (text, part) => text.startsWith(part))
const ends = method('endsWith', (text, part) => text.endsWith(part))
const upper = method('toUpperCase', (text) => text.toUpperCase())
const replaced = method('replace', (text, part, by) => (part === '' ? text : text.split(part).join(by)))

interface Samples {
  readonly truths: fc.Arbitrary<Sample>
  readonly numbers: fc.Arbitrary<Sample>
  readonly strings: fc.Arbitrary<Sample>
}

const TERMS: Samples = { truths: booleanTerm, numbers: numberTerm, strings: stringTerm }

/** Expressions of one level more, whose operands are sometimes of a type that only shows when they are computed. */
function deeper(below: Samples): Samples {
  const truth = fc.oneof({ weight: 3, arbitrary: below.truths }, anything)
  const number = fc.oneof({ weight: 3, arbitrary: below.numbers }, anything)
  const string = fc.oneof({ weight: 3, arbitrary: below.strings }, anything)
  const value = fc.oneof(below.truths, below.numbers, below.strings, anything, nullTerm)
  const sortable = fc.oneof(below.numbers, below.strings, anything, nullTerm)
  const pick = <T>(makers: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...makers)
  const made = (
    makers: readonly ((left: Sample, right: Sample) => Sample)[],
    left: fc.Arbitrary<Sample>,
    right = left,
  ) => fc.tuple(pick(makers), left, right).map(([make, first, second]) => make(first, second))
  return {
    truths: fc.oneof(
      booleanTerm,
      { weight: 3, arbitrary: made([both, either], truth) },
      made(EQUALITIES, value),
      { weight: 2, arbitrary: made(ORDERINGS, sortable) },
      { weight: 2, arbitrary: made(ORDERINGS, number) },
      truth.map(inverse),
      fc.tuple(truth, below.truths, below.truths).map((parts) => chosen(...parts)),
      made([contains, starts, ends], string),
    ),
    numbers: fc.oneof(
      numberTerm,
      made(ARITHMETIC, number),
      made([PLUS], below.numbers),
      number.map(negative),
      fc.tuple(truth, below.numbers, below.numbers).map((parts) => chosen(...parts)),
    ),
    strings: fc.oneof(
      stringTerm,
      made([PLUS], below.strings, value),
      made([PLUS], value, below.strings),
      string.map((text) => upper(text)),
      fc.tuple(string, string, string).map((parts) => replaced(...parts)),
      fc.tuple(truth, below.strings, below.strings).map((parts) => chosen(...parts)),
    ),
  }
}

function said(sample: Sample): boolean | 'failed' {
  try {
    return truth(sample.answer())
  } catch (error) {
    if (error instanceof Failed) return 'failed'
    throw error
  }
}

function judged(text: string): boolean | 'failed' {
  const rules = JSON.stringify({ rules: { $k: { '.read': text } } })
  const { trace } = judge(rules, { before: { data: DATA }, auth: AUTH, read: '/data', now: 1000 })
  const [line = ''] = trace
  return line.includes('" failed: ') ? 'failed' : line.endsWith('" is true')
}

test('expressions come to what an independent evaluator says', () => {
  const seen = new Map<boolean | 'failed', number>()
  fc.assert(
    fc.property(deeper(deeper(deeper(TERMS))).truths, (sample) => {
      const answer = said(sample)
      seen.set(answer, (seen.get(answer) ?? 0) + 1)
      expect({ text: sample.text, says: judged(sample.text) }).toEqual({ text: sample.text, says: answer })
    }),
    { numRuns: 5000 },
  )
  // A generator that made only failures would show nothing.
  for (const answer of [true, false, 'failed'] as const) expect(seen.get(answer)).toBeGreaterThan(300)
})
