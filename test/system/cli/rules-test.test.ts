import { describe, expect, test } from 'bun:test'
import { parseCases } from '../../../src/cli/rules/cases.ts'
import { runCases } from '../../../src/cli/rules/test.ts'
import { RuleCache } from '../../../src/database/access/rule-cache.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { dhole, MAIN, type Ran, type Surroundings } from './dhole.ts'

const RULES = `{"rules": {
  "users": {
    "$u": {
      ".read": "$u === auth.uid",
      ".write": "$u === auth.uid",
      ".validate": "newData.hasChildren(['name'])",
      "age": {".validate": "newData.isNumber() && newData.val() >= 0"},
      "seen": {".validate": "newData.val() === now"},
      "visits": {".validate": "newData.val() === (data.exists() ? data.val() : 0) + 1"}
    }
  },
  "list": {
    ".read": "query.orderByKey && query.limitToFirst <= 10 || query.orderByChild === 'a/b' && query.equalTo === 3",
    ".write": "newData.getPriority() === null || newData.getPriority() > data.getPriority()",
    "2": {".read": "data.val() === 'c'"}
  },
  "log": {"$id": {".write": "!data.exists() && $id.length === 20"}},
  "admin": {".read": "auth.token.role === 'chief'"}
}}`

const DATA = { users: { ann: { name: 'Ann', visits: 4 } }, list: ['a', 'b', 'c'] }
const ann = { uid: 'ann', token: { role: 'chief' } }

/** Runs a table against \`RULES\`. */
async function tried(table: unknown, flags: readonly string[] = [], surroundings: Surroundings = {}): Promise<Ran> {
  await using dir = await tempDir()
  const [rules, cases] = [dir.file('rules.json'), dir.file('cases.json')]
  await Bun.write(rules, RULES)
  await Bun.write(cases, typeof table === 'string' ? table : JSON.stringify(table))
  const { status, out, err } = await dhole(['rules', 'test', rules, cases, ...flags], surroundings)
  return { status, out, err: err.replaceAll(cases, 'CASES').replaceAll(rules, 'RULES') }
}

