import '../../support/long-lane.ts'
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { DholeError } from '../../../src/error.ts'
import { parseRules } from '../../../src/rules/file/rule-set.ts'
import type { Value } from '../../../src/tree/value.ts'
import { judge } from './driver.ts'

// The time of an evaluation is bounded as well: on a busy machine that bound would come first.
const clock = spyOn(performance, 'now')
beforeAll(() => void clock.mockReturnValue(0))
afterAll(() => clock.mockRestore())

function write(expression: string, value: Value, before?: Value): ReturnType<typeof judge> {
  const rules = JSON.stringify({ rules: { '.write': expression } })
  return judge(rules, { before, auth: { uid: 'ann' }, writes: { '/': value } })
}

function codeOf(source: string): string | undefined {
  try {
    parseRules(source)
  } catch (error) {
    return error instanceof DholeError ? error.code : String(error)
  }
  return undefined
}

function codeOfExpression(expression: string): string | undefined {
  return codeOf(JSON.stringify({ rules: { '.write': expression } }))
}

function repeated(text: string, count: number, join: string = ''): string {
  return Array.from({ length: count }, () => text).join(join)
}

const LONG = 'a'.repeat(100_000)

describe('rules that would hold the loop', () => {
  test.each([
    ['a pattern that backtracks elsewhere', 'newData.val().matches(/(a+)+$/)', `${LONG}b`, false],
    ['the same on what it matches', 'newData.val().matches(/^(a+)+$/)', LONG, true],
    ['alternatives that overlap', 'newData.val().matches(/^(a|a|aa)*$/)', `${LONG}b`, false],
    ['the same as a string', "newData.val().matches('^(a*)*$')", `${LONG}b`, false],
    ['the longest text a pattern is tried on', 'newData.val().matches(/^a*$/)', 'a'.repeat(500_000), true],
    ['a search that half matches everywhere', `newData.val().contains('${'a'.repeat(900)}b')`, LONG, false],
    ['a search in the longest leaf', "newData.val().contains('ab')", 'a'.repeat(10 * 1024 * 1024), false],
    [
      'the longest leaf in capitals',
      'newData.val().toUpperCase().length > 10000000',
      'a'.repeat(10 * 1024 * 1024),
      true,
    ],
  ] as const)('are answered: %s', (_, expression, value, allowed) => {
    const verdict = write(expression, value)
    expect(verdict.trace.join()).toEndWith(` is ${allowed}`)
    expect(verdict.allowed).toBe(allowed)
  })

  test.each([
    ['a text too long for patterns', 'newData.val().matches(/a/)', 'a'.repeat(500_001)],
    ['a large pattern on a long text', 'newData.val().matches(/a.{900}[cd]/)', LONG],
    ['a search for a long text in a long one', 'newData.val().contains(newData.val())', LONG],
    ['replacing a long text in a long one', "newData.val().replace(newData.val(), '') == ''", LONG],
    ['a text that grows tenfold each time', growing(12), 'a'],
    ['a text that doubles each time', "newData.val() + newData.val() == ''", 'a'.repeat(6 * 1024 * 1024)],
    ['one step too long at once', "newData.val().replace('a', 'aaa') == ''", 'a'.repeat(4 * 1024 * 1024)],
    [
      'many texts held at once',
      `'' ${repeated('+ newData.val().toUpperCase().length', 10)} == ''`,
      'a'.repeat(5 * 1024 * 1024),
    ],
    ['a text that becomes too long', `newData.val().replace('a', '${'b'.repeat(300)}') == ''`, 'a'.repeat(50_000)],
    ['a path as long as a leaf', 'data.child(newData.val()).exists()', `${LONG}a`],
  ] as const)('are false: %s', (_, expression, value) => {
    const verdict = write(expression, value)
    expect(verdict.trace.join()).toEndWith(' failed: too costly (line 1)')
    expect(verdict.allowed).toBe(false)
  })

  test('are false when all of them together cost too much', () => {
    const rules = { '.write': true, $k: { '.validate': "!newData.val().contains(root.child('needle').val())" } }
    const children = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`k${index}`, LONG]))
    const request = { before: { needle: 'b'.repeat(900) }, writes: { '/': children } }
    const verdict = judge(JSON.stringify({ rules }), request)
    expect(verdict.allowed).toBe(false)
    expect(verdict.trace.at(-1)).toContain('failed: too costly')
    expect(verdict.trace.length).toBeGreaterThan(10)
  })

  test('give way to others while a large payload is validated', () => {
    const rules = JSON.stringify({
      rules: { '.write': true, $k: { '.validate': 'newData.isNumber() && newData.val() > 0' } },
    })
    const children = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, index + 1]))
    const verdict = judge(rules, { writes: { '/': children } })
    expect(verdict.allowed).toBe(true)
    expect(verdict.pauses).toBeGreaterThan(20)
    expect(verdict.reads).toBe(0)
  })

  test('are found among many by what is written', () => {
    const named = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`r${index}`, { '.validate': true }]))
    const rules = JSON.stringify({ rules: { '.write': true, $k: { ...named, z: { '.validate': false } } } })
    const children = (last: Value): Value =>
      Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, index < 1_999 ? { a: 1 } : last]))
    const valid = judge(rules, { writes: { '/': children({ r1: 1, y: 1 }) } })
    expect(valid.allowed).toBe(true)
    expect(valid.pauses).toBeLessThan(10)
    expect(judge(rules, { writes: { '/': children({ r1: 1, z: 1 }) } }).allowed).toBe(false)
  })

  test('cost nothing where there are none', () => {
    const rules = JSON.stringify({ rules: { '.write': true, a: { b: { '.validate': false } } } })
    const children = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, { b: 1 }]))
    const verdict = judge(rules, { writes: { '/': children } })
    expect(verdict).toMatchObject({ allowed: true, pauses: 0, reads: 0 })
  })
})

