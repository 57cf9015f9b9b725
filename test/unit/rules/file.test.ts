import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseRules } from '../../../src/rules/file/rule-set.ts'
import { judge } from './driver.ts'

describe('the file', () => {
  test.each([
    ['{"rules":{}}', '{"rules":{}}'],
    ['\uFEFF{"rules":{}}', '{"rules":{}}'],
    [' {\n "rules" : { }\r\n}\n', ' {\n "rules" : { }\r\n}\n'],
    ['// a\n{"rules":{}}', '\n{"rules":{}}'],
    ['{"rules":{}} // a', '{"rules":{}} '],
    ['{"rules":/* { */{/**/}}/* "', undefined],
    ['{"rules":/* { */{/**/}}/* " */', '{"rules":{}}'],
    ['{"rules":{/* a\n // b */}}', '{"rules":{}}'],
    ['{"rules":{// /*\n}}', '{"rules":{\n}}'],
    ['{"rules":{".read":"true // \' */"}}', '{"rules":{".read":"true // \' */"}}'],
    ['{"rules":{".read":"\'/*\' == \'//\'"}}', '{"rules":{".read":"\'/*\' == \'//\'"}}'],
    ['{"rules":{".read":"true\n &&\r\n\ttrue"}}', '{"rules":{".read":"true\\n &&\\r\\n\\ttrue"}}'],
    ['{"rules":{".read":"\'\\"\' == \'//\'"}}', '{"rules":{".read":"\'\\"\' == \'//\'"}}'],
    ['{"rules":{".read":"\'\\"\' == \'a\'"}}', '{"rules":{".read":"\'\\"\' == \'a\'"}}'],
  ])('%j is %j as JSON', (source, strict) => {
    if (strict === undefined) expect(() => parseRules(source)).toThrow()
    else {
      const rules = parseRules(source)
      expect(rules.source).toBe(source)
      expect(rules.strict).toBe(strict)
      JSON.parse(rules.strict)
    }
  })

  test('an expression may go over several lines', () => {
    const source = '{"rules":{".read":"auth != null\n  && // who\n auth.uid == \'ann\'"}}'
    expect(judge(source, { read: '/', auth: { uid: 'ann' } }).allowed).toBe(true)
    expect(judge(source, { read: '/', auth: { uid: 'bob' } }).allowed).toBe(false)
  })

  test('comments between all its parts do not change what it says', () => {
    const filler = fc.constantFrom(
      '',
      ' ',
      '\n',
      '\r\n',
      '\t',
      '/**/',
      '/* "{ */',
      '// }"\n',
      '/*//*/',
      '//\n',
      '/***/',
      '// */\n',
    )
    const parts = [
      '{',
      '"rules"',
      ':',
      '{',
      '".read"',
      ':',
      '"auth != null"',
      ',',
      '"a//b"',
      ':',
      '{',
      '".indexOn"',
      ':',
      '[',
    ]
    const rest = ['"x"', ',', '"y"', ']', '}', '}', '}']
    const all = [...parts, ...rest].map((part) => part.replace('a//b', 'a'))
    fc.assert(
      fc.property(fc.array(filler, { minLength: all.length + 1, maxLength: all.length + 1 }), (fillers) => {
        const source = all.map((part, index) => (fillers[index] ?? '') + part).join('') + (fillers.at(-1) ?? '')
        const rules = parseRules(source)
        expect(JSON.parse(rules.strict)).toEqual({ rules: { '.read': 'auth != null', a: { '.indexOn': ['x', 'y'] } } })
        expect(rules.indexes).toHaveLength(2)
      }),
    )
  })

  test('any text in a string survives as JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const raw = JSON.stringify(`'${text.replace(/['\\\u2028\u2029\r\n]/g, '')}' == auth.x`)
        // What JSON escapes may stand raw.
        const source = `{"rules":{".read":${raw.replaceAll('\\t', '\t').replaceAll('\\u0001', '\u0001')}}}`
        const strict = JSON.parse(parseRules(source).strict) as { rules: Record<string, string> }
        expect(strict.rules['.read']).toBe(JSON.parse(raw))
      }),
    )
  })
})

describe('.indexOn', () => {
  const source = JSON.stringify({
    rules: {
      '.indexOn': '.value',
      dinosaurs: { '.indexOn': ['height', 'name/latin', '.priority', '$priority', '$key'] },
      users: {
        '.indexOn': [],
        ann: {},
        bob: { posts: { '.indexOn': 'likes' } },
        $user: { posts: { '.indexOn': ['$value', '/at/'] } },
      },
    },
  })

  test('is listed', () => {
    const listed = parseRules(source).indexes.map(({ list, path }) => `/${list.join('/')} ${path.join('/')}`)
    expect(listed.toSorted()).toEqual([
      '/ ',
      '/dinosaurs height',
      '/dinosaurs name/latin',
      '/users/$user/posts ',
      '/users/$user/posts at',
      '/users/bob/posts likes',
    ])
  })

  test.each([
    ['the root', [], [[]]],
    ['a list', ['dinosaurs'], [['height'], ['name', 'latin']]],
    ['a list of none', ['users'], []],
    ['a list by wildcard', ['users', 'eve', 'posts'], [[], ['at']]],
    ['a list that is named', ['users', 'bob', 'posts'], [['likes']]],
    ['a list below a key that is named', ['users', 'ann', 'posts'], []],
    ['another', ['plants'], []],
    ['below a list', ['dinosaurs', 'stego', 'parts'], []],
    ['a name that objects have', ['constructor'], []],
  ] as const)('is told of %s', (_, list, paths) => {
    expect(parseRules(source).indexesAt(list)).toEqual(paths.map((path) => ({ path, covering: false })))
  })

  test('says which indexes cover', () => {
    const indexes = (value: unknown) =>
      parseRules(JSON.stringify({ rules: { list: { '.indexOn': value } } })).indexesAt(['list'])
    expect(indexes({ child: 'h', covering: true })).toEqual([{ path: ['h'], covering: true }])
    expect(indexes(['a', { covering: true, child: '.value' }, { child: 'b/c' }, { child: '$key' }])).toEqual([
      { path: ['a'], covering: false },
      { path: [], covering: true },
      { path: ['b', 'c'], covering: false },
    ])
  })
})

describe('the trace', () => {
  test('tells the line of what failed', () => {
    const source = '{"rules":{\n".read":"true &&\n  auth.uid\n  + null == 1"}}'
    const { trace } = judge(source, { read: '/' })
    expect(trace).toEqual([
      '/ .read: "true &&\\n  auth.uid\\n  + null == 1" failed: + needs numbers or strings (line 4)',
    ])
  })

  test('tells the line of the rule itself where expressions are the same', () => {
    const source = '{"rules":{\n"a":{".read":"1 < null"},\n"b":{".read":"1 < null"}}}'
    expect(judge(source, { read: '/a' }).trace.join()).toEndWith('(line 2)')
    expect(judge(source, { read: '/b' }).trace.join()).toEndWith('(line 3)')
  })

  test('cuts long expressions and holds no data', () => {
    const expression = `newData.val() == 'secret' ${'|| 1 == 2'.repeat(50)}`
    const source = JSON.stringify({ rules: { $k: { '.write': expression } } })
    const { trace } = judge(source, { writes: { '/key': 'private' } })
    expect(trace).toHaveLength(1)
    expect(trace[0]?.length).toBeLessThan(250)
    expect(trace[0]).toStartWith("/$k .write: \"newData.val() == 'secret' || 1 == 2")
    expect(trace[0]).not.toContain('private')
  })

  test('ends somewhere', () => {
    const source = JSON.stringify({ rules: { '.write': true, $k: { '.validate': true } } })
    const children = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, 1]))
    const { trace, allowed } = judge(source, { writes: { '/': children } })
    expect(allowed).toBe(true)
    expect(trace.length).toBeLessThan(300)
    expect(trace.at(-1)).toBe('and more')
  })
})
