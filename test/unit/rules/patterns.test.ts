import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { DholeError } from '../../../src/error.ts'
import { parseRules } from '../../../src/rules/file/rule-set.ts'
import { judge } from './driver.ts'

const PIECES = [
  'a',
  'b',
  '1',
  '-',
  '.',
  '*',
  '+',
  '?',
  '{2}',
  '{1,}',
  '{0,2}',
  '(',
  ')',
  '|',
  '[',
  ']',
  '[^',
  '^',
  '$',
  '\\',
]
const ESCAPES = [
  '\\d',
  '\\D',
  '\\w',
  '\\W',
  '\\s',
  '\\S',
  '\\.',
  '\\\\',
  '\\n',
  '\\x61',
  '\\u0062',
  '[a-b]',
  '[^a]',
  '(a|b)',
]
const subject = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '1', '-', '.', ' ', '\n', '\\', '_'), maxLength: 7 })

/** Any pieces, some of which make a pattern, and patterns made of pieces that fit. */
const loose = fc.array(fc.constantFrom(...PIECES, ...ESCAPES), { maxLength: 7 }).map((pieces) => pieces.join(''))
const fitting = fc
  .tuple(
    fc.constantFrom('', '^'),
    fc.array(
      fc
        .tuple(
          fc.constantFrom('a', 'b', '1', '.', ...ESCAPES, '(ab|1)', '(a+b)*'),
          fc.constantFrom('', '', '*', '+', '?', '{2}', '{0,2}'),
        )
        .map((parts) => parts.join('')),
      { minLength: 1, maxLength: 5 },
    ),
    fc.constantFrom('', '$'),
  )
  .map(([begin, middle, end]) => begin + middle.join('') + end)

test('patterns that are taken mean what they mean in JavaScript', () => {
  let taken = 0
  fc.assert(
    fc.property(fc.oneof(loose, fitting), subject, fc.boolean(), (pattern, text, anyCase) => {
      const literal = anyCase ? `/${pattern}/i` : JSON.stringify(pattern)
      const source = JSON.stringify({ rules: { '.read': `auth.text.matches(${literal})` } })
      if (!isTaken(source)) return
      taken++
      const [line] = judge(source, { read: '/', auth: { text } }).trace
      const expected = new RegExp(pattern, anyCase ? 'i' : '').test(text)
      expect(`${pattern} on ${text}: ${line}`).toEndWith(`" is ${expected}`)
    }),
    { numRuns: 4000 },
  )
  expect(taken).toBeGreaterThan(1500)
})

/** Any failure but the one that is announced is thrown on. */
function isTaken(source: string): boolean {
  try {
    parseRules(source)
    return true
  } catch (error) {
    if (error instanceof DholeError && error.code === 'bad-rules') return false
    throw error
  }
}

const WORDS = [
  'auth',
  'data',
  'newData',
  'root',
  'now',
  'query',
  '$k',
  '.uid',
  '.val()',
  '.child(',
  '.exists()',
  '.parent()',
  '.length',
  '.matches(',
  '.contains(',
  '(',
  ')',
  '[',
  ']',
  '!',
  '-',
  '+',
  '*',
  '/',
  '%',
  '&&',
  '||',
  '==',
  '!=',
  '<',
  '>=',
  '?',
  ':',
  "'a'",
  '"b"',
  '1',
  '.5',
  'true',
  'false',
  'null',
  '/a/',
  ',',
  ';',
  '=',
  '=>',
  '{',
  '}',
  '`',
  '...',
  '?.',
  'new ',
  'this',
  '#',
  '\\',
] as const

test('any text is refused as rules are refused, or can be asked', () => {
  let taken = 0
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }), (words) => {
      const source = JSON.stringify({ rules: { $k: { '.write': words.join('') } } })
      if (!isTaken(source)) return
      taken++
      const { trace } = judge(source, { auth: { uid: 'ann' }, before: { a: 1 }, writes: { '/a': { b: 2 } } })
      expect(trace).toHaveLength(1)
    }),
    { numRuns: 10_000 },
  )
  expect(taken).toBeGreaterThan(20)
})

test('any file is refused as rules are refused, or can be asked', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"rules"',
    '".read"',
    '"a"',
    '"$a"',
    '"true"',
    'true',
    'null',
    '7',
    '//',
    '/*',
    '*/',
    '\n',
    '"',
    '\\',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const source = pieces.join('')
      if (isTaken(source)) JSON.parse(parseRules(source).strict)
      if (isTaken(`{"rules":{${source}}}`)) judge(`{"rules":{${source}}}`, { read: '/a' })
    }),
    { numRuns: 5000 },
  )
})

test('an expression with more patterns than are compiled at a time is read as any other', () => {
  const patterns = Array.from({ length: 350 }, (_, index) => `newData.val().matches(/^(a${index}.{3}){3}z/)`)
  const file = (expression: string) => JSON.stringify({ rules: { '.write': true, '.validate': expression } })
  const isValid = (value: string) => judge(file(patterns.join('||')), { writes: { '/': value } }).allowed
  expect([isValid('a7xyza7xyza7xyzz'), isValid('a349xyza349xyza349xyzz'), isValid('a350xyza350xyza350xyzz')]).toEqual([
    true,
    true,
    false,
  ])
  const wrong = `${patterns.join('||')}||nowhere`
  expect(() => parseRules(file(wrong))).toThrow(
    `Line 1: unknown name "nowhere" (column ${file(wrong).indexOf('nowhere') + 1})`,
  )
})