/** Each of them must come out as it says. */
const passing: readonly Readonly<Record<string, unknown>>[] = [
  { auth: ann, path: '/users/ann', operation: 'read', expect: 'allow' },
  { auth: ann, path: 'users/ann/', operation: 'read', expect: 'allow' },
  { auth: { uid: 'bob' }, path: '/users/ann', operation: 'read', expect: 'deny' },
  { auth: null, path: '/users/ann', operation: 'read', expect: 'deny' },
  { auth: ann, path: '/users', operation: 'read', expect: 'deny' },
  { auth: ann, path: '/', operation: 'read', expect: 'deny' },
  { auth: ann, path: '/admin', operation: 'read', expect: 'allow' },
  { auth: {}, path: '/admin', operation: 'read', expect: 'deny' },
  { auth: ann, path: '/users/ann', operation: 'put', data: { name: 'A' }, expect: 'allow' },
  { auth: ann, path: '/users/ann', operation: 'put', data: { age: 1 }, expect: 'deny' },
  { auth: ann, path: '/users/ann', operation: 'put', data: null, expect: 'allow' },
  { auth: ann, path: '/users/ann', operation: 'delete', expect: 'allow' },
  { auth: ann, path: '/users/ann/name', operation: 'delete', expect: 'deny' },
  { auth: ann, path: '/users/ann', operation: 'patch', data: { age: 3 }, expect: 'allow' },
  { auth: ann, path: '/users/ann', operation: 'patch', data: { age: -3 }, expect: 'deny' },
  { auth: ann, path: '/users', operation: 'patch', data: { 'ann/age': 3 }, expect: 'allow' },
  { auth: ann, path: '/users', operation: 'patch', data: { 'ann/age': 3, bob: null }, expect: 'deny' },
  { auth: null, path: '/users', operation: 'patch', data: {}, expect: 'allow' },
  { auth: ann, path: '/users/ann', operation: 'patch', data: null, expect: 'allow' },
  { auth: ann, path: '/users/ann/age', operation: 'put', data: 8, given: null, expect: 'deny' },
  {
    auth: ann,
    path: '/users/ann/age',
    operation: 'put',
    data: 8,
    given: { users: { ann: { name: 1 } } },
    expect: 'allow',
  },
  // Server values.
  { auth: ann, path: '/users/ann/seen', operation: 'put', data: { '.sv': 'timestamp' }, expect: 'allow' },
  { auth: ann, path: '/users/ann/seen', operation: 'put', data: 7, now: 7, expect: 'allow' },
  { auth: ann, path: '/users/ann/seen', operation: 'put', data: 7, now: 8, expect: 'deny' },
  { auth: ann, path: '/users/ann', operation: 'patch', data: { visits: { '.sv': { increment: 1 } } }, expect: 'allow' },
  { auth: ann, path: '/users/ann', operation: 'patch', data: { visits: { '.sv': { increment: 2 } } }, expect: 'deny' },
  // Queries.
  { auth: null, path: '/list', operation: 'read', expect: 'deny' },
  { auth: null, path: '/list', operation: 'read', query: { orderBy: '$key', limitToFirst: 10 }, expect: 'allow' },
  { auth: null, path: '/list', operation: 'read', query: { orderBy: '$key', limitToFirst: 11 }, expect: 'deny' },
  { auth: null, path: '/list', operation: 'read', query: { orderBy: '$value', limitToFirst: 1 }, expect: 'deny' },
  { auth: null, path: '/list', operation: 'read', query: { orderBy: 'a/b', equalTo: 3 }, expect: 'allow' },
  { auth: null, path: '/list', operation: 'read', query: { orderBy: 'a/b', startAt: 3, endAt: 3 }, expect: 'deny' },
  // Arrays and priorities.
  { auth: null, path: '/list/2', operation: 'read', expect: 'allow' },
  { auth: null, path: '/list/2', operation: 'read', given: { list: { 2: 'c' } }, expect: 'allow' },
  { auth: null, path: '/list/2/.priority', operation: 'read', expect: 'allow' },
  { auth: null, path: '/list', operation: 'put', data: { a: 1, '.priority': 2 }, expect: 'deny' },
  {
    ...{ auth: null, path: '/list/.priority', operation: 'put', data: 2, expect: 'allow' },
    given: { list: { '.value': 1, '.priority': 1 } },
  },
  {
    ...{ auth: null, path: '/list/.priority', operation: 'put', data: 2, expect: 'deny' },
    given: { list: { '.value': 1, '.priority': 3 } },
  },
  // Generated keys.
  { auth: null, path: '/log', operation: 'post', data: 'x', expect: 'allow' },
  { auth: null, path: '/log/short', operation: 'put', data: 'x', expect: 'deny' },
  { auth: null, path: '/elsewhere', operation: 'post', data: 'x', expect: 'deny' },
]

test('what the server decides, without a server', async () => {
  const { status, out, err } = await tried({ data: DATA, cases: passing })
  expect(out.split('\n').filter((line) => !line.startsWith('ok '))).toEqual([`${passing.length} passed, 0 failed`, ''])
  expect([status, err]).toEqual([0, ''])
})

const cases = [
  { name: 'ann sees herself', auth: ann, path: '/users/ann', operation: 'read', expect: 'allow' },
  { name: 'bob sees ann', auth: { uid: 'bob' }, path: '/users/ann', operation: 'read', expect: 'allow' },
  { auth: ann, path: '/users/ann/age', operation: 'put', data: -1, expect: 'allow' },
  { auth: { admin: true }, path: '/admin', operation: 'read', expect: 'deny' },
]

const LINES = [
  'ok 1 ann sees herself',
  'failed 2 bob sees ann: expected allow, the rules say deny',
  '    /users/$u .read: "$u === auth.uid" is false',
  'failed 3 put /users/ann/age as ann: expected allow, the rules say deny',
  '    /users/$u .write: "$u === auth.uid" is true',
  `    /users/$u .validate: "newData.hasChildren(['name'])" is true`,
  '    /users/$u/age .validate: "newData.isNumber() && newData.val() >= 0" is false',
  'ok 4 read /admin as {"admin":true}',
  '2 passed, 2 failed',
  '',
]

