import { Database as Client } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import type { SqliteOptions } from '../../../src/store/sqlite/sqlite-options.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { formatPath } from '../../../src/tree/path.ts'
import { put, strictObserver, wide } from '../../support/store.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { integrityProblems } from './integrity.ts'
import { query } from './queries.ts'

const PAGE_BYTES = 4096

describe('queries', () => {
  let directory: TempDir
  let file: string

  beforeEach(async () => {
    directory = await tempDir()
    file = directory.file('tree')
  })

  afterEach(async () => {
    expect(integrityProblems(file)).toEqual([])
    await directory[Symbol.asyncDispose]()
  })

  function open(options: SqliteOptions = {}): SqliteStore {
    return new SqliteStore(file, { shortList: 0, inlineLength: 0, ...options }, strictObserver)
  }

  function entries(): number {
    const client = new Client(file, { readonly: true })
    try {
      return client.query<{ rows: number }, []>('SELECT count(*) AS rows FROM index_entry').get()?.rows ?? 0
    } finally {
      client.close()
    }
  }

  function orders(store: SqliteStore): string[] {
    return store
      .indexes()
      .map(({ path }) => (path === undefined ? '$key' : formatPath(path)))
      .sort()
  }

  test('by what no child has do not make the file grow', async () => {
    await using first = open()
    await put(
      first,
      '/list',
      wide(2000, (index) => ({ h: index })),
    )
    await first.close()
    const before = statSync(file).size
    await using store = open()
    for (let index = 0; index < 40; index++) {
      const chosen = await query(store, '/list', { orderBy: `nothing${index}`, limitToFirst: 2 })
      expect(Object.keys(JSON.parse(chosen ?? '') as object)).toEqual(['k0', 'k1'])
    }
    await store.close()
    expect(entries()).toBe(0)
    expect(statSync(file).size - before).toBeLessThan(20 * PAGE_BYTES)
  })

  test('by what few children have write rows for those and their neighbors', async () => {
    await using store = open()
    await put(
      store,
      '/list',
      wide(2000, (index) => (index % 500 === 3 ? { h: 1, rare: index } : { h: 1 })),
    )
    await query(store, '/list', { orderBy: 'rare', limitToFirst: 2 })
    await store.close()
    expect(entries()).toBe(4 * 3)
  })

  test('of a list with no place for an index take that of the one not used for the longest time', async () => {
    await using store = open()
    await put(
      store,
      '/list',
      wide(100, (index) => ({ h: index })),
    )
    for (let index = 10; index < 42; index++) await query(store, '/list', { orderBy: `a${index}` })
    expect(orders(store)).toHaveLength(32)
    await nextMillisecond()
    await query(store, '/list', { orderBy: 'a10', limitToFirst: 3 })
    await query(store, '/list', { orderBy: 'h' })
    expect(orders(store)).toHaveLength(32)
    expect(orders(store)).toContain('/h')
    expect(orders(store)).toContain('/a10')
    expect(orders(store)).not.toContain('/a11')
  })

  test('have indexes of so many entries together, the least recently used go', async () => {
    await using store = open({ maxIndexEntries: 2500 })
    const list = wide(1000, (index) => ({ a: index, b: index, c: index }))
    await put(store, '/list', list)
    for (const orderBy of ['a', 'b']) await query(store, '/list', { orderBy, limitToFirst: 2 })
    await nextMillisecond()
    await query(store, '/list', { orderBy: 'a', limitToFirst: 3 })
    await query(store, '/list', { orderBy: 'c', limitToFirst: 2 })
    expect(orders(store)).toEqual(['/a', '/c'])
    await store.swept()
    await store.close()
    expect(entries()).toBe(2000)
  })

  test('that would need more than all may have are answered without', async () => {
    await using store = open({ maxIndexEntries: 900 })
    await put(
      store,
      '/list',
      wide(1000, (index) => ({ a: 1000 - index })),
    )
    for (let time = 0; time < 2; time++) {
      const chosen = await query(store, '/list', { orderBy: 'a', limitToFirst: 2 })
      expect(Object.keys(JSON.parse(chosen ?? '') as object)).toEqual(['k999', 'k998'])
      expect(orders(store)).toEqual([])
    }
    await store.declareIndexes([{ list: ['list'], path: ['a'] }])
    expect(orders(store)).toEqual(['/a'])
  })
})

/** Waits until the clock of the machine shows another millisecond. */
async function nextMillisecond(): Promise<boolean> {
  const now = Date.now()
  while (Date.now() === now) await new Promise(setImmediate)
  return true
}
