import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { arrayLength, keyOf, sortKey, sortKeys } from '../../../src/tree/order.ts'
import { expectedKeyOrder } from '../../support/key-order.ts'

const inOrder = [
  '-2147483648',
  '-10',
  '-7',
  '-07',
  '-1',
  '0',
  '00',
  '-0',
  '000',
  '1',
  '7',
  '07',
  '007',
  '10',
  '0000000000000010',
  '2147483647',
  '02147483647',
  ' 1',
  '"',
  '+1',
  '-',
  '--1',
  '-2147483649',
  '-a',
  '1.5',
  '10a',
  '1e3',
  '2147483648',
  '99999999999',
  'A',
  'B',
  '\\',
  '__proto__',
  'a',
  'aa',
  'b',
  'é',
  '中',
  '\u{10000}',
  '😀',
  '\u{10FFFE}',
  '\u{10FFFF}',
  '\u{10FFFF}a',
  '\u{10FFFF}\u{10FFFF}',
  '\uE000',
  '\uF8FF',
  '\uFEFF',
  '\uFFFF',
  '\uFFFF\uFFFF',
] as const

const anyKey = fc.oneof(
  fc.constantFrom(...inOrder),
  fc.integer().map(String),
  fc
    .tuple(fc.constantFrom('', '-'), fc.integer({ min: 0, max: 12 }), fc.bigInt({ min: 0n, max: 99999999999n }))
    .map(([sign, zeros, value]) => sign + '0'.repeat(zeros) + value),
  fc.string({ unit: 'binary', minLength: 1 }).filter(isKeyText),
  fc
    .array(fc.constantFrom('a', '\uE000', '\uFFFF', '\u{10FFFF}', '😀', '\uD7FF', '\u{10FFFE}'), { minLength: 1 })
    .map((characters) => characters.join('')),
)

function isKeyText(text: string): boolean {
  return text.isWellFormed() && ![...text].some((character) => character < ' ')
}

function compareBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

describe('key order', () => {
  test.each(inOrder.slice(1).map((key, index) => [inOrder[index] ?? '', key] as const))(
    '%j stands before %j',
    (left, right) => {
      expect(sortKeys([left, right])).toEqual([left, right])
      expect(sortKeys([right, left])).toEqual([left, right])
      expect(compareBytes(sortKey(left), sortKey(right))).toBeLessThan(0)
      expect(expectedKeyOrder(left, right)).toBeLessThan(0)
    },
  )

  test('a sort key can be read back', () => {
    fc.assert(fc.property(anyKey, (key) => keyOf(sortKey(key)) === key))
  })

  test('bytes, code units and comparison all tell the same order', () => {
    fc.assert(
      fc.property(anyKey, anyKey, (left, right) => {
        const expected = Math.sign(expectedKeyOrder(left, right))
        expect(sortKeys([left, right])).toEqual(expected <= 0 ? [left, right] : [right, left])
        expect(sortKeys([right, left])).toEqual(expected <= 0 ? [left, right] : [right, left])
        expect(compareBytes(sortKey(left), sortKey(right))).toBe(expected as 0)
        expect(sortKey(left) < sortKey(right)).toBe(expected < 0)
      }),
      { numRuns: 1000 },
    )
  })

  test('a key of 768 digits is read back', () => {
    for (const key of ['7'.padStart(768, '0'), `-${'7'.padStart(767, '0')}`]) expect(keyOf(sortKey(key))).toBe(key)
  })
})

describe('arrays', () => {
  test.each([
    [['0'], 1],
    [['0', '1', '2'], 3],
    [['0', '2'], 3],
    [['0', '2', '3', '5'], 6],
    [['1', '2'], 3],
    [['1'], undefined],
    [['2', '4'], undefined],
    [['0', '3'], undefined],
    [[], undefined],
    [['0', '01'], undefined],
    [['-1', '0', '1'], undefined],
    [['0', '1', 'a'], undefined],
    [['0', '1', '.priority'], undefined],
    [['0', '1', '2', '3000000000'], undefined],
  ] as const)('%j reads as an array of length %p', (keys, length) => {
    expect(arrayLength(keys)).toBe(length as number)
  })
})
