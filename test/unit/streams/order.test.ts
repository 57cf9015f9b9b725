import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Outcome, play, scene } from './planned-order.ts'

/** Scenes; `ORDER_RUNS` and `ORDER_SEED` make a long run, and repeat one. */
const numRuns = Number(process.env['ORDER_RUNS'] ?? 600)
const seed = Number(process.env['ORDER_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

test('in whatever order reads, commits, judgements and room come: each commit once, in order, and only what may be read', async () => {
  const outcomes: Outcome[] = []
  await fc.assert(
    fc.asyncProperty(scene, async (each) => {
      outcomes.push(await play(each))
    }),
    { numRuns, seed },
  )
  const fates = new Set(outcomes.map(({ fate }) => fate))
  expect(fates).toEqual(new Set(['open', 'ended', 'refused']))
  // Of a stream that never begins anew this would hold without a word about it.
  expect(outcomes.some(({ renewals, fate }) => fate === 'open' && renewals > 0)).toBe(true)
})
