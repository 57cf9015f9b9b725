/** A file of its own: other tests move the clock. */
import { expect, spyOn, test } from 'bun:test'
import { loopTurn } from '../../../src/scheduling/loop-turn.ts'
import { turns } from '../../support/store.ts'

test.each([0, 1])('work goes on when callback %d of the loop is lost', async (lost) => {
  const immediate = globalThis.setImmediate
  const kept: (() => void)[] = []
  const spy = spyOn(globalThis, 'setImmediate').mockImplementation(((callback: () => void) => {
    if (kept.push(callback) - 1 !== lost) immediate(callback)
  }) as never)
  while (!loopTurn.isOver);
  const paused = [loopTurn.pause(), loopTurn.pause()]
  spy.mockRestore()
  // In a test runner other work comes later.
  await Promise.all([...paused, turns(3).then(() => loopTurn.pause())])
  expect(kept.length).toBeGreaterThan(lost)
})