describe('failed cases', () => {
  test('show what the rules said', async () => {
    const { status, out } = await tried({ data: DATA, cases })
    expect(status).toBe(1)
    expect(out.split('\n')).toEqual(LINES)
  })

  test('in colours where they are wanted', async () => {
    const { out } = await tried({ data: DATA, cases }, [], { env: { FORCE_COLOR: '1' } })
    expect(out).toContain('\u001b[32mok\u001b[39m 1 ann sees herself\n')
    expect(out).toContain('\u001b[31mfailed\u001b[39m 2 bob sees ann')
    expect(Bun.stripANSI(out).split('\n')).toEqual(LINES)
  })

  test('in JSON, without colours', async () => {
    const { status, out } = await tried({ data: DATA, cases }, ['--json'], { env: { FORCE_COLOR: '1' } })
    expect(status).toBe(1)
    const results = JSON.parse(out) as { cases: readonly unknown[] }
    expect(results).toMatchObject({ passed: 2, failed: 2 })
    expect(results.cases[1]).toEqual({
      ...{ case: 2, name: 'bob sees ann', auth: { uid: 'bob' }, path: '/users/ann', operation: 'read' },
      ...{ expect: 'allow', verdict: 'deny', passed: false },
      trace: ['/users/$u .read: "$u === auth.uid" is false'],
    })
  })
})

test('a bare list begins from an empty tree; names stay on their line', async () => {
  const list = [{ name: 'a\n\u001b[31mb', auth: null, path: '/log/x', operation: 'put', data: 1, expect: 'deny' }]
  const { status, out } = await tried(list)
  expect([status, out]).toEqual([0, 'ok 1 a\\u000a\\u001b[31mb\n1 passed, 0 failed\n'])
})

const row = { auth: null, path: '/a', operation: 'read', expect: 'deny' }
const put = { ...row, operation: 'put', data: 1 }

const NO_TABLE = 'expected {"data": …, "cases": […]} or a list of cases, with at least one case'

const wrong: readonly (readonly [what: string, table: unknown, says: string])[] = [
  ['a number', 7, NO_TABLE],
  ['no cases', { cases: [] }, NO_TABLE],
  ['an empty list', [], NO_TABLE],
  ['a member too many', { cases: [row], dates: 1 }, NO_TABLE],
  ['a case that is none', [row, 7], 'case 2: expected an object'],
  ['no expectation', [{ ...row, expect: undefined }], 'case 1: expect: expected "allow" or "deny"'],
  [
    'another expectation',
    [row, { ...row, name: 'x', expect: 'yes' }],
    'case 2 "x": expect: expected "allow" or "deny"',
  ],
  ['no auth', [{ ...row, auth: undefined }], 'case 1: auth: expected null or an object such as {"uid": "ann"}'],
  ['auth that is a name', [{ ...row, auth: 'ann' }], 'case 1: auth: expected null or an object such as {"uid": "ann"}'],
  ['auth that is a list', [{ ...row, auth: [] }], 'case 1: auth: expected null or an object such as {"uid": "ann"}'],
  [
    'another operation',
    [{ ...row, operation: 'GET' }],
    'case 1: operation: expected one of read, put, patch, post, delete',
  ],
  ['an unknown member', [{ ...row, exepct: 1 }], 'case 1: "exepct" is no known member'],
  [
    'a member of prototypes',
    `[{"__proto__":1,${JSON.stringify(row).slice(1)}]`,
    'case 1: "__proto__" is no known member',
  ],
  ['a name that is a number', [{ ...row, name: 1 }], 'case 1: name: expected a string'],
  ['no path', [{ ...row, path: undefined }], 'case 1: path: expected a path such as "/users/ann"'],
  ['an illegal path', [{ ...row, path: '/a.json' }], 'case 1: path: Invalid path: Invalid token in path.'],
  ['half a millisecond', [{ ...row, now: 0.5 }], 'case 1: now: expected a time in whole milliseconds since 1970'],
  ['a put of nothing', [{ ...put, data: undefined }], 'case 1: data: expected JSON, as this is a put'],
  ['a read of something', [{ ...row, data: 1 }], 'case 1: data: nothing is sent with a read'],
  ['a put with a query', [{ ...put, query: { orderBy: '$key' } }], 'case 1: query: only a read has one'],
  [
    'a query without order',
    [{ ...row, query: { limitToFirst: 1 } }],
    'case 1: query: expected an object such as {"orderBy": "$key", "limitToFirst": 10}',
  ],
  [
    'a query by nothing',
    [{ ...row, query: { orderBy: '' } }],
    'case 1: query: orderBy must be a valid JSON encoded path',
  ],
  [
    'no limit',
    [{ ...row, query: { orderBy: '$key', limitToFirst: 0 } }],
    'case 1: query: limitToFirst must be positive',
  ],
  [
    'data with an illegal key',
    [{ ...put, data: { 'a.b': 1 } }],
    "case 1: data: Invalid data; couldn't parse key. Key value can't be empty or contain $ # [ ] / or .",
  ],
  [
    'a patch of a number',
    [{ ...put, operation: 'patch' }],
    "case 1: data: Invalid data; couldn't parse JSON object. Are you sending a JSON object with valid key names?",
  ],
  [
    'a post to a priority',
    [{ ...put, operation: 'post', path: '/a/.priority' }],
    "case 1: data: Patch and Post Method can't handle path end with '.priority'",
  ],
  [
    'an illegal tree',
    [{ ...row, given: { $a: 1 } }],
    "case 1: given: Invalid data; couldn't parse key. Key value can't be empty or contain $ # [ ] / or .",
  ],
  [
    'a tree with server values',
    { data: { a: { '.sv': 'timestamp' } }, cases: [row] },
    'data: a stored tree holds no server values',
  ],
  [
    'a priority of nothing',
    [{ ...put, path: '/users/ann/.priority', auth: ann }],
    'case 1: data: Could not set priority on non-existent node',
  ],
]

