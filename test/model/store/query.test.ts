import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { IndexDeclaration } from '../../../src/query/index-declarations.ts'
import type { SqliteOptions } from '../../../src/store/sqlite/sqlite-options.ts'
import { openTestStore, treeProblems } from '../../support/engine.ts'
import { runsInLanes } from '../../support/lane.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { anyListPlan, LIST, longTexts } from './list-plan.ts'
import { placeToAsk, runListStep } from './list-steps.ts'
import { Mirror } from './mirror.ts'

const RUNS = runsInLanes(3, 20)

const settings: readonly (readonly [string, SqliteOptions])[] = [0, 30, 4096].flatMap((inlineLength) => [
  [`at most ${inlineLength} characters in a row, every list indexed`, { inlineLength, shortList: 0 }],
  [`at most ${inlineLength} characters in a row, long lists indexed`, { inlineLength }],
  [`at most ${inlineLength} characters in a row, strings in chunks`, { inlineLength, shortList: 0, chunkLength: 1 }],
])

describe.each(settings)('%s', (_, options) => {
  // fast-check prints seed, path and the shrunk plan of a failure: pass `{ seed, path }` to run it again.
  test('queries answer what the model answers', async () => {
    await fc.assert(
      fc.asyncProperty(anyListPlan, async ([list, declarations, plan]) => {
        await using directory = await tempDir()
        const file = directory.file('tree')
        const mirror = new Mirror(await openTestStore(file, options))
        let declared: readonly IndexDeclaration[] = declarations
        try {
          await mirror.store.declareIndexes(declared)
          await mirror.put(LIST, list)
          for (const [step, questions] of plan) {
            if (step.kind === 'reopen') {
              await mirror.store.close()
              mirror.store = await openTestStore(file, options)
              await mirror.store.declareIndexes(declared)
            } else if (step.kind === 'declare') {
              declared = step.declarations
              await mirror.store.declareIndexes(declared)
            } else await runListStep(step, mirror)
            for (const [number, { spec, family }] of questions.entries()) {
              await mirror.expectAnswers(placeToAsk(number, mirror.model), spec, family)
            }
          }
          await mirror.store.swept()
        } finally {
          await mirror.store.close()
        }
        expect(await treeProblems(file)).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })
})

test('texts that are equal as far as an index holds them are told apart', async () => {
  await using directory = await tempDir()
  const file = directory.file('tree')
  const mirror = new Mirror(await openTestStore(file, { inlineLength: 0, shortList: 0 }))
  await using store = mirror.store
  for (const [index, text] of longTexts.entries()) {
    await mirror.put([...LIST, `b${index}`], text)
    await mirror.put([...LIST, `a${longTexts.length - index}`], text)
  }
  for (const text of longTexts) {
    for (const bound of ['startAt', 'startAfter', 'endAt', 'endBefore', 'equalTo'] as const) {
      for (const value of [text, [text, 'a5'], [text, 'b5']] as const) {
        await mirror.expectAnswers(LIST, { orderBy: '$value', [bound]: value })
        await mirror.expectAnswers(LIST, { orderBy: '$value', [bound]: value, limitToFirst: 3 })
        await mirror.expectAnswers(LIST, { orderBy: '$value', [bound]: value, limitToLast: 3 })
      }
    }
  }
  await store.close()
  expect(await treeProblems(file)).toEqual([])
})
