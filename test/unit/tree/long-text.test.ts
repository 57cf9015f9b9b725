import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { drain } from '../../../src/scheduling/steps.ts'
import { etagOf } from '../../../src/tree/json/etag.ts'
import { toExport, toExportInSteps } from '../../../src/tree/json/export-text.ts'
import { parsePayload } from '../../../src/tree/json/payload.ts'
import { prettyPrintInSteps } from '../../../src/tree/json/pretty.ts'
import { print, toPlain } from '../../../src/tree/json/print.ts'
import { etagOfInSteps, toPlainInSteps } from '../../../src/tree/json/print-steps.ts'
import { type AnyText, collected, joined, TextBuilder } from '../../../src/tree/json/text-pieces.ts'
import { defaultLimits } from '../../../src/tree/limits.ts'

/** Where a piece may end: behind a token, and behind a character of a value. A pair of brackets is one token. */
const UNIT =
  /\{\}|\[\]|"(?:[^"\\]|\\.)*"(?=:)|\\u[0-9a-f]{4}|\\.|null|true|false|-?[0-9][-+.0-9eE]*|[\ud800-\udbff][\udc00-\udfff]|[\s\S]/g

const leaf = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', '"', '\\', '[', ']', '{', '}', ',', 'null', ':', '\u{1f600}', '\n', '\u0001'),
  }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
)
const keys = fc.constantFrom('a', '-b', '0', '1', '2', '3', '00', 'x"y', 'z\\')
const priority = fc.oneof(fc.integer(), fc.string(), fc.constant('.value'))
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 5 },
    leaf,
    fc.array(tie('json'), { maxLength: 5 }),
    fc.dictionary(keys, tie('json')),
    fc.record({ '.priority': fc.oneof(fc.integer(), fc.string()), a: tie('json') }),
    fc.record({ '.priority': priority, '.value': leaf }),
    fc.tuple(priority, fc.dictionary(keys, tie('json'))).map(([own, members]) => ({ ...members, '.priority': own })),
  ),
}))

test('what is made of a text in pieces is what is made of the text', () => {
  fc.assert(
    fc.property(json, fc.infiniteStream(fc.boolean()), (value, cuts) => {
      const node = parsePayload(value, [], defaultLimits).value
      if (node === undefined) return
      const stored = print(node, 'stored')
      const text = cut(stored, cuts)
      expect(joined(text)).toBe(stored)
      expect(joined(drain(toExportInSteps(text)))).toBe(toExport(stored))
      expect(joined(drain(toPlainInSteps(text)))).toBe(toPlain(stored))
      expect(etagOf(text)).toBe(etagOf(stored))
      expect(drain(etagOfInSteps(text))).toBe(etagOf(stored))
      expect(pretty(text)).toBe(pretty(stored))
    }),
    { numRuns: 1000 },
  )
})

test.each<[string, (text: AnyText) => Generator<void, unknown>]>([
  ['of GET', toPlainInSteps],
  ['of exports', toExportInSteps],
  ['that is pretty', (text) => prettyPrintInSteps(text, () => {})],
])('the text %s is made with pauses inside a long string', (_, change) => {
  const pieces = ['[{".priority":1,".value":"', ...Array(40).fill('x'.repeat(65_536)), '"}]']
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  let pauses = 0
  for (const steps = change({ pieces, length }); !steps.next().done; ) pauses++
  expect(pauses).toBeGreaterThanOrEqual(40)
})

function pretty(text: AnyText): string {
  return joined(drain(collected((sink) => prettyPrintInSteps(text, sink))))
}

test('a short text is one string, and a long one pieces', () => {
  const builder = (count: number) => {
    const text = new TextBuilder()
    for (let index = 0; index < count; index++) text.add('x'.repeat(1000))
    return text.end()
  }
  expect(builder(100)).toBe('x'.repeat(100_000))
  const long = builder(1000)
  expect(typeof long).toBe('object')
  expect(long.length).toBe(1_000_000)
  expect(joined(long)).toBe('x'.repeat(1_000_000))
})

function cut(text: string, cuts: Iterable<boolean>): AnyText {
  const pieces = ['']
  const decisions = cuts[Symbol.iterator]()
  for (const unit of text.match(UNIT) ?? []) {
    pieces[pieces.length - 1] += unit
    if (decisions.next().value) pieces.push('')
  }
  return { pieces, length: text.length }
}
