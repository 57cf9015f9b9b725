import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import type { StoredEntry } from '../../../src/store/sqlite/indexes/building/child-entries.ts'
import { EntrySorter } from '../../../src/store/sqlite/indexes/building/entry-sorter.ts'
import { tempDir } from '../../support/temp-dir.ts'

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

test.each([[100], [777], [10_000], [ENTRIES], [ENTRIES + 1]])('sorts entries in runs of %d', async (runLength) => {
  await using dir = await tempDir()
  const entries = Array.from({ length: ENTRIES }, (_, index) => entry(index))
  const sorter = new EntrySorter(dir.file('tree'), runLength)
  for (let from = 0; from < ENTRIES; from += 250) sorter.add(entries.slice(from, from + 250))
  const sorted = [...sorter.pages()].flat()
  expect(readdirSync(dir.path)).toEqual([])
  sorter.close()
  expect(sorted).toEqual(entries.toSorted((left, right) => (rank(left) < rank(right) ? -1 : 1)))
})

test('sorts nothing', () => {
  expect([...new EntrySorter('tree', 10).pages()]).toEqual([])
})

test('keeps few long texts in memory: the rest goes beside the tree', async () => {
  await using dir = await tempDir()
  const sorter = new EntrySorter(dir.file('missing/tree'))
  const add = () => {
    for (let index = 0; index < 100; index++) {
      sorter.add([{ kind: 4, value: 'x'.repeat(1024 * 1024), key: `k${index}` }])
    }
  }
  expect(add).toThrow('ENOENT')
})