test.each(wrong)('no table: %s', (_, table, says) => {
  const json = JSON.parse(typeof table === 'string' ? table : JSON.stringify(table)) as unknown
  expect(() => runCases(new RuleCache(RULES), parseCases(json), 0)).toThrow(new Error(says))
})

test.each([
  ['no JSON', '[\n{]', 'CASES:2:2: not JSON\n  {]\n   ^'],
  ['nothing', '', 'CASES:1:1: not JSON'],
  ['a wrong case', [row, 7], 'CASES: case 2: expected an object'],
  ['no cases', { cases: [] }, `CASES: ${NO_TABLE}`],
])('says so and tries nothing: %s', async (_, table, says) => {
  expect(await tried(table)).toEqual({ status: 2, out: '', err: `dhole: ${says}\n` })
})

test('either file is standard input, not both', async () => {
  await using dir = await tempDir()
  const [rules, table] = [dir.file('rules.json'), dir.file('cases.json')]
  await Bun.write(rules, RULES)
  await Bun.write(table, JSON.stringify([row]))
  const passed = { status: 0, out: 'ok 1 read /a as nobody\n1 passed, 0 failed\n', err: '' }
  expect(await dhole(['rules', 'test', '-', table], { stdin: RULES })).toEqual(passed)
  expect(await dhole(['rules', 'test', rules, '-'], { stdin: JSON.stringify([row]) })).toEqual(passed)
  const both = await dhole(['rules', 'test', '-', '-'], { stdin: RULES })
  expect(both).toEqual({ status: 2, out: '', err: 'dhole: only one file can be standard input\n' })
})

test('wrong rules test nothing', async () => {
  await using dir = await tempDir()
  const table = dir.file('cases.json')
  await Bun.write(table, JSON.stringify([row]))
  const { status, out, err } = await dhole(['rules', 'test', '-', table], { stdin: '{"rules":{".read":"foo"}}' })
  expect([status, out]).toEqual([2, ''])
  expect(err).toMatch(/^dhole: <stdin>:1:20: .*foo.*\n {2}\{"rules":\{"\.read":"foo"\}\}\n {21}\^\n$/)
})

test('whoever stops reading has seen enough', async () => {
  await using dir = await tempDir()
  const [rules, table] = [dir.file('rules.json'), dir.file('cases.json')]
  await Bun.write(rules, RULES)
  await Bun.write(table, JSON.stringify(Array.from({ length: 5000 }, () => ({ ...row, name: 'x'.repeat(100) }))))
  const shell = Bun.spawn(
    ['sh', '-c', '"$0" "$1" rules test "$2" "$3" | head -n 1', process.execPath, MAIN, rules, table],
    {
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  const [out, err] = await Promise.all([shell.stdout.text(), shell.stderr.text()])
  expect([out, err]).toEqual([`ok 1 ${'x'.repeat(100)}\n`, ''])
})
