import { describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import type { Observer } from '../../../src/observer.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Job } from '../../../src/store/store.ts'
import type { ReadAnswer, Reads } from '../../../src/tree/read-program.ts'
import { HeldSyncs } from '../../support/held-syncs.ts'
import {
  count,
  plain,
  put,
  putJob,
  remove,
  shallow,
  strictObserver,
  turns,
  unwritable,
  watch,
  wide,
} from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { integrityProblems } from './integrity.ts'

class Recorder implements Observer {
  readonly failures: unknown[] = []
  readonly troubles: unknown[] = []

  storeFailed(_: string, error: unknown): void {
    this.failures.push(error)
  }

  storeTroubled(_: string, error: unknown): void {
    this.troubles.push(error)
  }

  requestFailed(): void {}
}

const LONG = 'x'.repeat(5000)

/** Writes nothing, and keeps what it saw. */
function looking(path: readonly string[], answers: ReadAnswer[]): Job {
  return function* () {
    answers.push(yield { kind: 'leaf', path })
    return { result: undefined }
  }
}

/** Sets a text beside the tree. */
// biome-ignore lint/correctness/useYield: a job that asks for nothing
const setting: Job = function* () {
  return { result: undefined, settings: [['rules', 'new']] }
}

async function look(store: SqliteStore): Promise<unknown> {
  return {
    root: await plain(store),
    list: await plain(store, '/list'),
    added: await plain(store, '/list/added'),
    removed: await plain(store, '/removed/x'),
    count: await count(store, '/list'),
    shallow: await shallow(store),
    changes: (await store.changesAfter({ ...store.position(), seq: 0 }, 100))?.map(({ seq }) => seq),
    seq: store.position().seq,
    setting: store.setting('rules'),
    asked: await store.read(function* (): Reads<ReadAnswer> {
      return yield { kind: 'setting', name: 'rules' }
    }),
  }
}

/** So many jobs that the store does not wait for the running sync before it runs them. */
function enoughForABatch(store: SqliteStore): Promise<unknown> {
  return Promise.all(Array.from({ length: 64 }, () => store.commit(looking([], []))))
}

describe.each([[0], [4096]] as const)('at most %d characters in a row, while a sync is held back', (inlineLength) => {
  test('nothing of it is told or seen', async () => {
    await using directory = await tempDir()
    const syncs = new HeldSyncs()
    await using store = new SqliteStore(
      directory.file('tree'),
      { inlineLength, syncLog: syncs.syncLog },
      strictObserver,
    )
    await put(store, '/', { list: { first: LONG }, removed: { x: LONG } })
    await store.swept()
    const before = await look(store)
    syncs.holding = true
    const answers: ReadAnswer[] = []
    const first = watch(Promise.all([put(store, '/list/added', 1), remove(store, '/removed'), store.commit(setting)]))
    await syncs.arrived()
    const later = watch(store.commit(looking(['list', 'added'], answers)))
    const failing = watch(
      store.commit(function* () {
        throw new Error(`saw ${yield { kind: 'leaf', path: ['list', 'added'] }}`)
      }),
    )
    const third = watch(put(store, '/list/added', 2))
    await Promise.race([enoughForABatch(store), turns(20)])
    // The later jobs have run and seen it; nobody hears of that.
    expect(answers).toEqual([1])
    expect([first.state, later.state, failing.state, third.state]).toEqual(['waiting', 'waiting', 'waiting', 'waiting'])
    expect(await look(store)).toEqual(before)
    expect(syncs.waiting).toBe(1)

    syncs.release()
    while (first.state === 'waiting' || third.state === 'waiting') await turns(1)
    expect(later.state).toBe('resolved')
    expect(failing).toMatchObject({ state: 'rejected', error: { message: 'saw 1' } })
    expect(await look(store)).toEqual({
      root: `{"list":{"added":2,"first":"${LONG}"}}`,
      list: `{"added":2,"first":"${LONG}"}`,
      added: '2',
      removed: undefined,
      count: 2,
      shallow: '{"list":true}',
      changes: [1, 2, 3, 4],
      seq: 4,
      setting: 'new',
      asked: 'new',
    })
  })

  test('a sync covers only what was committed when it began', async () => {
    await using directory = await tempDir()
    const syncs = new HeldSyncs()
    await using store = new SqliteStore(
      directory.file('tree'),
      { inlineLength, syncLog: syncs.syncLog },
      strictObserver,
    )
    await put(store, '/keep', LONG)
    await store.swept()
    syncs.holding = true
    const first = watch(put(store, '/n', 1))
    await syncs.arrived()
    const second = watch(put(store, '/n', 2))
    await turns(20)
    syncs.release()
    syncs.holding = true
    while (first.state === 'waiting') await turns(1)
    await syncs.arrived()
    expect(second.state).toBe('waiting')
    expect([await plain(store, '/n'), store.position().seq]).toEqual(['1', 2])
    // Read while it was not yet the latest: must not stay in any cache.
    expect(await plain(store)).toBe(`{"keep":"${LONG}","n":1}`)
    syncs.release()
    while (second.state === 'waiting') await turns(1)
    expect(await plain(store)).toBe(`{"keep":"${LONG}","n":2}`)
    expect([await plain(store, '/n'), store.position().seq]).toEqual(['2', 3])
  })
})

describe('a sync that fails', () => {
  test('ends all writing, and nothing is acknowledged', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    const syncs = new HeldSyncs()
    const observer = new Recorder()
    await using store = new SqliteStore(file, { syncLog: syncs.syncLog }, observer)
    await put(store, '/a', 1)
    await store.swept()
    const before = await look(store)
    syncs.holding = true
    const failed = watch(put(store, '/a', 2))
    await syncs.arrived()
    const later = watch(put(store, '/a', 3))
    await turns(20)
    const queued = watch(put(store, '/a', 4))
    const cause = new Error('the disk is gone')
    syncs.end(cause)
    while (failed.state === 'waiting' || later.state === 'waiting' || queued.state === 'waiting') await turns(1)
    const afterwards = watch(put(store, '/a', 5))
    const reading = watch(store.commit(looking(['a'], [])))
    await turns(20)
    for (const outcome of [failed, later, queued, afterwards, reading]) {
      expect(outcome).toMatchObject({ state: 'rejected', error: { name: 'DholeError', code: 'unavailable', cause } })
    }
    expect(observer.failures).toEqual([cause])
    expect(observer.troubles).toEqual([])
    expect(await look(store)).toEqual(before)
    await store.swept()
    await store.close()
    // The log is not moved by whoever has seen it fail, but by the next one.
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0)
    await new SqliteStore(file, {}, observer).close()
    expect(integrityProblems(file)).toEqual([])
  })

  test('also refuses the jobs of a transaction that is rolled back after it', async () => {
    await using directory = await tempDir()
    const syncs = new HeldSyncs()
    const observer = new Recorder()
    const store = new SqliteStore(directory.file('tree'), { syncLog: syncs.syncLog }, observer)
    await put(store, '/a', 1)
    await store.swept()
    syncs.holding = true
    const failed = watch(put(store, '/a', 2))
    await syncs.arrived()
    let isHeld = true
    const long: Job = function* () {
      // Keeps its transaction open for several turns.
      for (const since = performance.now(); isHeld && performance.now() - since < 10_000; ) yield { kind: 'pause' }
      return { result: undefined }
    }
    const later = [watch(store.commit(long)), watch(store.commit(unwritable(putJob('/b', 1))))]
    const others = watch(enoughForABatch(store))
    await turns(5)
    syncs.end(new Error('the disk is gone'))
    await turns(5)
    expect(failed.state).toBe('rejected')
    isHeld = false
    for (let turn = 0; turn < 1000 && later.some(({ state }) => state === 'waiting'); turn++) await turns(1)
    expect([...later, others].map(({ state }) => state)).toEqual(['rejected', 'rejected', 'rejected'])
    await store.close()
  }, 120_000)

  test('while a long write is open fails that too', async () => {
    await using directory = await tempDir()
    const syncs = new HeldSyncs()
    const observer = new Recorder()
    await using store = new SqliteStore(directory.file('tree'), { syncLog: syncs.syncLog }, observer)
    await put(store, '/a', 1)
    await store.swept()
    syncs.holding = true
    const failed = watch(put(store, '/a', 2))
    await syncs.arrived()
    const long = watch(
      put(
        store,
        '/big',
        wide(20_000, (index) => `${index} `.repeat(40)),
      ),
    )
    await turns(2)
    expect(long.state).toBe('waiting')
    syncs.end(new Error('the disk is gone'))
    while (failed.state === 'waiting' || long.state === 'waiting') await turns(1)
    expect(long).toMatchObject({ state: 'rejected', error: { code: 'unavailable' } })
    expect(await plain(store)).toBe('{"a":1}')
    expect(observer.failures.length).toBe(1)
  })
})
