import { expect, test } from 'bun:test'
import { drawAll } from '../../bench/chart/charts.ts'
import type { Chapter } from '../../bench/harness/part.ts'
import { Samples } from '../../bench/harness/rounds.ts'
import { FULL } from '../../bench/harness/settings.ts'
import { chapterNames, chapters } from '../../bench/harness/suite.ts'
import { headlineResults, headlines } from '../../bench/report/headlines.ts'
import { resultOf } from '../../bench/report/result.ts'

/** Every figure of every variant is the same. */
class Same extends Samples {
  override get(): number[] {
    return [1, 1, 1]
  }
}

/** What a full run would yield, without measuring. */
const results = chapterNames.flatMap((name) => {
  const { parts }: Chapter = chapters[name]
  return parts.flatMap((part) => part.rows(new Same(), FULL).map((row) => resultOf(name, row)))
})

test('a full run has every headline, and those that are charted are ratios', () => {
  for (const [{ name, charted }, { ratio }] of headlineResults(results)) {
    if (charted !== undefined) expect(ratio, name).toBe(1)
  }
})

test('no headline is shown twice', () => {
  const names = headlines.map(({ chapter, name }) => `${chapter} ${name}`)
  expect(new Set(names).size).toBe(names.length)
})

test('a full run has something for every chart', async () => {
  const drawings = await drawAll(results)
  expect(drawings.filter(({ svg }) => svg === undefined)).toEqual([])
})
