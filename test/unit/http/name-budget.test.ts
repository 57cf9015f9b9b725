import { expect, test } from 'bun:test'
import { NameBudget } from '../../../src/http/limits/name-budget.ts'

const FEW = 1000
const MANY = 100_000
const NEVER = 2 ** 30

/** Whether a promise is settled once everything that is due has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const later = Symbol('later')
  await new Promise((resolve) => setImmediate(resolve))
  return (await Promise.race([promise, Promise.resolve(later)])) !== later
}

test('a text waits until the names of others are gone, in its turn', async () => {
  const budget = new NameBudget(2 * MANY, NEVER)
  const [first, second] = [await budget.reserve(MANY), await budget.reserve(MANY)]
  const [third, fourth] = [budget.reserve(2 * MANY), budget.reserve(MANY)]
  expect(await isSettled(third)).toBe(false)
  first?.release()
  // There is room for the fourth, but it came later.
  expect([await isSettled(third), await isSettled(fourth)]).toEqual([false, false])
  second?.release()
  expect([await isSettled(third), await isSettled(fourth)]).toEqual([true, false])
  ;(await third)?.release()
  ;(await fourth)?.release()
  expect(budget.names).toBe(0)
})

test('names are counted until their text is collected', async () => {
  const budget = new NameBudget(MANY, NEVER)
  const hold = async () => {
    const reservation = await budget.reserve(MANY)
    reservation?.isFor({ a: 1 })
  }
  await hold()
  expect(budget.names).toBe(MANY)
  // Ends only when the object is collected: nothing else releases its names.
  await budget.reserve(MANY)
  expect(budget.names).toBe(MANY)
})

test('a text without objects holds nothing', async () => {
  const budget = new NameBudget(MANY, NEVER)
  ;(await budget.reserve(MANY))?.isFor('text')
  expect(budget.names).toBe(0)
})

test('few names do not count, and one text may exceed the bound', async () => {
  const budget = new NameBudget(MANY, NEVER)
  expect(await budget.reserve(FEW)).toBeUndefined()
  expect(await budget.reserve(3 * MANY)).toBeDefined()
  expect(await budget.reserve(FEW)).toBeUndefined()
  expect(budget.names).toBe(3 * MANY)
})

test('the wait is bounded', async () => {
  const budget = new NameBudget(MANY, 1)
  const [first, second] = [await budget.reserve(MANY), await budget.reserve(MANY)]
  expect(budget.names).toBe(2 * MANY)
  first?.release()
  second?.release()
})
