import { expect, test } from 'bun:test'
import { SharedTurns } from '../../../src/scheduling/shared-turns.ts'
import { turns } from '../../support/store.ts'

/** Keeps the event loop for some time. */
function hold(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

test('pieces run in order, in as many turns as they need', async () => {
  const shared = new SharedTurns()
  const done: number[] = []
  let turn = 0
  const inTurn = new Map<number, number>()
  for (let piece = 0; piece < 60; piece++) {
    shared.add(async () => {
      await undefined
      hold(1)
      done.push(piece)
      inTurn.set(turn, (inTurn.get(turn) ?? 0) + 1)
    })
  }
  while (done.length < 60) {
    await turns(1)
    turn++
  }
  expect(done).toEqual(Array.from({ length: 60 }, (_, piece) => piece))
  // Work of 60 ms in turns of at most 5 ms, and a few pieces beyond them in the first one.
  expect(inTurn.size).toBeGreaterThan(5)
})

test('a piece that waits for long holds up no others', async () => {
  const shared = new SharedTurns()
  const never = new Promise<void>(() => {})
  let done = 0
  for (let piece = 0; piece < 30; piece++) {
    shared.add(() => never)
    shared.add(async () => {
      done++
    })
  }
  await turns(100)
  expect(done).toBe(30)
})
