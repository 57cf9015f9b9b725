import '../../support/long-lane.ts'
import { describe, expect, test } from 'bun:test'
import { DholeError } from '../../../src/error.ts'
import { type Observer, silentObserver } from '../../../src/observer.ts'
import { parseIndexes } from '../../../src/query/index-declarations.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Job } from '../../../src/store/store.ts'
import { Mirror } from '../../model/store/mirror.ts'
import { HeldSyncs } from '../../support/held-syncs.ts'
import {
  count,
  plain,
  put,
  putJob,
  remove,
  strictObserver,
  turns,
  unwritable,
  watch,
  wide,
} from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { integrityProblems } from './integrity.ts'
import { countChosen, indexLines, query } from './queries.ts'

const LONG = 'x'.repeat(5000)

/** Refuses after having looked. */
const refusing: Job = function* () {
  yield { kind: 'exists', path: ['list', 'k1'] }
  throw new DholeError('permission-denied')
}

const children = wide(200, (index) => ({ h: index % 50, a: { b: `t${index}` } }))

describe.each([[0], [4096]] as const)('at most %d characters in a row, entries stay as they are', (inlineLength) => {
  test.each([
    ['a child that changes', '/list/k1/h', 7],
    ['a child that grows past what an entry holds', '/list/k1/h', LONG],
    ['a new child', '/list/new', { h: 3 }],
    ['a child that goes', '/list/k1', null],
    ['a priority', '/list/k1/.priority', 5],
    ['the list that goes', '/list', null],
    ['the list that becomes a leaf', '/list', 1],
    ['the list that is replaced', '/list', wide(300, (index) => ({ h: -index }))],
    ['everything above that goes', '/', null],
    ['another list', '/other', wide(300, (index) => ({ h: index }))],
  ] as const)('after a write that failed: %s', async (_, path, json) => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    const mirror = new Mirror(new SqliteStore(file, { inlineLength }, strictObserver))
    await using store = mirror.store
    await mirror.put(['keep'], 1)
    await mirror.put(['list'], children)
    const expectAnswers = async () => {
      for (const orderBy of ['h', 'a/b', '$priority']) await mirror.expectAnswers(['list'], { orderBy, startAt: 3 })
    }
    await expectAnswers()
    const lines = await indexLines(store)
    const failed = await Promise.allSettled([
      store.commit(unwritable(putJob(path, json))),
      store.commit(refusing),
      mirror.put(['list', 'k2', 'h'], 8),
      store.commit(unwritable(putJob(path, json))),
      mirror.put(['list', 'k3'], null),
    ])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'rejected', 'fulfilled'])
    await expectAnswers()
    expect(await indexLines(store)).toEqual(lines)
    // Alone, so that there is nobody to try again with.
    // Not by `rejects`: waiting inside, the runner now and then forgets the `setImmediate` that the batch begins with.
    const alone = await store.commit(unwritable(putJob(path, json))).catch((error: unknown) => error)
    expect(alone).toEqual(new Error('broken write'))
    await mirror.put(['list', 'k1', 'h'], 'after')
    await mirror.put(['list', 'k4'], LONG)
    await expectAnswers()
    // What failed before is done in earnest.
    await mirror.put(
      path.split('/').filter((key) => key !== ''),
      json,
    )
    await mirror.put(['list', 'k5', 'h'], 5)
    await expectAnswers()
    await store.swept()
    await store.close()
    expect(integrityProblems(file)).toEqual([])
  })

  test('when a write fails while an index is built', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    await using store = new SqliteStore(file, { inlineLength }, strictObserver)
    await put(
      store,
      '/list',
      wide(8000, (index) => ({ h: index })),
    )
    const asked = watch(query(store, '/list', { orderBy: 'h', limitToLast: 1 }))
    let failures = 0
    while (asked.state === 'waiting') {
      const path = failures % 2 === 0 ? '/list/k7999/h' : '/list/k0'
      await store.commit(unwritable(putJob(path, 'never'))).catch(() => failures++)
      await put(store, '/n', failures)
    }
    expect(failures).toBeGreaterThan(0)
    expect(asked).toMatchObject({ state: 'resolved', value: '{"k7999":{"h":7999}}' })
    await store.swept()
    await store.close()
    expect(integrityProblems(file)).toEqual([])
  })
})