function fileOf(number: number, rules: (index: number) => object): string {
  return JSON.stringify({ rules: Object.fromEntries(Array.from({ length: number }, (_, at) => [`n${at}`, rules(at)])) })
}

function tenOperators(index: number): string {
  const asked = "root.child('admins').child(auth.uid).val() == true"
  const written = "newData.child('a').val() + 1 > data.child('b').val() && newData.child('c').isString()"
  return `auth.uid == 'u${index}' && ${asked} && ${written} && now > ${index} || !data.parent().child('x').exists()`
}

function growing(times: number): string {
  const text = `newData.val()${repeated(".replace('a', 'aaaaaaaaaa')", times)}`
  return `${text}.length == 1`
}

describe('expressions that are too much', () => {
  test.each([
    ['10,000 parentheses', `${repeated('(', 10_000)}true${repeated(')', 10_000)}`],
    ['8,000 parentheses', `${repeated('(', 8_000)}true${repeated(')', 8_000)}`],
    ['300 parentheses', `${repeated('(', 300)}true${repeated(')', 300)}`],
    ['10,000 inversions', `${repeated('!', 10_000)}true`],
    ['300 inversions', `${repeated('!', 300)}true`],
    ['500 choices', `${repeated('true ? true : ', 500)}true`],
    ['a chain of 300 parents', `data${repeated('.parent()', 300)}.exists()`],
    ['a chain of 300 members', `auth${repeated('.a', 300)} == null`],
    ['300 children within children', `${repeated('data.child(', 300)}'a'${repeated(').val()', 300)} == 1`],
    ['300 lists', `data.hasChildren(${repeated('[', 300)}'a'${repeated(']', 300)})`],
    ['3,000 comments and a word', `true ${repeated('/**/', 3_000)} x`],
    ['more than 16,384 characters', `true ${repeated('|| true ', 2_050)}`],
    ['a pattern of 100 groups', `'a'.matches(/${repeated('(', 100)}a${repeated(')', 100)}/)`],
    ['a pattern of 5,000 groups', `'a'.matches('${repeated('(', 5_000)}a${repeated(')', 5_000)}')`],
  ])('%s', (_, expression) => {
    expect(codeOfExpression(expression)).toBe('bad-rules')
  })

  test.each([
    ['100 parentheses', `${repeated('(', 100)}true${repeated(')', 100)}`, true],
    ['100 inversions', `${repeated('!', 100)}true`, true],
    ['100 choices', `${repeated('false ? false : ', 100)}true`, true],
    ['2,000 operands of &&', repeated('true', 2_000, ' && '), true],
    ['2,000 operands of ||', `${repeated('false', 1_500, ' || ')} || true`, true],
    ['3,000 summands', `${repeated('1', 3_000, ' + ')} == 3000`, true],
    ['500 questions in a row', repeated('!data.child(auth.uid).exists()', 500, '&&'), true],
    ['500 comparisons in a row', `1 ${repeated('== 2 ', 500)} == false`, true],
    ['90 parents', `root.child('${repeated('a/', 90)}')${repeated('.parent()', 90)}.exists() == false`, true],
  ])('and those that are not: %s', (_, expression, allowed) => {
    expect(write(expression, 1).allowed).toBe(allowed)
  })
})

