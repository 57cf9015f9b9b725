import { expect, test } from 'bun:test'
import type { StoredEntry } from '../../../src/store/sqlite/indexes/building/child-entries.ts'
import { EntrySorter } from '../../../src/store/sqlite/indexes/building/entry-sorter.ts'

const KINDS = 6
const ENTRIES = 20_000

/** Entries of every kind in no order; kinds without a value have the value 0. */
function entry(index: number): StoredEntry {
  const scattered = (index * 7919) % ENTRIES
  const kind = scattered % KINDS
  const key = `k${String(index).padStart(5, '0')}`
  if (kind === 3) return { kind, value: (scattered % 100) / 8, key }
  return { kind, value: kind === 4 ? `text ${scattered % 1000}` : 0, key }
}

function rank({ kind, value, key }: StoredEntry): string {
  const number = typeof value === 'number' ? value.toFixed(3).padStart(10, '0') : value
  return `${kind} ${number} ${key}`
}

test.each([[100], [777], [10_000], [ENTRIES], [ENTRIES + 1]])('sorts entries in runs of %d', (runLength) => {
  const entries = Array.from({ length: ENTRIES }, (_, index) => entry(index))
  const sorter = new EntrySorter(runLength)
  for (let from = 0; from < ENTRIES; from += 250) sorter.add(entries.slice(from, from + 250))
  const sorted = [...sorter.pages()].flat()
  sorter.close()
  expect(sorted).toEqual(entries.toSorted((left, right) => (rank(left) < rank(right) ? -1 : 1)))
})

test('sorts nothing', () => {
  expect([...new EntrySorter(10).pages()]).toEqual([])
})
