import { describe, expect, test } from 'bun:test'
import { DholeError } from '../../../src/error.ts'
import { drain } from '../../../src/scheduling/steps.ts'
import { print } from '../../../src/tree/json/print.ts'
import { defaultLimits, type Limits } from '../../../src/tree/limits.ts'
import { formatPath, parsePath } from '../../../src/tree/path.ts'
import { planPatch, planPut, type Write, type WritePlan } from '../../../src/tree/write.ts'

const limits: Limits = { ...defaultLimits, maxLeafBytes: 10 }

function codeOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof DholeError) return error.code
    throw error
  }
  return 'accepted'
}

function textOf(write: Write): string {
  if (write.kind === 'priority') return `${formatPath(write.path)}!${JSON.stringify(write.priority ?? null)}`
  return `${formatPath(write.path)}=${write.value === undefined ? 'null' : print(write.value, 'stored')}`
}

function textsOf(plan: WritePlan): string[] {
  return plan.writes.map(textOf)
}

/** An object nested so deep, around a leaf. */
function nested(depth: number): unknown {
  return depth === 0 ? 1 : { k: nested(depth - 1) }
}

describe('put', () => {
  test.each([
    ['/a', '1', ['/a=1']],
    ['/a', 'null', ['/a=null']],
    ['/a', '{}', ['/a=null']],
    ['/a', '[]', ['/a=null']],
    ['/a', '{"b":{"c":null},"d":[null]}', ['/a=null']],
    ['/a', '{"b":null,"c":1}', ['/a={"c":1}']],
    ['/a', '[null,{"x":null},3]', ['/a={"2":3}']],
    ['/a', '{".value":1,".priority":null}', ['/a=1']],
    ['/a', '{".value":null,".priority":1}', ['/a=null']],
    ['/a', '{".priority":1}', ['/a=null']],
    ['/a', '{".priority":1,"b":null}', ['/a=null']],
    ['/a', '{".priority":1,"b":2}', ['/a={".priority":1,"b":2}']],
    ['/a/.priority', '"p"', ['/a!"p"']],
    ['/a/.priority', 'null', ['/a!null']],
    ['/.priority', '2', ['/!2']],
    ['/', '{"__proto__":1}', ['/={"__proto__":1}']],
  ] as const)('%s %s', (path, json, writes) => {
    expect(textsOf(planPut(parsePath(path), JSON.parse(json), limits))).toEqual([...writes])
  })

  test.each([
    ['/a', '{"":1}', 'empty-key'],
    ['/a', '{"x.y":1}', 'bad-key'],
    ['/a', '{"x/y":1}', 'bad-key'],
    ['/a', '{"x\\u0000":1}', 'bad-key'],
    ['/a', '{"x\\u007f":1}', 'bad-key'],
    ['/a', '{".other":1}', 'bad-key'],
    ['/a', '1e400', 'bad-data'],
    ['/a', '"\\ud800"', 'bad-data'],
    ['/a', '{"\\ud800":1}', 'bad-data'],
    ['/a', '{".value":1,"b":1}', 'bad-data'],
    ['/a', '{".value":{"b":1}}', 'bad-data'],
    ['/a', '{".sv":"other"}', 'bad-server-value'],
    ['/a', '{".sv":"timestamp","b":1}', 'bad-server-value'],
    ['/a', '{"b":1,".priority":true}', 'priority-boolean'],
    ['/a', '{"b":1,".priority":{}}', 'priority-type'],
    ['/a/.priority', 'true', 'priority-boolean'],
    ['/a/.priority', '[1]', 'priority-type'],
    ['/a', '"eleven char"', 'leaf-too-big'],
    ['/a', '"ten charac"', 'accepted'],
    ['/a', '"ééééé"', 'accepted'],
    ['/a', '"éééééé"', 'leaf-too-big'],
    ['/a', `{"${'k'.repeat(769)}":1}`, 'key-too-long'],
    ['/', `{"${'k'.repeat(767)}":1}`, 'accepted'],
    ['/a', `{"${'k'.repeat(767)}":1}`, 'key-too-long'],
    ['/', JSON.stringify(nested(32)), 'accepted'],
    ['/', JSON.stringify(nested(33)), 'too-deep'],
    ['/a', JSON.stringify(nested(31)), 'accepted'],
    ['/a', JSON.stringify(nested(32)), 'too-deep'],
  ] as const)('%s %s: %s', (path, json, code) => {
    expect(codeOf(() => planPut(parsePath(path), JSON.parse(json), limits))).toBe(code)
  })
})

