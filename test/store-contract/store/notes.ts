import { describe, expect, test } from 'bun:test'
import type { Job, TreeStore } from '../../../src/store/store.ts'
import type { ReadAnswer } from '../../../src/tree/read-program.ts'
import { commit, nothing, plain, putJob, unwritable } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { Engine } from './contract.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Keeps a record with what another job does. */
function noting(key: string, text: string, job: Job = nothing): Job {
  return function* (context) {
    return { ...(yield* job(context)), record: { key, text } }
  }
}

/** Keeps what it finds under a key at that place in the order of the writes. */
function looking(key: string, found: ReadAnswer[]): Job {
  return function* () {
    found.push(yield { kind: 'idempotency-record', key })
    return { result: undefined }
  }
}

async function notesOf(store: TreeStore, ...keys: readonly string[]): Promise<readonly ReadAnswer[]> {
  const found: ReadAnswer[] = []
  for (const key of keys) await store.commit(looking(key, found))
  return found
}

/** Opens a store at another time. */
async function at<T>(shift: number, use: () => Promise<T>): Promise<T> {
  const clock = Date.now
  Date.now = () => clock() + shift
  try {
    return await use()
  } finally {
    Date.now = clock
  }
}

const breaking = unwritable(putJob('/a', 1))

export function noteContract(engine: Engine): void {
  describe('notes', () => {
    test('are kept across restarts, with a change and without, the last of a key', async () => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      {
        await using store = await engine.open(file)
        expect((await commit(store, noting('with', 'first "\u0000 \u{1F600}', putJob('/a', 1))))?.seq).toBe(1)
        expect(await commit(store, noting('without', ''))).toBeUndefined()
        await store.commit(noting('twice', 'first'))
        await store.commit(noting('twice', 'second'))
        expect(await notesOf(store, 'with')).toEqual(['first "\u0000 \u{1F600}'])
      }
      await using store = await engine.open(file)
      expect(await notesOf(store, 'with', 'without', 'twice', 'With', '')).toEqual([
        'first "\u0000 \u{1F600}',
        '',
        'second',
        undefined,
        undefined,
      ])
      expect([await plain(store), store.position().seq]).toEqual(['{"a":1}', 1])
    })

    test('are seen by the jobs behind them, in the same batch already', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      const found: ReadAnswer[] = []
      await Promise.all([
        store.commit(looking('k', found)),
        store.commit(noting('k', 'one', putJob('/a', 1))),
        store.commit(looking('k', found)),
        store.commit(noting('k', 'two')),
        store.commit(looking('k', found)),
      ])
      expect(found).toEqual([undefined, 'one', 'two'])
    })

    test('of a change that cannot be written are not there, those of others are', async () => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      {
        await using store = await engine.open(file)
        await store.commit(noting('kept', 'before'))
        const outcomes = await Promise.allSettled([
          store.commit(noting('one', '1', putJob('/one', 1))),
          store.commit(noting('kept', 'broken', breaking)),
          store.commit(noting('two', '2')),
        ])
        expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
        expect(await notesOf(store, 'one', 'kept', 'two')).toEqual(['1', 'before', '2'])
      }
      await using store = await engine.open(file)
      expect(await notesOf(store, 'one', 'kept', 'two')).toEqual(['1', 'before', '2'])
      expect(await plain(store)).toBe('{"one":1}')
    })

    test('go after a day, and not before', async () => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      {
        await using store = await engine.open(file)
        await store.commit(noting('k', 'first'))
      }
      const reopened = (shift: number) =>
        at(shift, async () => {
          await using store = await engine.open(file)
          return await notesOf(store, 'k')
        })
      expect(await reopened(DAY_MS - 60_000)).toEqual(['first'])
      expect(await reopened(DAY_MS + 60_000)).toEqual([undefined])
    })

    test('outlast a clock that jumps while the store is open, and one that has gone back', async () => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      const years = 10 * 365 * DAY_MS
      await at(years, async () => {
        await using ahead = await engine.open(file)
        await ahead.commit(noting('ahead', '1'))
      })
      {
        await using store = await engine.open(file)
        await store.commit(noting('back', '2'))
        expect(await notesOf(store, 'ahead', 'back')).toEqual(['1', '2'])
        expect(await at(2 * DAY_MS, () => notesOf(store, 'ahead', 'back'))).toEqual(['1', '2'])
      }
      // They do go once the clock is where it was and a day is over.
      const later = await at(years + DAY_MS + 60_000, async () => {
        await using store = await engine.open(file)
        return await notesOf(store, 'ahead', 'back')
      })
      expect(later).toEqual([undefined, undefined])
    })

    test('are removed though the clock has gone back behind them', async () => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      await at(DAY_MS / 2, async () => {
        await using ahead = await engine.open(file)
        await ahead.commit(noting('k', '1'))
      })
      {
        // Every note lies further back than minus a minute.
        await using store = await engine.open(file, { noteAgeMs: -60_000 })
        await store.swept()
      }
      await using store = await engine.open(file)
      expect(await notesOf(store, 'k')).toEqual([undefined])
    })

    test('are removed when they are old, and the oldest when there are too many', async () => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      const keys = Array.from({ length: 3000 }, (_, index) => `k${index}`)
      {
        await using store = await engine.open(file, { maxNotes: 10 })
        await Promise.all(keys.map((key) => store.commit(noting(key, key))))
        await store.swept()
        expect(await notesOf(store, ...keys.slice(2988))).toEqual([undefined, undefined, ...keys.slice(2990)])
      }
      {
        // Every note lies further back than minus a minute.
        await using store = await engine.open(file, { noteAgeMs: -60_000 })
        await store.swept()
      }
      await using store = await engine.open(file)
      expect(await notesOf(store, ...keys.slice(2988))).toEqual(Array.from({ length: 12 }, () => undefined))
      await store.commit(noting('k', 'again'))
      expect(await notesOf(store, 'k')).toEqual(['again'])
    })
  })
}
