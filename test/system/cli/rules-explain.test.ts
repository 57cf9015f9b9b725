import { describe, expect, test } from 'bun:test'
import { tempDir } from '../../support/temp-dir.ts'
import { dhole, type Surroundings } from './dhole.ts'

const RULES = `{"rules": {
  "users": {
    "$u": {
      ".read": "$u === auth.uid",
      ".write": "$u === auth.uid",
      ".validate": "newData.hasChildren(['name'])"
    }
  },
  "old": {".write": "newData.val() < now"},
  "sum": {".read": "auth.x + 1 > 0"},
  "few": {".read": "query.limitToLast === 2"},
  "big": {".read": "data.val().contains(data.val())"},
  "list": {"1": {".read": "data.val() === 'b' && data.getPriority() === 5"}}
}}`

/** Explains an attempt against \`RULES\`, which come on standard input. */
function explain(flags: readonly string[], surroundings: Surroundings = {}) {
  return dhole(['rules', 'explain', '-', ...flags], { stdin: RULES, ...surroundings })
}

const ann = ['--auth', '{"uid":"ann"}']
const put = ['--operation', 'put', '--data']

const rows: readonly (readonly [what: string, flags: readonly string[], allowed: boolean, lines: readonly string[]])[] =
  [
    [
      'who may read',
      ['--path', '/users/ann', ...ann],
      true,
      ['read /users/ann as ann', '/users/$u .read: "$u === auth.uid" is true'],
    ],
    [
      'nobody may',
      ['--path', '/users/ann'],
      false,
      ['read /users/ann as nobody', '/users/$u .read: "$u === auth.uid" is false'],
    ],
    ['no rule', ['--path', '/else/where'], false, ['read /else/where as nobody', '/else/where .read: no rule']],
    [
      'a write that is not valid',
      ['--path', '/users/ann', ...ann, ...put, '{"age":1}'],
      false,
      [
        'put /users/ann as ann',
        '/users/$u .write: "$u === auth.uid" is true',
        `/users/$u .validate: "newData.hasChildren(['name'])" is false`,
      ],
    ],
    [
      'one that is',
      ['--path', '/users/ann', ...ann, '--operation', 'patch', '--data', '{"name":1}'],
      true,
      [
        'patch /users/ann as ann',
        '/users/$u .write: "$u === auth.uid" is true',
        `/users/$u .validate: "newData.hasChildren(['name'])" is true`,
      ],
    ],
    [
      'a delete',
      ['--path', '/users/ann', ...ann, '--operation', 'delete'],
      true,
      ['delete /users/ann as ann', '/users/$u .write: "$u === auth.uid" is true'],
    ],
    [
      'a rule that fails',
      ['--path', '/sum', '--auth', '{"x":null}'],
      false,
      ['read /sum as {"x":null}', '/sum .read: "auth.x + 1 > 0" failed: + needs numbers or strings (line 10)'],
    ],
    [
      'a time',
      ['--path', '/old', ...put, '7', '--now', '8'],
      true,
      ['put /old as nobody', '/old .write: "newData.val() < now" is true'],
    ],
    [
      'the same time',
      ['--path', '/old', ...put, '{".sv":"timestamp"}', '--now', '8'],
      false,
      ['put /old as nobody', '/old .write: "newData.val() < now" is false'],
    ],
    [
      'a query',
      ['--path', '/few', '--query', '{"orderBy":"a","limitToLast":2}'],
      true,
      ['read /few as nobody', '/few .read: "query.limitToLast === 2" is true'],
    ],
    [
      'an empty patch',
      ['--path', '/users', '--operation', 'patch', '--data', '{}'],
      true,
      ['patch /users as nobody', 'nothing is written: no rule is asked'],
    ],
  ]

test.each(rows)('%s', async (_, flags, allowed, [heading, ...trace]) => {
  const { status, out, err } = await explain(flags)
  const verdict = allowed ? 'allowed' : 'denied'
  expect(out.split('\n')).toEqual([`${verdict}: ${heading}`, ...trace.map((line) => `  ${line}`), ''])
  expect([status, err]).toEqual([allowed ? 0 : 1, ''])
})

