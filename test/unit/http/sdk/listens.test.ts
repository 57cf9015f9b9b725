import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { runsInLanes } from '../../../support/lane.ts'
import { play, scene } from './planned-listens.ts'

test('in whatever order commits, reads, requests and room come: default listens show what a read returns', async () => {
  const messages = new Set<string>()
  await fc.assert(
    fc.asyncProperty(scene, async (each) => {
      for (const message of await play(each)) messages.add(message.slice(0, 2))
    }),
    { numRuns: runsInLanes(800, 10_000) },
  )
  // Listens that say nothing, or only begin anew, would not show much.
  expect(messages).toEqual(new Set(['d ', 'm ', 'an']))
})
