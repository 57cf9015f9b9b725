import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { toExport } from '../../../src/tree/json/export-text.ts'
import { memberKeys } from '../../../src/tree/json/member-keys.ts'
import { parsePayload } from '../../../src/tree/json/payload.ts'
import { parseStored, print, printKey, printWithin, toPlain } from '../../../src/tree/json/print.ts'
import { defaultLimits } from '../../../src/tree/limits.ts'
import type { Value } from '../../../src/tree/value.ts'
import { expectedKeyOrder } from '../../support/key-order.ts'
import { anyPayload } from '../../support/payloads.ts'

function treeValue(json: unknown): Value {
  const { value } = parsePayload(json, [], defaultLimits)
  if (value === undefined) throw new Error('the example holds nothing')
  return value
}

describe('the three forms', () => {
  test.each([
    ['1', '1', '1', '1'],
    ['-0', '0', '0', '0'],
    ['1.0', '1', '1', '1'],
    ['1e21', '1e+21', '1e+21', '1e+21'],
    ['5e-324', '5e-324', '5e-324', '5e-324'],
    ['"\\u0000\\"\\u2028"', '"\\u0000\\"\u2028"', '"\\u0000\\"\u2028"', '"\\u0000\\"\u2028"'],
    ['{"b":1,"a":2}', '{"a":2,"b":1}', '{"a":2,"b":1}', '{"a":2,"b":1}'],
    [
      '{"10":1,"9":2,"a":3,"-1":4}',
      '{"-1":4,"9":2,"10":1,"a":3}',
      '{"-1":4,"9":2,"10":1,"a":3}',
      '{"-1":4,"9":2,"10":1,"a":3}',
    ],
    ['["x",null,"y"]', '["x",null,"y"]', '["x",null,"y"]', '{"0":"x","2":"y"}'],
    ['{"1":"x"}', '{"1":"x"}', '{"1":"x"}', '{"1":"x"}'],
    ['{".value":1,".priority":2}', '{".priority":2,".value":1}', '1', '{".priority":2,".value":1}'],
    ['{"a":1,".priority":"p"}', '{".priority":"p","a":1}', '{"a":1}', '{".priority":"p","a":1}'],
    ['{"0":1,".priority":2}', '{"0":1,".priority":2}', '[1]', '{"0":1,".priority":2}'],
    [
      '[{"a":[1]},{".value":2,".priority":3}]',
      '[{"a":[1]},{".priority":3,".value":2}]',
      '[{"a":[1]},2]',
      '{"0":{"a":{"0":1}},"1":{".priority":3,".value":2}}',
    ],
    ['{"a":".priority"}', '{"a":".priority"}', '{"a":".priority"}', '{"a":".priority"}'],
    ['{"a":"\\".priority\\"["}', '{"a":"\\".priority\\"["}', '{"a":"\\".priority\\"["}', '{"a":"\\".priority\\"["}'],
    [
      '{"__proto__":{"a":[1]},"constructor":1}',
      '{"__proto__":{"a":[1]},"constructor":1}',
      '{"__proto__":{"a":[1]},"constructor":1}',
      '{"__proto__":{"a":{"0":1}},"constructor":1}',
    ],
  ] as const)('%s', (json, stored, plain, exported) => {
    const value = treeValue(JSON.parse(json))
    expect(print(value, 'stored')).toBe(stored)
    expect(print(value, 'plain')).toBe(plain)
    expect(print(value, 'export')).toBe(exported)
    expect(toPlain(stored)).toBe(plain)
    expect(toExport(stored)).toBe(exported)
  })
})

test('a key is printed as JSON prints it', () => {
  const anyKey = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', 'plain', '"', '\\', '\n', '\ud800', '😀', '\u2028'),
  )
  fc.assert(fc.property(anyKey, (key) => expect(printKey(key)).toBe(JSON.stringify(key))))
})

describe('any value', () => {
  const anyValue = anyPayload
    .map((json) => parsePayload(json, [], defaultLimits).value)
    .filter((value) => value !== undefined)

  test('comes back from its stored text', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const stored = print(value, 'stored')
        const back = parseStored(stored)
        expect(print(back, 'stored')).toBe(stored)
        expect(print(back, 'export')).toBe(print(value, 'export'))
        expect(toPlain(stored)).toBe(print(value, 'plain'))
        expect(toExport(stored)).toBe(print(value, 'export'))
      }),
    )
  })

  test('has its members in key order', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        if (typeof value !== 'object') return
        expect(memberKeys(value)).toEqual(Object.keys(value).sort(expectedKeyOrder))
      }),
    )
  })

  test('fits a limit exactly when its text is no longer', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const stored = print(value, 'stored')
        const isLeaf = typeof value !== 'object' || Object.hasOwn(value, '.value')
        expect(printWithin(value, stored.length)).toBe(stored)
        expect(printWithin(value, stored.length - 1)).toBe(isLeaf ? stored : (undefined as unknown as string))
        expect(printWithin(value, 0)).toBe(isLeaf ? stored : (undefined as unknown as string))
      }),
    )
  })
})
