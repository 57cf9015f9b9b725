import { describe, expect, test } from 'bun:test'
import { changesOf, comparisonOf, togetherOf } from '../../bench/report/comparison.ts'
import type { Row } from '../../bench/report/row.ts'
import { PLAIN, REACHED } from './example-rows.ts'

/** A cost of so much beside a limit of so much. */
const cost = (value: number, limit = 10): Row => ({
  ...REACHED,
  measured: { value, unit: 'us CPU' },
  limit: { title: 'Bun.serve', value: limit, unit: 'us CPU' },
})
const rate = (value: number): Row => ({ ...PLAIN, measured: { value, unit: '/s' } })

/** One row in several rounds, as before and after. */
const changeOf = (rounds: readonly (readonly [before: Row, after: Row])[]) =>
  changesOf(rounds.map(([before, after]) => ({ before: [before], after: [after] })))[0]

describe('a row of two checkouts', () => {
  const cases: readonly (readonly [title: string, rounds: readonly [Row, Row][], speed: number, verdict: string])[] = [
    ['the same cost', [[cost(20), cost(20)]], 1, 'ok'],
    ['half the cost', [[cost(20), cost(10)]], 2, 'ok'],
    ['double the cost', [[cost(20), cost(40)]], 0.5, 'slower'],
    ['double the rate', [[rate(20), rate(40)]], 2, 'ok'],
    ['half the rate', [[rate(40), rate(20)]], 0.5, 'slower'],
    ['double the cost in a minute in which the limit costs double too', [[cost(20, 10), cost(40, 20)]], 1, 'ok'],
    ['2 % more cost', [[cost(100), cost(102)]], 0.98, 'ok'],
    ['3 % more cost', [[cost(100), cost(103)]], 0.971, 'slower'],
    [
      'more cost in one round, less in another',
      [
        [cost(10), cost(20)],
        [cost(20), cost(18)],
      ],
      0.806,
      'unclear',
    ],
    ['nothing before and after', [[cost(0), cost(0)]], 1, 'ok'],
  ]
  for (const [title, rounds, speed, verdict] of cases) {
    test(`${title}: ${verdict}`, () => {
      const change = changeOf(rounds)
      expect(change?.judged.median).toBeCloseTo(speed, 3)
      expect(change?.verdict).toBe(verdict as never)
    })
  }

  test('keeps the figures themselves beside it', () => {
    const change = changeOf([[cost(20, 10), cost(40, 20)]])
    expect(change).toMatchObject({ before: 20, after: 40, plain: { median: 0.5 } })
  })
})

test('rows that only one checkout has are left out', () => {
  expect(changesOf([{ before: [cost(20)], after: [rate(20)] }])).toEqual([])
})

test('the table has a line for each row and the mean of all', () => {
  const changes = changesOf([{ before: [cost(20), rate(10)], after: [cost(10), rate(5)] }])
  expect(togetherOf(changes)).toBeCloseTo(1)
  const table = comparisonOf({ chapter: 'Reading', against: '../before' }, changes)
  expect(table).toContain('# Reading, before (../before) and after')
  expect(table).toContain(
    '| GET hot | 10k | 20.0 us CPU | 10.0 us CPU | 2.00x (2.00 to 2.00) | **2.00x (2.00 to 2.00)** | ok |',
  )
  expect(table).toContain('All rows together: 1.000x.')
})
