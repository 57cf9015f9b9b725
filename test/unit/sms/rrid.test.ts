import { expect, test } from 'bun:test'
import { isRrid, newRrid } from '../../../src/sms/model/rrid.ts'

test.each([
  [0, '00000000000'],
  [1492675740231, '15b8a684247'],
  [2 ** 44 - 1, 'fffffffffff'],
] as const)('an rrid made at %d begins with %s', (now, digits) => {
  const rrid = newRrid(now)
  expect(rrid.slice(0, 11)).toBe(digits)
  expect(rrid).toMatch(/^[0-9a-f]{18}$/)
  expect(isRrid(rrid)).toBe(true)
})

test('seven digits are random', () => {
  const ends = Array.from({ length: 200 }, () => newRrid(0).slice(11))
  // Every place is random: over so many none of them stands still.
  for (let place = 0; place < 7; place++) expect(new Set(ends.map((end) => end[place])).size).toBeGreaterThan(1)
})

test.each([
  ['e97539af58f44a0092', true],
  ['a', true],
  ['A_b-9', true],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
  ['', false],
  ['a b', false],
  ['a\n', false],
  ['a.b', false],
  ['批次', false],
] as const)('%j may name a batch: %p', (text, right) => {
  expect(isRrid(text)).toBe(right)
})
