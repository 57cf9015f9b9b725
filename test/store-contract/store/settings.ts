import { describe, expect, test } from 'bun:test'
import { DholeError } from '../../../src/error.ts'
import type { Job } from '../../../src/store/store.ts'
import type { ReadAnswer } from '../../../src/tree/read-program.ts'
import { commit, put, putJob, unwritable } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { Engine } from './contract.ts'

function setting(name: string, text: string): Job {
  // biome-ignore lint/correctness/useYield: a job that asks for nothing
  return function* () {
    return { result: undefined, settings: [[name, text]] }
  }
}

/** Keeps what the setting is at that place in the order of the writes. */
function looking(name: string, seen: ReadAnswer[]): Job {
  return function* () {
    seen.push(yield { kind: 'setting', name })
    return { result: undefined }
  }
}

export function settingsContract(engine: Engine): void {
  describe('settings', () => {
    test('are kept across restarts, and take no number', async () => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      {
        await using store = await engine.open(file)
        expect(store.setting('rules')).toBeUndefined()
        await put(store, '/a', 1)
        expect(await commit(store, setting('rules', 'first "\u0000 \u{1F600}'))).toBeUndefined()
        expect(store.setting('rules')).toBe('first "\u0000 \u{1F600}')
        await store.commit(setting('rules', 'second'))
        expect(store.position().seq).toBe(1)
      }
      await using store = await engine.open(file)
      expect([store.setting('rules'), store.setting('other'), store.setting('__proto__')]).toEqual([
        'second',
        undefined,
        undefined,
      ])
    })

    test('change in the order of the writes', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      // A job may run more than once: only its last run counts.
      const seen: readonly ReadAnswer[][] = [[], [], []]
      await Promise.all([
        store.commit(looking('rules', seen[0] ?? [])),
        store.commit(setting('rules', 'one')),
        store.commit(looking('rules', seen[1] ?? [])),
        store.commit(putJob('/a', 1)),
        store.commit(setting('rules', 'two')),
        store.commit(looking('rules', seen[2] ?? [])),
      ])
      expect(seen.map((each) => each.at(-1))).toEqual([undefined, 'one', 'two'])
    })

    test('of a batch that fails are taken back, and set when it is tried again', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      const seen: ReadAnswer[] = []
      const breaking = unwritable(putJob('/a', 1))
      const outcomes = await Promise.allSettled([
        store.commit(setting('rules', 'one')),
        store.commit(breaking),
        store.commit(looking('rules', seen)),
      ])
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect([store.setting('rules'), seen.at(-1)]).toEqual(['one', 'one'])
    })
  })

  describe('followers', () => {
    test('learn of changed settings before the commits that are durable with them', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      await put(store, '/a', 0)
      const reports: unknown[] = []
      const end = store.follow({
        commits: (commits) => void reports.push(...commits.map(({ seq }) => seq)),
        settings: () => void reports.push(store.setting('rules')),
      })
      await Promise.all([store.commit(setting('rules', 'one')), put(store, '/a', 1), put(store, '/a', 2)])
      await put(store, '/a', 3)
      await store.commit(setting('rules', 'two'))
      expect(reports).toEqual(['one', 2, 3, 4, 'two'])
      end()
      await Promise.all([store.commit(setting('rules', 'three')), put(store, '/a', 4)])
      expect(reports).toHaveLength(5)
    })

    test('may follow one of both', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      let [changes, commits] = [0, 0]
      store.follow({ settings: () => void changes++ })
      store.follow({
        commits: (some) => {
          commits += some.length
        },
      })
      await Promise.all([store.commit(setting('rules', 'one')), put(store, '/a', 1)])
      expect([changes, commits]).toEqual([1, 1])
    })
  })

  describe('logic that reads', () => {
    test('is answered on one commit', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      await put(store, '/', { a: { '.priority': 3, b: 1, c: { d: 'x' } }, l: { '.value': true, '.priority': 'p' } })
      const answers = await store.read(function* () {
        const seen: ReadAnswer[] = []
        seen.push(yield { kind: 'leaf', path: ['a', 'b'] }, yield { kind: 'leaf', path: ['a'] })
        seen.push(yield { kind: 'leaf', path: ['a', '.priority'] }, yield { kind: 'leaf', path: ['l', '.priority'] })
        seen.push(yield { kind: 'leaf', path: ['l'] }, yield { kind: 'leaf', path: ['none', 'x'] })
        seen.push(yield { kind: 'exists', path: ['a', 'c'] }, yield { kind: 'exists', path: ['a', 'b', 'c'] })
        seen.push(yield { kind: 'count', path: ['a'] }, yield { kind: 'count', path: ['l'] })
        seen.push(yield { kind: 'pause' }, yield { kind: 'setting', name: 'rules' })
        return seen
      })
      expect(answers).toEqual([1, undefined, 3, 'p', true, undefined, true, false, 2, 0, undefined, undefined])
    })

    test('throws what it throws', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      const refused = async () =>
        store.read(function* () {
          yield { kind: 'exists', path: [] }
          throw new DholeError('permission-denied')
        })
      await expect(refused()).rejects.toMatchObject({ code: 'permission-denied' })
    })

    test('sees nothing of what comes while it pauses', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      await put(store, '/a', 1)
      const begun = Promise.withResolvers<void>()
      let [pauses, isWritten] = [0, false]
      const seen = store.read(function* () {
        const first = yield { kind: 'leaf', path: ['a'] }
        begun.resolve()
        while (!isWritten) {
          pauses++
          yield { kind: 'pause' }
        }
        return [first, yield { kind: 'leaf', path: ['a'] }]
      })
      await begun.promise
      await put(store, '/a', 2)
      isWritten = true
      expect(await seen).toEqual([1, 1])
      expect(pauses).toBeGreaterThan(1)
    })
  })
}
