import { expect, test } from 'bun:test'
import { keptResults } from '../../../bench/chart/kept-results.ts'
import { short, withUnit } from '../../../bench/report/numbers.ts'
import { pageText } from './blocks.ts'

/** Operations of the page, by the results that they are from. */
const ROWS = {
  'GET of a place': 'get against acebase-server',
  'first 20 places by name': 'first against acebase-server',
  'PUT of a place': 'put against acebase-server',
}

test('the figures of the comparison are those of the results', async () => {
  const { results } = await keptResults()
  const page = await pageText('docs/explanation/comparison.md')
  for (const [operation, name] of Object.entries(ROWS)) {
    const result = results.find((candidate) => candidate.chapter === 'peers' && candidate.name === name)
    if (result === undefined) throw new Error(`the results have no "${name}"`)
    const cells = [
      operation,
      withUnit(result.value, result.unit),
      withUnit(result.limit ?? 0, result.limitUnit ?? ''),
      `${short(result.judged?.median ?? 0)}x`,
    ]
    expect(page).toContain(`| ${cells.join(' | ')} |\n`)
  }
})