describe('files that are too much', () => {
  test.each([
    ['arrays within arrays', repeated('[', 100_000)],
    ['objects within objects', repeated('{"a":', 100_000)],
    ['rules 33 keys deep', `{"rules":${repeated('{"a":', 33)}{}${repeated('}', 33)}}`],
    ['more than 4 MiB', `{"rules":{}}${' '.repeat(4 * 1024 * 1024)}`],
    ['only quotation marks', repeated('"', 100_001)],
    ['only slashes', repeated('/', 100_000)],
    ['comments without an end', repeated('/*', 100_000)],
    ['only commas', `{"rules":[${repeated(',', 2_000_000)}]}`],
    ['100,000 nodes', fileOf(100_000, () => ({}))],
    ['100,000 names to sort by', JSON.stringify({ rules: { '.indexOn': Array(100_000).fill('a') } })],
    ['40,000 expressions', fileOf(40_000, (index) => ({ '.read': `now > ${index}` }))],
    ['a million and more operands', fileOf(150, (index) => ({ '.read': `${repeated('1+', 8_000)}1 > ${index}` }))],
    ['many large patterns', fileOf(100, (index) => ({ '.read': `auth.uid.matches(/(.{30}){20}${index}/)` }))],
    ['many small patterns', fileOf(10_000, (index) => ({ '.read': `auth.uid.matches('${index}')` }))],
  ])('%s', (_, source) => {
    expect(codeOf(source)).toBe('bad-rules')
  })

  test('rules 32 keys deep are not', () => {
    const source = `{"rules":${repeated('{"a":', 32)}{".read":true}${repeated('}', 32)}}`
    expect(judge(source, { read: repeated('/a', 32) }).allowed).toBe(true)
    expect(judge(source, { read: repeated('/a', 31) }).allowed).toBe(false)
  })

  test.each([
    ['30,000 nodes with the same rules', 30_000, () => ({ '.read': 'auth != null', '.write': 'auth.admin == true' })],
    [
      '10,000 nodes with three rules of their own',
      10_000,
      (index: number) => ({ '.read': `now > ${index}`, '.write': `now > ${index}`, '.validate': `now > ${index}` }),
    ],
    ['10,000 nodes with ten operators each', 10_000, (index: number) => ({ '.write': tenOperators(index) })],
    ['10,000 nodes with the same pattern', 10_000, () => ({ '.read': 'auth.uid.matches(/^(.{30}){30}$/i)' })],
    [
      '1,000 nodes with patterns of their own',
      1_000,
      (index: number) => ({ '.read': `auth.uid.matches(/^a${index}/)` }),
    ],
  ] as const)('%s are not', (_, number, rules) => {
    expect(codeOf(fileOf(number, rules))).toBeUndefined()
  })

  test('patterns with and without a flag are two', () => {
    const source = fileOf(2, (index) => ({ '.read': `auth.uid.matches(/^a$/${index === 0 ? 'i' : ''})` }))
    expect(judge(source, { read: '/n0', auth: { uid: 'A' } }).allowed).toBe(true)
    expect(judge(source, { read: '/n1', auth: { uid: 'A' } }).allowed).toBe(false)
  })

  test('ten thousand nodes are not', () => {
    const nodes = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`n${index}`, { '.read': `auth.uid == 'u${index}'` }]),
    )
    const rules = parseRules(JSON.stringify({ rules: nodes }))
    expect(judge(rules, { read: '/n9999', auth: { uid: 'u9999' } }).allowed).toBe(true)
    expect(judge(rules, { read: '/n9999', auth: { uid: 'u9998' } }).allowed).toBe(false)
  })
})

describe('names that objects have anyway', () => {
  const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']

  test.each(NAMES)('%s as a key of the rules', (name) => {
    const source = `{"rules":{"${name}":{".read":true,".write":true,".validate":"newData.isNumber()"}}}`
    expect(judge(source, { read: `/${name}` }).allowed).toBe(true)
    expect(judge(source, { read: '/other' }).allowed).toBe(false)
    const payload = (value: Value): Value => JSON.parse(`{"${name}":${JSON.stringify(value)}}`) as Value
    const open = source.replace('{"rules":{', '{"rules":{".write":true,')
    expect(judge(open, { writes: { '/': payload(1) } }).allowed).toBe(true)
    expect(judge(open, { writes: { '/': payload('x') } }).allowed).toBe(false)
    expect(judge(open, { writes: { '/': { other: 'x' } } }).allowed).toBe(true)
  })

  test.each(NAMES)('%s as a child and as a member of auth', (name) => {
    expect(write(`newData.child('${name}').exists()`, { a: 1 }).allowed).toBe(false)
    expect(write(`newData.child('${name}').val() == 1`, JSON.parse(`{"${name}":1}`) as Value).allowed).toBe(true)
    expect(write(`auth.${name} == null && auth['${name}'] == null && auth.uid.${name} == null`, 1).allowed).toBe(true)
    const auth = JSON.parse(`{"${name}":{"x":"own"}}`) as Record<string, unknown>
    const rules = JSON.stringify({ rules: { '.read': `auth.${name}.x == 'own'` } })
    expect(judge(rules, { read: '/', auth }).allowed).toBe(true)
  })

  test('members of auth that are no JSON are null', () => {
    const rules = JSON.stringify({ rules: { '.read': 'auth.f == null && auth.u == null && auth.b == null' } })
    expect(judge(rules, { read: '/', auth: { f: () => true, u: undefined, b: 1n } }).allowed).toBe(true)
  })
})
