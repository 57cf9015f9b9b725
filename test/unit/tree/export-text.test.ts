import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toExport } from '../../../src/tree/json/export-text.ts'
import { parsePayload } from '../../../src/tree/json/payload.ts'
import { print } from '../../../src/tree/json/print.ts'
import { defaultLimits } from '../../../src/tree/limits.ts'

const leaf = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '"', '\\', '[', ']', '{', '}', ',', 'null', ':') }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
)
const keys = fc.constantFrom('a', 'b', '0', '1', '2', 'x"y', 'z\\')
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 5 },
    leaf,
    fc.array(tie('json'), { maxLength: 5 }),
    fc.dictionary(keys, tie('json')),
    fc.record({ '.priority': fc.integer(), a: tie('json') }),
  ),
}))

test('stored text without its arrays is what is printed for an export', () => {
  fc.assert(
    fc.property(json, (value) => {
      const node = parsePayload(value, [], defaultLimits).value
      if (node === undefined) return
      expect(toExport(print(node, 'stored'))).toBe(print(node, 'export'))
    }),
    { numRuns: 2000 },
  )
})
