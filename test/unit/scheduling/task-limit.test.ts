import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { TaskLimit } from '../../../src/scheduling/task-limit.ts'

test('tasks run in order, at most so many at once, whatever order they end in and whichever fail', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.boolean(), { maxLength: 20 }),
      fc.infiniteStream(fc.nat()),
      async (most, fails, choices) => {
        const limit = new TaskLimit(most)
        const started: number[] = []
        const open = new Map<number, () => void>()
        const tasks = fails.map((fails, number) =>
          limit.run(async () => {
            started.push(number)
            await new Promise<void>((resolve) => open.set(number, resolve))
            if (fails) throw number
            return number
          }),
        )
        const ended = Promise.allSettled(tasks)
        for (let left = fails.length; left > 0; left--) {
          await new Promise(setImmediate)
          expect([open.size, limit.running]).toEqual([Math.min(most, left), Math.min(most, left)])
          const chosen = [...open.keys()][choices.next().value % open.size]!
          open.get(chosen)?.()
          open.delete(chosen)
        }
        const outcomes = (await ended).map((outcome) =>
          outcome.status === 'rejected' ? outcome.reason : outcome.value,
        )
        expect(outcomes).toEqual(fails.map((_, number) => number))
        expect(started).toEqual(outcomes)
        expect(limit.isIdle).toBe(true)
      },
    ),
  )
})
