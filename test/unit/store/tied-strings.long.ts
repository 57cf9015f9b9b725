import '../../support/long-lane.ts'
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { drain } from '../../../src/scheduling/steps.ts'
import { type StringParts, sortTied } from '../../../src/store/sqlite/query/tied-strings.ts'
import { compareText } from '../../../src/tree/order.ts'

/** Strings by key, whose reads are counted. @param chunk length of their chunks */
function stringsOf(texts: ReadonlyMap<string, string>, chunk: number) {
  let reads = 0
  const restOfChunk: StringParts['restOfChunk'] = (key, place) => {
    reads++
    const text = texts.get(key) ?? ''
    while (place.at >= chunk) {
      place.at -= chunk
      place.chunk++
    }
    return text.slice(place.chunk * chunk + place.at, (place.chunk + 1) * chunk)
  }
  const read: StringParts['read'] = (key, place, length) => {
    reads++
    const start = place.chunk * chunk + place.at
    return (texts.get(key) ?? '').slice(start, start + length)
  }
  return { parts: { restOfChunk, read }, reads: () => reads }
}

function expectedOf(texts: ReadonlyMap<string, string>): string[] {
  return [...texts].sort(([a, left], [b, right]) => compareText(left, right) || compareText(a, b)).map(([key]) => key)
}

function sorted(texts: ReadonlyMap<string, string>, parts: StringParts, from: number): string[] {
  const items = [...texts.keys()].sort(compareText).map((key) => ({ key }))
  return drain(sortTied(parts, items, from)).map(({ key }) => key)
}

const keyOf = (index: number) => `k${String(index).padStart(5, '0')}`

test.each([
  ['in one row', 1_000_000],
  ['in three chunks', 35_000],
])('strings %s that leave a group one by one are read a few times each', (_, chunk) => {
  const COUNT = 8192
  /** As many characters as divide a group of this size at a time. */
  const WIDTH = 512
  const LEVELS = 200
  const level = (index: number) => (index * 7919) % LEVELS
  const all = Array.from({ length: LEVELS }, (_, at) => `${'x'.repeat(at * WIDTH)}y`)
  const texts = new Map(Array.from({ length: COUNT }, (_, index) => [keyOf(index), all[level(index)] as string]))
  const { parts, reads } = stringsOf(texts, chunk)
  expect(sorted(texts, parts, 0)).toEqual(expectedOf(texts))
  // One by one they are read 90 times each.
  expect(reads() / COUNT).toBeLessThan(40)
})

test('strings with the same beginning are sorted, whatever follows', () => {
  const tail = fc.array(fc.constantFrom('x', 'xx'.repeat(40), 'y', '\u{1F600}', '\uE000'), { maxLength: 8 })
  fc.assert(
    fc.property(fc.array(tail, { maxLength: 40 }), fc.integer({ min: 1, max: 50 }), (tails, chunk) => {
      const texts = new Map(tails.map((parts, index) => [keyOf(index), `same${parts.join('')}`]))
      expect(sorted(texts, stringsOf(texts, chunk).parts, 4)).toEqual(expectedOf(texts))
    }),
  )
})
