import { expect, spyOn, test } from 'bun:test'
import type { Steps } from '../../../src/scheduling/steps.ts'
import { inTurns, runInTurns } from '../../../src/scheduling/turns.ts'
import { turns } from '../../support/store.ts'

/** Goes on by a millisecond for each step of the work, from test to test. */
let now = performance.now()

/** Counts the steps of all works in each turn of the event loop, until every work is done. */
async function stepsOfTurns(start: (work: (steps: number) => Steps<void>) => Promise<unknown>): Promise<number[]> {
  const clock = spyOn(performance, 'now').mockImplementation(() => now)
  const counts: number[] = []
  let count = 0
  function* work(steps: number): Steps<void> {
    for (let step = 0; step < steps; step++) {
      now++
      count++
      yield
    }
  }
  let isDone = false
  const done = start(work).finally(() => {
    isDone = true
  })
  try {
    while (!isDone) {
      counts.push(count)
      count = 0
      await turns(1)
    }
    await done
    return [...counts, count]
  } finally {
    clock.mockRestore()
  }
}

/** Steps of the longest turn: those of 5 ms, and one more. */
const LONGEST = 7

test('a hundred works take no longer turns than one', async () => {
  const counts = await stepsOfTurns((work) =>
    Promise.all(Array.from({ length: 100 }, async () => runInTurns(work(50)))),
  )
  expect(counts.reduce((all, each) => all + each)).toBe(5000)
  expect(Math.max(...counts)).toBeLessThan(LONGEST)
})

test('works that begin at once in one turn share it', async () => {
  const counts = await stepsOfTurns((work) => Promise.all(Array.from({ length: 100 }, async () => inTurns(work(50)))))
  expect(counts.reduce((all, each) => all + each)).toBe(5000)
  expect(Math.max(...counts)).toBeLessThan(LONGEST)
})

test('short work goes on before the next turns of long works', async () => {
  const order: string[] = []
  await stepsOfTurns(async (work) => {
    const long = Array.from({ length: 50 }, async () => {
      await runInTurns(work(50))
      order.push('long')
    })
    await turns(5)
    await runInTurns(work(4))
    order.push('short')
    await Promise.all(long)
  })
  expect(order[0]).toBe('short')
  expect(order.length).toBe(51)
})

test('long work goes on while short works come all the time', async () => {
  let isDone = false
  await stepsOfTurns(async (work) => {
    const long = runInTurns(work(200)).then(() => {
      isDone = true
    })
    for (let come = 0; come < 1000 && !isDone; come++) await Promise.all([runInTurns(work(4)), runInTurns(work(4))])
    expect(isDone).toBe(true)
    await long
  })
})
