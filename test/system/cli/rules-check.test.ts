import { expect, test } from 'bun:test'
import { tempDir } from '../../support/temp-dir.ts'
import { dhole } from './dhole.ts'

/** Checks a source that comes on standard input. */
function check(source: string | Uint8Array, ...flags: readonly string[]) {
  return dhole(['rules', 'check', '-', ...flags], { stdin: source })
}

const good: readonly (readonly [what: string, source: string, counts: string])[] = [
  ['no rules at all', '{"rules":{}}', '1 node, 0 rules, 0 indexes'],
  ['open to all', '{"rules":{".read":true,".write":true}}', '1 node, 2 rules, 0 indexes'],
  [
    'comments, wildcards, indexes and a text over two lines',
    `{
  // who may
  "rules": {
    "users": { ".indexOn": ["name", ".value"],
      "$u": { ".read": "$u === auth.uid
        || auth.admin === true", /* all of it */ ".validate": "newData.exists()" } },
    "list": { ".indexOn": "age" }
  }
}`,
    '4 nodes, 2 rules, 3 indexes',
  ],
  [
    'Windows lines and a byte order mark',
    '\uFEFF{\r\n"rules": {".read": "true"}\r\n}\r\n',
    '1 node, 1 rule, 0 indexes',
  ],
  ['names of prototypes', '{"rules":{"constructor":{"__proto__":{".read":true}}}}', '3 nodes, 1 rule, 0 indexes'],
]

test.each(good)('takes %s', async (_, source, counts) => {
  expect(await check(source)).toEqual({ status: 0, out: `<stdin>: ok, ${counts}\n`, err: '' })
})

interface Bad {
  readonly name: string
  readonly source: string
  /** `LINE:COLUMN`. */
  readonly place: string
  /** What the reason says. */
  readonly why: RegExp
  /** The line of the source as shown, and the one with the caret. */
  readonly shown?: readonly [line: string, caret: string]
}

const bad: readonly Bad[] = [
  {
    name: 'an unknown name',
    source: '{\n  "rules": {\n    ".read": "auth != null && foo"\n  }\n}',
    place: '3:31',
    why: /foo/,
    shown: ['      ".read": "auth != null && foo"', '                                ^'],
  },
  {
    name: 'one behind an escape',
    source: '{"rules":{".read":"\\"a\\" == foo"}}',
    place: '1:29',
    why: /foo/,
    shown: ['  {"rules":{".read":"\\"a\\" == foo"}}', '                              ^'],
  },
  {
    name: 'one on the second line of an expression',
    source: '{"rules":{".read":"true\n  && foo"}}',
    place: '2:6',
    why: /foo/,
    shown: ['    && foo"}}', '       ^'],
  },
  {
    name: 'a tab before it',
    source: '{"rules":{\n\t".read":\t"foo"}}',
    place: '2:12',
    why: /foo/,
    shown: ['  \t".read":\t"foo"}}', '  \t        \t ^'],
  },
  {
    name: 'wide characters before it',
    source: '{"rules":{\n"野狗":{".read":"foo"}}}',
    place: '2:16',
    why: /foo/,
    shown: ['  "野狗":{".read":"foo"}}}', '                   ^'],
  },
  {
    name: 'a line too long to show',
    source: `{"rules":{".read":"${'true && '.repeat(100)}foo"}}`,
    place: '1:820',
    why: /foo/,
    shown: [`  ${' && true'.repeat(7)} && foo"}}`, `${' '.repeat(62)}^`],
  },
  { name: 'Windows lines', source: '{\r\n"rules":{\r\n".read":"foo"}}', place: '3:10', why: /foo/ },
  { name: 'a rule that is no boolean', source: '{"rules":{".read":"7"}}', place: '1:20', why: /boolean/ },
  { name: 'a rule that is a number', source: '{"rules":{\n".read":7}}', place: '2:9', why: /./ },
  { name: 'an unknown member', source: '{"rules":{\n".reed":true}}', place: '2:1', why: /reed/ },
  { name: 'newData in .read', source: '{"rules":{".read":"newData.exists()"}}', place: '1:20', why: /newData/ },
  { name: 'a call of nothing', source: '{"rules":{".read":"eval(\'1\')"}}', place: '1:20', why: /./ },
  { name: 'half an expression', source: '{"rules":{".read":"true &&"}}', place: '1:27', why: /./ },
  { name: 'a trailing comma', source: '{"rules":{\n".read":true,}}', place: '2:14', why: /JSON/ },
  { name: 'a key twice', source: '{"rules":{"a":{},\n"a":{}}}', place: '2:1', why: /a/ },
  { name: 'another top', source: '{"rulez":{}}', place: '1:2', why: /rulez|rules/ },
  { name: 'nothing', source: '', place: '1:1', why: /JSON/ },
  { name: 'two wildcards', source: '{"rules":{"$a":{},\n"$b":{}}}', place: '2:1', why: /./ },
]

