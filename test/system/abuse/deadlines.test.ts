import { expect, test } from 'bun:test'
import { Timeouts } from '../../../src/http/limits/timeouts.ts'

const MANY = 1000

test('thousands that are missed at once are ended a few in a turn, those called off meanwhile not at all', async () => {
  const deadlines = new Timeouts()
  let inTurn = 0
  let most = 0
  let isOver = false
  const nextTurn = () => {
    inTurn = 0
    if (!isOver) setImmediate(nextTurn)
  }
  nextTurn()
  const missed: number[] = []
  const all = Promise.withResolvers<void>()
  const callOff = Array.from({ length: MANY }, (_, number) =>
    deadlines.set(1, () => {
      missed.push(number)
      most = Math.max(most, ++inTurn)
      if (number === 0) callOff[MANY - 2]?.()
      if (number === MANY - 1) all.resolve()
    }),
  )
  callOff[1]?.()
  const far = deadlines.set(3_600_000, () => missed.push(-1))
  expect(deadlines.size).toBe(MANY)
  await all.promise
  isOver = true
  const numbers = Array.from({ length: MANY }, (_, number) => number)
  expect(missed).toEqual(numbers.filter((number) => number !== 1 && number !== MANY - 2))
  expect(most).toBeLessThan(MANY / 4)
  expect(deadlines.size).toBe(1)
  far()
  expect(deadlines.size).toBe(0)
})
