import { expect, test } from 'bun:test'
import { QueryInterval } from '../../../src/sms/query-interval.ts'

const YES = true
const NO = false

test.each([
  ['the first call is let through, whenever it is', 1000, [[0, YES]]],
  ['at exactly the interval the next one is', 1000, [[5, YES], [1004, NO], [1005, YES], [2004, NO], [2005, YES]]], // biome-ignore format: a row
  ['a call that is refused does not put the next one off', 1000, [[0, YES], [999, NO], [1000, YES]]], // biome-ignore format: a row
  ['at the same moment', 1000, [[7, YES], [7, NO], [7, NO]]], // biome-ignore format: a row
  ['no limit', 0, [[0, YES], [0, YES], [-1, YES], [0, YES]]], // biome-ignore format: a row
  ['a clock that is put back locks nobody out', 1000, [[1e12, YES], [5, YES], [6, NO], [1005, YES]]], // biome-ignore format: a row
  ['after a long time', 1000, [[0, YES], [1e15, YES], [1e15 + 999, NO]]], // biome-ignore format: a row
] as const)('%s', (_, intervalMs, calls) => {
  const rate = new QueryInterval()
  expect(calls.map(([now]) => [now, rate.admit(now, intervalMs)])).toEqual(
    calls.map(([now, admitted]) => [now, admitted]),
  )
})
