import { describe, expect, test } from 'bun:test'
import { growthOf } from '../../bench/report/growth.ts'
import { short, size, withUnit } from '../../bench/report/numbers.ts'
import { figure } from '../../bench/report/row.ts'
import { tableOf } from '../../bench/report/table.ts'
import { MACHINE, ROWS } from './example-rows.ts'

describe('numbers as people read them', () => {
  const shortened: readonly (readonly [value: number, text: string])[] = [
    [0, '0'],
    [0.00034, '0.0003'],
    [0.01, '0.01'],
    [0.456, '0.46'],
    [9.994, '9.99'],
    [10, '10.0'],
    [99.94, '99.9'],
    [100.4, '100'],
    [2_044_525.3, '2044525'],
    [-7.531, '-7.53'],
  ]
  for (const [value, text] of shortened) test(`${value}`, () => expect(short(value)).toBe(text))

  const sizes: readonly (readonly [count: number, text: string])[] = [
    [64, '64'],
    [1000, '1k'],
    [240_000, '240k'],
    [10_000_000, '10M'],
    [1_000_000_000, '1G'],
  ]
  for (const [count, text] of sizes) test(`so many: ${count}`, () => expect(size(count)).toBe(text))

  const units: readonly (readonly [unit: string, text: string])[] = [
    ['x', '2.50x'],
    ['/s', '2.50/s'],
    ['us CPU', '2.50 us CPU'],
  ]
  for (const [unit, text] of units) test(`in ${unit}`, () => expect(withUnit(2.5, unit)).toBe(text))
})

test('a figure is the middle of all rounds', () => {
  expect(figure([30, 1, 20], 'ms')).toEqual({ value: 20, unit: 'ms' })
})

test('growth is what there is most of in units of what there is least of, round by round', () => {
  const small = { count: 10_000, values: [10, 20, 40] }
  const large = { count: 1_000_000, values: [15, 40, 120] }
  expect(growthOf(small, large, 'us')).toEqual({
    size: undefined,
    measured: { value: 40, unit: 'us', at: '1M' },
    limit: { value: 20, unit: 'us', at: '10k' },
    judged: { median: 2, min: 1.5, max: 3 },
    unit: 'x',
  })
})

test('rows become a table', () => {
  const table = tableOf({ title: 'Reading', counted: 'leaves' }, ROWS, MACHINE, '3 rounds.')
  expect(table).toBe(`# Reading

Example 3000, 2 cores, Bun 1.4.5, 2026-11-21

3 rounds.

| operation | leaves | measured | limit | result (min to max) | goal |  |
| --- | --- | --- | --- | --- | --- | --- |
| GET hot | 10k | 24.7 us CPU, 26642/s | Bun.serve 11.0 us CPU, 44744/s | **0.45x** (0.40 to 0.50) | at least 0.45x | ok |
| longest turn |  | 12.5 ms | idle 0 ms | **12.5 ms** (9.00 to 111) | at most 10 ms | missed |
| growth |  | 4970 us CPU at 1M leaves | 200 us CPU at 10k | **24.9x** (0.004 to 30.0) | at most 1.3x | missed: a large tree |
| deliver against nchan | 1k | 7.86 ms, p50 3.21 ms | nchan is not installed |  | at least 1x |  |
| reports | 1M | 57.5/s |  | **57.5 reports/s** (57.5 to 57.5) |  |  |
`)
})