describe('with a tree', () => {
  async function explainOn(tree: string, flags: readonly string[]) {
    await using dir = await tempDir()
    await Bun.write(dir.file('tree.json'), tree)
    const { status, out, err } = await explain([...flags, '--tree', dir.file('tree.json')])
    return { status, out, err: err.replaceAll(dir.file('tree.json'), 'TREE') }
  }

  test('arrays and priorities are what they are to the server', async () => {
    const tree = JSON.stringify({ list: ['a', { '.value': 'b', '.priority': 5 }] })
    expect((await explainOn(tree, ['--path', '/list/1'])).status).toBe(0)
    expect((await explainOn('{"list":["a","b"]}', ['--path', '/list/1'])).status).toBe(1)
  })

  test('a rule that is too dear is false', async () => {
    const { status, out } = await explainOn(JSON.stringify({ big: 'ab'.repeat(50_000) }), ['--path', '/big'])
    expect([status, out]).toEqual([
      1,
      'denied: read /big as nobody\n  /big .read: "data.val().contains(data.val())" failed: too costly (line 12)\n',
    ])
  })

  test('no tree', async () => {
    expect(await explainOn('{"a":', ['--path', '/'])).toMatchObject({
      status: 2,
      err: expect.stringMatching(/^dhole: TREE:1:\d: not JSON/),
    })
    expect(await explainOn('{"$":1}', ['--path', '/'])).toMatchObject({
      status: 2,
      err: expect.stringMatching(/^dhole: TREE: Invalid data/),
    })
  })
})

const misuses: readonly (readonly [what: string, flags: readonly string[], says: string])[] = [
  ['no path', [], "dhole: required option '--path <path>' not specified"],
  ['an illegal path', ['--path', '/a.b'], 'dhole: --path: Invalid path: Invalid token in path.'],
  ['no JSON', ['--path', '/', '--auth', 'ann'], 'dhole: --auth: not JSON: ann'],
  ['no auth', ['--path', '/', '--auth', '"ann"'], 'dhole: --auth: expected null or an object such as {"uid": "ann"}'],
  [
    'no operation',
    ['--path', '/', '--operation', 'get'],
    'dhole: --operation: expected one of read, put, patch, post, delete',
  ],
  ['no data', ['--path', '/', '--operation', 'post'], 'dhole: --data: expected JSON, as this is a post'],
  ['data to read', ['--path', '/', '--data', '1'], 'dhole: --data: nothing is sent with a read'],
  ['no time', ['--path', '/', '--now', '-1'], 'dhole: --now: expected a time in whole milliseconds since 1970'],
  ['a time in words', ['--path', '/', '--now', 'noon'], 'dhole: --now: not JSON: noon'],
  [
    'half a query',
    ['--path', '/', '--query', '{"limitToFirst":1}'],
    'dhole: --query: expected an object such as {"orderBy": "$key", "limitToFirst": 10}',
  ],
  ['a tree that is the rules', ['--path', '/', '--tree', '-'], 'dhole: only one file can be standard input'],
]

test.each(misuses)('misuse: %s', async (_, flags, says) => {
  expect(await explain(flags)).toEqual({ status: 2, out: '', err: `${says}\n` })
})

test('wrong rules explain nothing', async () => {
  const { status, out, err } = await explain(['--path', '/'], { stdin: '{"rules":7}' })
  expect([status, out]).toEqual([2, ''])
  expect(err).toStartWith('dhole: <stdin>:1:')
})

test('in colours where they are wanted', async () => {
  const env = { FORCE_COLOR: '1' }
  expect((await explain(['--path', '/users/ann', ...ann], { env })).out).toStartWith(
    '\u001b[32mallowed\u001b[39m: read',
  )
  expect((await explain(['--path', '/users/ann'], { env })).out).toStartWith('\u001b[31mdenied\u001b[39m: read')
})