test.each(bad)('refuses $name', async ({ source, place, why, shown }) => {
  const { status, out, err } = await check(source)
  expect([status, err]).toEqual([1, ''])
  const [heading = '', ...below] = out.trimEnd().split('\n')
  expect(heading).toStartWith(`<stdin>:${place}: `)
  expect(heading).toMatch(why)
  if (shown) expect(below).toEqual([...shown])
})

const asJson: readonly (readonly [what: string, source: string, errcode: number, line: number, column: number])[] = [
  ['a wrong rule', '{"rules":{\n".read":"foo"}}', 20602, 2, 10],
  ['two wildcards', '{"rules":{"$a":{},\n"$b":{}}}', 20601, 2, 1],
]

test.each(asJson)('tells programs of %s', async (_, source, errcode, line, column) => {
  const { status, out } = await check(source, '--json')
  expect(status).toBe(1)
  expect(JSON.parse(out)).toEqual({
    ...{ file: '<stdin>', ok: false, errcode, line, column, why: expect.any(String) },
  })
})

test('names the file, and shows no control characters', async () => {
  await using dir = await tempDir()
  const file = dir.file('rules.json')
  await Bun.write(file, '{"rules":{".read":"\u001b[31mfoo"}}')
  const { status, out } = await dhole(['rules', 'check', file])
  expect(status).toBe(1)
  expect(out).toStartWith(`${file}:1:`)
  expect(out).not.toContain('\u001b')
  await Bun.write(file, '{"rules":{"a":{".write":false}}}')
  expect((await dhole(['rules', 'check', file])).out).toBe(`${file}: ok, 2 nodes, 1 rule, 0 indexes\n`)
  expect(JSON.parse((await dhole(['rules', 'check', file, '--json'])).out)).toEqual({
    ...{ file, ok: true, nodes: 2, rules: 1, indexes: 0 },
  })
})

const misuses: readonly (readonly [what: string, args: readonly string[], says: RegExp])[] = [
  ['no file', ['check'], /missing required argument 'file'/],
  [
    'a file that is not there',
    ['check', '/nowhere/rules.json'],
    /^dhole: \/nowhere\/rules\.json: cannot be read: there is no such file\n$/,
  ],
  ['a folder', ['check', '/'], /^dhole: \/: cannot be read: it is a folder\n$/],
  ['an unknown flag', ['check', '-', '--yaml'], /unknown option '--yaml'/],
  ['two files', ['check', '-', '-'], /too many arguments/],
  ['no command', [], /Usage: dhole rules/],
  ['an unknown command', ['prove', '-'], /unknown command 'prove'/],
]

test.each(misuses)('misuse: %s', async (_, args, says) => {
  const { status, out, err } = await dhole(['rules', ...args])
  expect([status, out]).toEqual([2, ''])
  expect(err).toMatch(says)
})

test('bytes that are no text are no rules', async () => {
  const { status, err } = await check(new Uint8Array([0x7b, 0xff, 0x7d]))
  expect([status, err]).toEqual([2, 'dhole: <stdin>: not UTF-8 text\n'])
})

test('help is no misuse', async () => {
  const { status, out } = await dhole(['rules', 'test', '--help'])
  expect(status).toBe(0)
  expect(out).toContain('"expect": "deny"')
})
