import { describe, test } from 'bun:test'
import fc from 'fast-check'
import { runsInLanes } from '../../support/lane.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { anyStreamPlan } from './plan.ts'
import { Scene } from './scene.ts'
import { embeddedService } from './service.ts'

const RUNS = runsInLanes(5, 25)

describe.each([[0], [30], [4096]] as const)('at most %d characters in a row', (inlineLength) => {
  // fast-check prints seed, path and the shrunk plan of a failure: pass `{ seed, path }` to run it again.
  test('whoever watches has what GET answers', async () => {
    await fc.assert(
      fc.asyncProperty(anyStreamPlan, async (plan) => {
        await using dir = await tempDir()
        const { shortList, maxWaiting } = plan
        const storage = { inlineLength, shortList, maxChanges: 8 }
        const scene = await Scene.begin(async () =>
          embeddedService({ dir: dir.path, storage, streams: { maxWaiting } }),
        )
        try {
          await scene.play(plan)
        } finally {
          await scene.close()
        }
      }),
      { numRuns: RUNS },
    )
  }, 900_000)
})
