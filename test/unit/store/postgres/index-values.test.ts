import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { entryBytes, entryValue, TEXT_LIMIT } from '../../../../src/store/postgres/indexes/stored-value.ts'
import { indexValue } from '../../../../src/store/rows/indexes/index-value.ts'
import { compareSortValues, SortKind, type SortValue, sortText, sortValue } from '../../../../src/tree/order.ts'

const numbers = fc.double({ noNaN: true, noDefaultInfinity: true })
const texts = fc.string({
  unit: fc.oneof(
    fc.constantFrom('a', 'é', '\ud7ff', '\ue000', '\uffff', '😀', '\u{10ffff}', '\u0000'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
})
/** Texts of which a long beginning is often the same. */
const longTexts = fc
  .tuple(fc.constantFrom('a', 'é', '\ue000', '😀', '\u{10ffff}'), fc.integer({ min: 60, max: 530 }), texts)
  .map(([unit, length, end]) => unit.repeat(length) + end)
const values = fc.oneof(
  fc.constantFrom<SortValue>(sortValue(null), sortValue(false), sortValue(true), sortValue({ a: 1 })),
  fc.oneof(numbers, fc.constantFrom(0, -0, 1, -1), fc.integer()).map(sortValue),
  fc.oneof(texts, longTexts).map(sortValue),
)

function stored(value: SortValue): { kind: number; bytes: Uint8Array; cut: boolean } {
  const entry = indexValue(value, TEXT_LIMIT)
  return { kind: entry.kind, bytes: entryBytes(entry), cut: entry.cut }
}

function compareStored(left: SortValue, right: SortValue): number {
  const [one, other] = [stored(left), stored(right)]
  return one.kind - other.kind || Buffer.compare(one.bytes, other.bytes)
}

test('the bytes of entries order as the values do', () => {
  fc.assert(
    fc.property(values, values, (left, right) => {
      const order = Math.sign(compareStored(left, right))
      const isCut = stored(left).cut || stored(right).cut
      const wanted = Math.sign(compareSortValues(left, right))
      // Long texts with the same beginning may share their bytes; no order is turned round.
      if (!(isCut && order === 0)) expect(order).toBe(wanted)
    }),
    { numRuns: 5000 },
  )
})

test('bytes that several texts share are told as long, and so short that an entry fits in its page', () => {
  fc.assert(
    fc.property(fc.oneof(longTexts, texts), (text) => {
      const entry = indexValue(sortValue(text), TEXT_LIMIT)
      const bytes = entryBytes(entry)
      expect(bytes.length).toBeLessThan(512 + 7)
      expect(TEXT_LIMIT.isLong(String(entry.value))).toBe(bytes.length >= 512)
      expect(entry.cut).toBe(sortText(text) !== entry.value)
      if (entry.cut) expect(bytes.length).toBeGreaterThanOrEqual(512)
    }),
    { numRuns: 2000 },
  )
})

test('bytes are read back', () => {
  fc.assert(
    fc.property(values, (value) => {
      const entry = indexValue(value, TEXT_LIMIT)
      const read = entryValue(entry.kind, entryBytes(entry))
      expect(read).toEqual({
        kind: entry.kind,
        value: entry.kind === SortKind.number ? Number(entry.value) + 0 : entry.value,
      })
    }),
    { numRuns: 2000 },
  )
})
