import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { drain } from '../../../src/scheduling/steps.ts'
import { prettyPrintInSteps } from '../../../src/tree/json/pretty.ts'
import { collected, joined } from '../../../src/tree/json/text-pieces.ts'

function prettyPrint(compact: string): string {
  return joined(drain(collected((sink) => prettyPrintInSteps(compact, sink))))
}

test.each([
  ['null', 'null\n'],
  ['1', '1\n'],
  ['"a{b}[c],:"', '"a{b}[c],:"\n'],
  ['{"a":1}', '{\n  "a" : 1\n}\n'],
  ['{"a":1,"b":{"c":true}}', '{\n  "a" : 1,\n  "b" : {\n    "c" : true\n  }\n}\n'],
  ['[1,2]', '[ 1, 2 ]\n'],
  ['[1,null,[true]]', '[ 1, null, [ true ] ]\n'],
  ['{"a":[{"b":1},2]}', '{\n  "a" : [ {\n    "b" : 1\n  }, 2 ]\n}\n'],
  ['{"\\"x\\\\":"y\\"z"}', '{\n  "\\"x\\\\" : "y\\"z"\n}\n'],
  ['{"2":1,"1":1}', '{\n  "2" : 1,\n  "1" : 1\n}\n'],
  ['{"a":-1.5e-7}', '{\n  "a" : -1.5e-7\n}\n'],
  ['{}', '{}\n'],
  ['{"a":"line\\nbreak\u2028"}', '{\n  "a" : "line\\nbreak\u2028"\n}\n'],
] as const)('%s', (compact, pretty) => {
  expect(prettyPrint(compact)).toBe(pretty)
})

test('means the same as before', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      const compact = JSON.stringify(json)
      expect(JSON.stringify(JSON.parse(prettyPrint(compact)))).toBe(JSON.stringify(JSON.parse(compact)))
    }),
  )
})

test('keeps a string of megabytes whole', () => {
  const compact = JSON.stringify({ a: 'x\n"'.repeat(2_000_000), b: 1 })
  expect(prettyPrint(compact) === `{\n  "a" : ${compact.slice(5, -7)},\n  "b" : 1\n}\n`).toBe(true)
})