describe('patch', () => {
  test.each([
    ['{}', []],
    ['{"b":1,"c":2}', ['/a/b=1', '/a/c=2']],
    ['{"b/c":1,"/d//e/":2}', ['/a/b/c=1', '/a/d/e=2']],
    // Set before deleted: what the request fills again never was empty, so it keeps its priority.
    ['{"b":null,"c":2}', ['/a/c=2', '/a/b=null']],
    ['{".priority":3,"b":1}', ['/a/b=1', '/a!3']],
    ['{"b/.priority":null,"c":null}', ['/a/c=null', '/a/b!null']],
    ['{"b":1,"bb":2,"b c":3}', ['/a/b=1', '/a/bb=2', '/a/b c=3']],
  ] as const)('%s', (json, writes) => {
    expect(textsOf(planPatch(['a'], JSON.parse(json), limits))).toEqual([...writes])
  })

  test.each([
    ['1', 'bad-patch'],
    ['[1]', 'bad-patch'],
    ['"x"', 'bad-patch'],
    ['{"/":1}', 'empty-key'],
    ['{"":1}', 'empty-key'],
    ['{"b/.value":1}', 'bad-key'],
    ['{".priority/b":1}', 'bad-key'],
    ['{"b":1,"b/c":2}', 'bad-parameter'],
    ['{"b/c":2,"b":1}', 'bad-parameter'],
    ['{"b":1,"b c":1,"b/c":1}', 'bad-parameter'],
    ['{"b":1,"b!":1,"b-":1,"b/c/d":1}', 'bad-parameter'],
    ['{"a/b":1,"/a/b/":2}', 'bad-parameter'],
    ['{"b":1,"b/.priority":2}', 'bad-parameter'],
    ['{"b/c":1,"b/.priority":2}', 'accepted'],
    ['{"b/c":1,"b/d":2}', 'accepted'],
    ['{"b/c":1,"bc":2,"b/cc":3}', 'accepted'],
  ] as const)('%s: %s', (json, code) => {
    expect(codeOf(() => planPatch(['a'], JSON.parse(json), limits))).toBe(code)
  })
})

describe('server values', () => {
  const source = {
    now: 1000,
    old: new Map([
      ['/a/n', 5],
      ['/a/.priority', 2],
    ]),
  }

  test.each([
    ['/a', '{".sv":"timestamp"}', ['/a=1000']],
    ['/a', '{"b":[{".sv":"timestamp"}],"c":1}', ['/a={"b":[1000],"c":1}']],
    ['/a', '{"n":{".sv":{"increment":-1.5}}}', ['/a={"n":3.5}']],
    ['/a', '{"m":{".sv":{"increment":2}}}', ['/a={"m":2}']],
    [
      '/a/n',
      '{".value":{".sv":{"increment":1}},".priority":{".sv":"timestamp"}}',
      ['/a/n={".priority":1000,".value":6}'],
    ],
    ['/a', '{"__proto__":{".sv":"timestamp"}}', ['/a={"__proto__":1000}']],
    ['/a/.priority', '{".sv":"timestamp"}', ['/a!1000']],
    ['/a/.priority', '{".sv":{"increment":1}}', ['/a!3']],
  ] as const)('%s %s', (path, json, writes) => {
    const plan = planPut(parsePath(path), JSON.parse(json), limits)
    expect(plan.serverValues.length).toBeGreaterThan(0)
    expect(textsOf(drain(plan.resolve(source)))).toEqual([...writes])
  })

  test('of a patch are found at their own paths', () => {
    const plan = planPatch([], JSON.parse('{"a/n":{".sv":{"increment":1}},"t":{".sv":"timestamp"}}'), limits)
    expect(plan.serverValues.map((use) => formatPath(use.path))).toEqual(['/a/n', '/t'])
    expect(textsOf(drain(plan.resolve(source)))).toEqual(['/a/n=6', '/t=1000'])
    expect(JSON.stringify(drain(plan.resolve(source)).json)).toBe('{"a/n":6,"t":1000}')
  })

  test('must stay finite', () => {
    const plan = planPut(['a', 'n'], JSON.parse('{".sv":{"increment":1.7e308}}'), limits)
    const old = new Map([['/a/n', 1.7e308]])
    expect(codeOf(() => drain(plan.resolve({ now: 0, old })))).toBe('bad-data')
  })
})
