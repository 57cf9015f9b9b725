import { afterEach, expect, test } from 'bun:test'
import { makeQuery } from '../../../src/query/query.ts'
import { sortInWorker } from '../../../src/store/sqlite/indexes/building/entry-source.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { TRUSTED } from '../../../src/tree/read-program.ts'
import { put, strictObserver, unlimited, wide } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'

const TREES = 6
const CHILDREN = 3000
const MOST_WORKERS = 2

const RealWorker = globalThis.Worker

afterEach(() => {
  globalThis.Worker = RealWorker
})

/** Counts the workers that sort and are not terminated. */
function countWorkers(): { most: number; now: number } {
  const counted = { most: 0, now: 0 }
  globalThis.Worker = class extends RealWorker {
    readonly #sorts: boolean

    constructor(file: string | URL) {
      super(file)
      this.#sorts = String(file).includes('entry-worker')
      if (!this.#sorts) return
      counted.now++
      counted.most = Math.max(counted.most, counted.now)
    }

    override terminate(): void {
      if (this.#sorts) counted.now--
      super.terminate()
    }
  }
  return counted
}

test('many trees are sorted by a few workers, one after the other', async () => {
  await using dir = await tempDir()
  const counted = countWorkers()
  const stores = Array.from({ length: TREES }, (_, index) => new SqliteStore(dir.file(`${index}`), {}, strictObserver))
  const list = wide(CHILDREN, (index) => ({ h: CHILDREN - index }))
  await Promise.all(stores.map((store) => put(store, '/list', list)))
  const query = makeQuery({ orderBy: 'h', limitToFirst: 1 }, 'firebase')
  const asked = stores.map((store) => store.query(['list'], query, unlimited, TRUSTED))
  // Writes while a build waits for a worker are part of what the worker reads.
  await Promise.all(stores.map((store) => put(store, '/list/k0/h', -1)))
  await Promise.all(asked)
  for (const store of stores) {
    const answer = await store.query(['list'], query, unlimited, TRUSTED)
    expect(String(answer?.export)).toBe('{"k0":{"h":-1}}')
  }
  await Promise.all(stores.map((store) => store.close()))
  expect(counted).toEqual({ most: MOST_WORKERS, now: 0 })
})

test('a tree that closes while its build waits for a worker does not wait for one', async () => {
  await using dir = await tempDir()
  const stores = Array.from({ length: TREES }, (_, index) => new SqliteStore(dir.file(`${index}`), {}, strictObserver))
  const list = wide(CHILDREN, (index) => ({ h: index }))
  await Promise.all(stores.map((store) => put(store, '/list', list)))
  const query = makeQuery({ orderBy: 'h', limitToFirst: 1 }, 'firebase')
  const asked = Promise.allSettled(stores.map(async (store) => store.query(['list'], query, unlimited, TRUSTED)))
  await Promise.all(stores.map((store) => put(store, '/other', 1)))
  await Promise.all(stores.map((store) => store.close()))
  await asked
})

test('what cannot be read is told, and the worker ends', async () => {
  const failed = Promise.withResolvers<Error>()
  const source = sortInWorker(
    '/missing/tree',
    { listId: 1, path: [], covering: false },
    {
      pinned: () => {},
      received: () => {},
      failed: failed.resolve,
    },
  )
  expect((await failed.promise).message).toStartWith('cannot sort the entries of an index: ')
  await source.stop()
})
