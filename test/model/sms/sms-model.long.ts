import '../../support/long-lane.ts'
import { test } from 'bun:test'
import fc from 'fast-check'
import { longRuns } from '../../support/lane.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { anySmsPlan, type SmsPlan } from './plan.ts'
import { Scene } from './scene.ts'

const RUNS = longRuns(3)
/** Several times what a run takes. A failure is shrunk until then; each try may have to wait for what never comes. */
const LONGEST_RUN_MS = 20_000

async function play(plan: SmsPlan): Promise<void> {
  await using dir = await tempDir()
  const scene = await Scene.begin(dir.path)
  try {
    await scene.play(plan)
  } finally {
    await scene.close()
  }
}

// fast-check prints seed, path and the shrunk plan of a failure: pass `{ seed, path }` to run it again.
test(
  'every final state is told, once unless a connection or the process broke, and never two of one message',
  async () => {
    // When its time is over, shrinking is left in the middle of a run, whose server must not stay.
    let running: Promise<unknown> = Promise.resolve()
    const property = fc.asyncProperty(anySmsPlan, async (plan) => {
      const playing = play(plan)
      running = playing.catch(() => {})
      await playing
    })
    try {
      await fc.assert(property, { numRuns: RUNS, interruptAfterTimeLimit: RUNS * LONGEST_RUN_MS })
    } finally {
      await running
    }
  },
  RUNS * LONGEST_RUN_MS * 2,
)
