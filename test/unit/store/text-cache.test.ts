import { expect, test } from 'bun:test'
import { TextCache } from '../../../src/store/text-cache.ts'
import { NodeText } from '../../../src/tree/json/node-text.ts'

const MANY = 20_000
const pathOf = (index: number) => ['list', `k${index}`]
/** Of one length. */
const textOf = (index: number) => new NodeText(`${100_000 + index}`)

function keptOf(cache: TextCache): number {
  return Array.from({ length: MANY }, (_, index) => cache.get(`/list/k${index}`)).filter((text) => text).length
}

function filled(room: number): TextCache {
  const cache = new TextCache(room)
  for (let index = 0; index < MANY; index++) cache.set(pathOf(index), textOf(index))
  return cache
}

const ENOUGH = 10_000_000

test('a write above many texts forgets all of them', () => {
  const cache = filled(ENOUGH)
  expect(keptOf(cache)).toBe(MANY)
  cache.invalidate(['list'])
  expect(keptOf(cache)).toBe(0)
  cache.set(pathOf(1), textOf(1))
  expect(cache.get('/list/k1')?.plain).toBe('100001')
})

test('many writes forget what they write, and one write forgets nothing beside it', () => {
  const cache = filled(ENOUGH)
  cache.invalidateAll(['list'], [{ path: pathOf(3) }])
  expect(cache.get('/list/k3')).toBeUndefined()
  expect(keptOf(cache)).toBe(MANY - 1)
  cache.invalidateAll(
    ['list'],
    Array.from({ length: MANY }, (_, index) => ({ path: pathOf(index) })),
  )
  expect(keptOf(cache)).toBe(0)
})

test('answers of many queries of a node are forgotten with it', () => {
  const cache = new TextCache(ENOUGH)
  const text = textOf(1)
  for (let query = 0; query < MANY; query++) cache.setAnswer(['list'], `${query}`, { text, index: undefined })
  cache.invalidate(['list', 'k1'])
  for (let query = 0; query < MANY; query++) expect(cache.getAnswer('/list', `${query}`)).toBeUndefined()
})

test('a full cache keeps what is read again, and takes in other texts after a while when all of them are', () => {
  const cache = filled(1_000_000)
  const kept = keptOf(cache)
  expect(kept).toBeGreaterThan(1000)
  expect(kept).toBeLessThan(MANY)
  // All are read again now, so that none goes before each was looked at.
  for (let index = 0; index < kept; index++) cache.set(['other', `${index}`], textOf(index))
  const others = Array.from({ length: kept }, (_, index) => cache.get(`/other/${index}`)).filter((text) => text)
  expect(others.length).toBeGreaterThan(0)
  expect(others.length + keptOf(cache)).toBeLessThanOrEqual(kept)
})