describe('a list without an index', () => {
  const spec = { orderBy: 'h', limitToFirst: 2, startAt: 10 } as const
  const first = '{"k10":{"h":10},"k110":{"h":10}}'
  const list = wide(200, (index) => ({ h: index % 50 }))

  test('is sorted when the sync of its index is done, and others are read meanwhile', async () => {
    await using directory = await tempDir()
    const syncs = new HeldSyncs()
    await using store = new SqliteStore(
      directory.file('tree'),
      { inlineLength: 0, syncLog: syncs.syncLog },
      strictObserver,
    )
    await put(store, '/', { list, short: { a: { h: 1 }, b: { h: 0 } } })
    await store.swept()
    syncs.holding = true
    const asked = watch(query(store, '/list', spec))
    const counted = watch(countChosen(store, '/list', { orderBy: 'h', equalTo: 10 }))
    await syncs.arrived()
    expect([asked.state, counted.state]).toEqual(['waiting', 'waiting'])
    expect(await indexLines(store)).toEqual([])
    expect(await query(store, '/short', { orderBy: 'h' })).toBe('{"b":{"h":0},"a":{"h":1}}')
    expect(await query(store, '/list', { orderBy: '$key', limitToFirst: 1 })).toBe('{"k0":{"h":0}}')
    expect(await count(store, '/list')).toBe(200)
    syncs.release()
    while (asked.state === 'waiting' || counted.state === 'waiting') await turns(1)
    expect([asked.value, counted.value]).toEqual([first, 4])
    expect(await indexLines(store)).toEqual(['/list by h'])
  })

  test('is sorted in memory when nothing can be written any more', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    const syncs = new HeldSyncs()
    const failures: unknown[] = []
    const observer: Observer = { ...silentObserver, storeFailed: (_, error) => failures.push(error) }
    await using store = new SqliteStore(file, { inlineLength: 0, syncLog: syncs.syncLog }, observer)
    await put(store, '/', { list: { ...list, '3': { h: 11 } }, n: 1 })
    await store.swept()
    syncs.holding = true
    const writing = watch(put(store, '/n', 2))
    await syncs.arrived()
    const askedBefore = watch(query(store, '/list', spec))
    await turns(20)
    syncs.end(new Error('the disk is gone'))
    while (writing.state === 'waiting' || askedBefore.state === 'waiting') await turns(1)
    expect(writing).toMatchObject({ state: 'rejected', error: { code: 'unavailable' } })
    expect(askedBefore).toMatchObject({ state: 'resolved', value: first })
    // Asked when it is known already.
    expect(await query(store, '/list', spec)).toBe(first)
    expect(await query(store, '/list', { orderBy: '$value', limitToLast: 1 })).toBe('{"k99":{"h":49}}')
    expect(await query(store, '/list', { orderBy: '$key', endAt: 'k0' }, 'wilddog')).toBe('{"3":{"h":11},"k0":{"h":0}}')
    expect(await countChosen(store, '/list', { orderBy: 'h', startAt: 49 })).toBe(4)
    await expect(store.declareIndexes(parseIndexes({ '/list': ['h'] }))).rejects.toMatchObject({ code: 'unavailable' })
    expect(await indexLines(store)).toEqual([])
    expect(await plain(store, '/n')).toBe('1')
    expect(failures.length).toBe(1)
    await store.close()
    // What its process could not bring to an end the next one does.
    await using again = new SqliteStore(file, { inlineLength: 0 }, strictObserver)
    await again.swept()
    await remove(again, '/n')
    expect(await query(again, '/list', spec)).toBe(first)
    await again.swept()
    await again.close()
    expect(integrityProblems(file)).toEqual([])
  })

  test('asks in vain once the store is closed', async () => {
    await using directory = await tempDir()
    const store = new SqliteStore(directory.file('tree'), { inlineLength: 0 }, strictObserver)
    await put(store, '/', { list })
    const asked = watch(query(store, '/list', spec))
    const declared = watch(store.declareIndexes(parseIndexes({ '/list': ['a'] })))
    await store.close()
    while (asked.state === 'waiting' || declared.state === 'waiting') await turns(1)
    for (const outcome of [asked, declared]) {
      expect(outcome).toMatchObject({ state: 'rejected', error: { code: 'unavailable' } })
    }
    await expect(query(store, '/list', spec)).rejects.toMatchObject({ code: 'unavailable' })
  })
})
