import { expect, test } from 'bun:test'
import { KeyTable } from '../../../src/hub/key-table.ts'

/** Keys added between two looks at the memory of the table. */
const LOOKED_EVERY = 32

/** Adds keys and returns by how much the memory of the table grew for a few of them, at most, in bytes. */
function longestStep(table: KeyTable, keys: Iterable<string>): number {
  let longest = 0
  let before = table.byteLength
  let added = 0
  for (const key of keys) {
    table.add(key)
    if (++added % LOOKED_EVERY !== 0) continue
    const after = table.byteLength
    longest = Math.max(longest, after - before)
    before = after
  }
  return longest
}

function* keysOf(count: number, length: number): Generator<string> {
  for (let index = 0; index < count; index++) yield `${index}`.padStart(length, 'k')
}

test.each([
  ['200,000 short keys', 200_000, 20, 512 * 1024],
  ['20,000 keys of the longest', 20_000, 768, 4 * 1024 * 1024],
])('a table of %s grows in small steps', (...[_, count, length, most]) => {
  const table = new KeyTable()
  expect(longestStep(table, keysOf(count, length))).toBeLessThan(most)
  expect(table.size).toBe(count)
  expect(table.byteLength).toBeLessThan(count * (1.5 * length + 60))
})

test('a table of a known size grows little', () => {
  const table = new KeyTable(100_000, 100_000 * 20)
  const before = table.byteLength
  longestStep(table, keysOf(100_000, 20))
  expect(table.byteLength).toBeLessThan(before * 1.1)
})

test('it holds what a set holds, through growth and deletions', () => {
  const table = new KeyTable()
  const set = new Set<string>()
  // A generator of Lehmer: the same keys in every run.
  let random = 1
  const next = (below: number) => {
    random = (random * 48_271) % 2_147_483_647
    return random % below
  }
  for (let step = 0; step < 60_000; step++) {
    const key = `${'é'.repeat(next(4))}${next(12_000)}`
    if (next(3) === 0) {
      table.delete(key)
      set.delete(key)
    } else {
      table.add(key)
      set.add(key)
    }
  }
  expect(table.size).toBe(set.size)
  expect([...table].sort()).toEqual([...set].sort())
  for (let index = 0; index < 12_000; index++) expect(table.has(`${index}`)).toBe(set.has(`${index}`))
})
