import { test } from 'bun:test'
import fc from 'fast-check'
import { tempDir } from '../support/temp-dir.ts'
import { anySmsPlan } from './plan.ts'
import { printStats, Scene } from './scene.ts'

const RUNS = Number(process.env['SMS_RUNS'] ?? 10)

// fast-check prints seed, path and the shrunk plan of a failure: pass `{ seed, path }` to run it again.
test('every final state is told, once unless a connection or the process broke, and never two of one message', async () => {
  await fc.assert(
    fc.asyncProperty(anySmsPlan, async (plan) => {
      await using dir = await tempDir()
      const scene = await Scene.begin(dir.path)
      try {
        await scene.play(plan)
      } finally {
        await scene.close()
      }
    }),
    { numRuns: RUNS, ...(process.env['SEED']?{seed:Number(process.env['SEED'])}:{}), ...(process.env['PTH']?{path:process.env['PTH'],endOnFailure:true}:{}) },
  ).finally(printStats)
}, 900_000)
