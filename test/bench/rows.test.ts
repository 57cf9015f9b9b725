import { describe, expect, test } from 'bun:test'
import { Samples } from '../../bench/harness/rounds.ts'
import { FULL, QUICK, TINY } from '../../bench/harness/settings.ts'
import { chapterNames, partsOf, rowsOf } from '../../bench/harness/suite.ts'
import { knownMisses } from '../../bench/report/known-misses.ts'
import { resultOf } from '../../bench/report/result.ts'
import { checkResults } from '../../bench/report/result-schema.ts'
import { MACHINE } from './example-rows.ts'

/** Has a figure for whatever is asked. */
class MadeUp extends Samples {
  override get(variant: string, figure: string): number[] {
    return [variant.length + 1, figure.length + 1, variant.length + figure.length]
  }
}

const readme = await Bun.file(new URL('../../bench/results/README.md', import.meta.url)).text()
const [, reasons = ''] = readme.split('## Where goals are missed, and why')

for (const [kind, settings] of Object.entries({ full: FULL, quick: QUICK, tiny: TINY })) {
  for (const name of chapterNames.filter((chapter) => partsOf(chapter, settings).length > 0)) {
    describe(`rows of a ${kind} run: ${name}`, () => {
      const rows = rowsOf(name, partsOf(name, settings), new MadeUp(), settings)
      const results = rows.map((row) => resultOf(name, row))

      test('are there, and are results', () => {
        expect(rows).not.toBeEmpty()
        checkResults({ machine: MACHINE, results })
      })

      test('have names of their own', () => {
        const names = results.map((result) => result.name)
        expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
      })

      test('are explained in README.md where they say so', () => {
        const missing = results.filter(({ explained }) => explained !== null && !reasons.includes(`**${explained}`))
        expect(missing).toEqual([])
      })
    })
  }
}

test.each(knownMisses.map((miss) => [`${miss.chapter} ${miss.names}`, miss] as const))(
  'there are rows of that name: %s',
  (_, { chapter, names }) => {
    const name = chapterNames.find((candidate) => candidate === chapter)
    const rows = name === undefined ? [] : rowsOf(name, partsOf(name, FULL), new MadeUp(), FULL)
    expect(rows.filter((row) => row.goal !== undefined && names.test(row.name))).not.toBeEmpty()
  },
)
