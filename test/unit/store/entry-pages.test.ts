import { expect, test } from 'bun:test'
import { connectReader } from '../../../src/store/sqlite/file/connection.ts'
import { entryPages } from '../../../src/store/sqlite/indexes/building/child-entries.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { TreeReader } from '../../../src/store/sqlite/tree/tree-reader.ts'
import { put, strictObserver } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'

/** Not so long that it is stored in chunks. */
const LONG = 60_000
const MOST_TEXT = 1024 * 1024

test.each<[string, readonly string[], (text: string) => unknown]>([
  ['of the children', [], (text) => text],
  ['below the children', ['h'], (text) => ({ h: text })],
])('a page of entries is read from few texts %s', async (_, path, child) => {
  await using dir = await tempDir()
  const file = dir.file('tree')
  await using store = new SqliteStore(file, {}, strictObserver)
  const children = Array.from({ length: 60 }, (__, index): [string, unknown] => [
    `k${index}`,
    child(String(index).padEnd(LONG, 'x')),
  ])
  await put(store, '/list', Object.fromEntries(children))
  const connection = connectReader(file)
  const list = connection.client.query<{ id: number }, []>("SELECT id FROM interior WHERE key = 'list'").get()
  const pages = [
    ...entryPages(connection, new TreeReader(connection), { listId: list?.id ?? 0, path, covering: false }),
  ]
  connection.client.close()
  const rows = pages.map((page) => page.rows)
  expect(Math.max(...rows) * LONG).toBeLessThan(MOST_TEXT)
  expect(rows.reduce((sum, count) => sum + count)).toBe(60)
  expect(pages.flatMap(({ entries }) => entries.map(({ key }) => key))).toEqual(children.map(([key]) => key).toSorted())
})
