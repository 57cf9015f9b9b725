import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { SqliteOptions } from '../../../src/store/sqlite/sqlite-options.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { parsePath } from '../../../src/tree/path.ts'
import { TRUSTED } from '../../../src/tree/read-program.ts'
import { HeldSyncs } from '../../support/held-syncs.ts'
import { plain, put, putJob, strictObserver, turns, unlimited, watch, wide } from '../../support/store.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { integrityProblems } from './integrity.ts'

let dir: TempDir
let file: string

beforeEach(async () => {
  dir = await tempDir()
  file = dir.file('tree.sqlite')
})

afterEach(async () => {
  await dir[Symbol.asyncDispose]()
})

function open(options: SqliteOptions = {}): SqliteStore {
  return new SqliteStore(file, options, strictObserver)
}

/** Opens the file as a program does whose modules have been evaluated anew in this process. */
function openAnew(options: SqliteOptions = {}): SqliteStore {
  for (const [key, holder] of globalThis.dholeOpenFiles ?? []) {
    globalThis.dholeOpenFiles?.set(key, { ...holder, evaluation: Symbol('earlier') })
  }
  return open(options)
}

test('who opens a file twice in one evaluation is refused', async () => {
  await using store = open()
  expect(() => open()).toThrow('in use')
  await put(store, '/a', 1)
  expect(await plain(store)).toBe('{"a":1}')
})

test('a file is not taken by its own name only', async () => {
  await using dirOfOther = await tempDir()
  const old = open()
  const other = new SqliteStore(dirOfOther.file('tree.sqlite'), {}, strictObserver)
  await using again = openAnew()
  await put(other, '/a', 1)
  await put(again, '/a', 2)
  expect([await plain(other), await plain(again)]).toEqual(['{"a":1}', '{"a":2}'])
  await other.close()
  await old.close()
})

test('writes whose sync is under way, and those behind them, are answered and there', async () => {
  const syncs = new HeldSyncs()
  const old = open({ syncLog: syncs.syncLog })
  await put(old, '/before', 1)
  syncs.holding = true
  const synced = watch(put(old, '/syncing', 1))
  await syncs.arrived()
  const queued = Array.from({ length: 100 }, (_, index) => watch(put(old, `/queued/${index}`, index)))
  await using again = openAnew()
  await turns(1)
  expect(synced.state).toBe('resolved')
  expect(queued.filter(({ state }) => state !== 'resolved')).toEqual([])
  expect(JSON.parse((await plain(again)) ?? '')).toMatchObject({ before: 1, syncing: 1 })
  expect(await again.count(parsePath('/queued'), undefined, unlimited, TRUSTED)).toBe(100)
  // What returns late finds nothing to do.
  syncs.release()
  await old.close()
  await put(again, '/after', 1)
  expect(await plain(again, '/after')).toBe('1')
})

test('a write in the middle of its transaction is finished', async () => {
  const old = open()
  const megabyte = new Uint8Array(1024 * 1024)
  let steps = 0
  const long = watch(
    old.commit(function* (context) {
      for (; steps < 1000; steps++) {
        yield { kind: 'pause' }
        // Work enough for several turns of the loop.
        Bun.hash(megabyte)
      }
      return yield* putJob('/long', wide(2000, String))(context)
    }),
  )
  while (steps === 0) await turns(1)
  expect(steps).toBeLessThan(1000)
  const behind = watch(put(old, '/behind', 1))
  await using again = openAnew()
  await turns(1)
  expect([long.state, behind.state]).toEqual(['resolved', 'resolved'])
  expect(await again.count(parsePath('/long'), undefined, unlimited, TRUSTED)).toBe(2000)
  expect(await plain(again, '/behind')).toBe('1')
  await old.close()
})

test('a job that fails is refused, and only that one', async () => {
  const syncs = new HeldSyncs()
  const old = open({ syncLog: syncs.syncLog })
  const own = new Error('mine')
  const refused = watch(
    // biome-ignore lint/correctness/useYield: it fails before it asks for anything
    old.commit(function* () {
      throw own
    }),
  )
  const good = watch(put(old, '/good', 1))
  await using again = openAnew()
  await turns(1)
  expect([refused.error, good.state]).toEqual([own, 'resolved'])
  expect(await plain(again)).toBe('{"good":1}')
  await old.close()
})

test('long reads and exports fail, and nothing is left of them', async () => {
  const old = open({ cacheLength: 0 })
  for (let part = 0; part < 8; part++)
    await put(
      old,
      `/list/part${part}`,
      wide(20_000, (index) => `text ${index}`),
    )
  const reading = watch(Promise.resolve(old.node(parsePath('/list'), unlimited, TRUSTED)))
  const pieces = old.export(parsePath('/list'))
  await pieces.next()
  expect(reading.state).toBe('waiting')
  await using again = openAnew()
  const next = watch(pieces.next())
  while (reading.state === 'waiting' || next.state === 'waiting') await turns(1)
  expect([reading.error, next.error]).toMatchObject([{ code: 'unavailable' }, { code: 'unavailable' }])
  await old.close()
  expect(await again.count(parsePath('/list'), undefined, unlimited, TRUSTED)).toBe(8)
})

test('the one before answers nothing more, and closing it does no harm', async () => {
  const old = open()
  const told: string[] = []
  old.onReplaced(() => told.push('replaced'))
  await put(old, '/a', 1)
  // It is in the cache of texts then.
  expect(await plain(old, '/a')).toBe('1')
  const again = openAnew()
  expect(told).toEqual(['replaced'])
  await expect((async () => old.node(parsePath('/a'), unlimited, TRUSTED))()).rejects.toMatchObject({
    code: 'unavailable',
  })
  await expect(put(old, '/a', 2)).rejects.toMatchObject({ code: 'unavailable' })
  await expect(old.check()).rejects.toMatchObject({ code: 'unavailable' })
  await old.close()
  await old.close()
  await put(again, '/b', 2)
  expect(() => open()).toThrow('in use')
  await again.close()
  expect(integrityProblems(file)).toEqual([])
})

test('many in a row, with a log that is being shortened', async () => {
  let store = open({ walLimitBytes: 200_000 })
  const closing: Promise<void>[] = []
  for (let round = 0; round < 12; round++) {
    const writes = Array.from({ length: 6 }, (_, index) =>
      put(store, `/round${round}/${index}`, 'x'.repeat(30_000 + round)),
    )
    // Each round is met at another moment of the writing, the syncing and the shortening.
    await turns(round)
    const before = store
    store = openAnew({ walLimitBytes: 200_000 })
    closing.push(before.close())
    await Promise.all(writes)
    expect(await store.count(parsePath(`/round${round}`), undefined, unlimited, TRUSTED)).toBe(6)
  }
  await Promise.all(closing)
  expect(await store.count([], undefined, unlimited, TRUSTED)).toBe(12)
  await store.close()
  expect(integrityProblems(file)).toEqual([])
})
