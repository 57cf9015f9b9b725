import { describe, expect, test } from 'bun:test'
import type { Job, LoggedChange, TreeStore } from '../../../src/store/store.ts'
import { formatPath, parsePath } from '../../../src/tree/path.ts'
import { patch, put, putJob, remove } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { Engine } from './contract.ts'

async function changesAfter(
  store: TreeStore,
  seq: number,
  limit = 10_000,
): Promise<readonly LoggedChange[] | undefined> {
  return store.changesAfter({ epoch: store.position().epoch, seq }, limit)
}

async function issue(store: TreeStore, number = 1): Promise<string[]> {
  const ids: string[] = []
  const job: Job = function* (context) {
    for (let index = 0; index < number; index++) ids.push(context.nextPushId())
    return yield* putJob(`/${ids.at(-1)}`, 1)(context)
  }
  await store.commit(job)
  return ids
}

export function logContract(engine: Engine): void {
  describe('change log', () => {
    test('holds every commit in order, with its data', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      const huge = 'x'.repeat(100_000)
      await put(store, '/', { b: [1, { x: null }], a: { '.value': 1, '.priority': 2 } })
      await put(store, '/a/.priority', 'p')
      await patch(store, '/c', { 'd/e': 1, f: null, '.priority': 3, __proto__: 4, '"': 5 })
      await remove(store, '/b')
      await put(store, '/huge', { huge })
      await patch(store, '/', { small: 1, huge })
      await put(store, '/__proto__', true)
      const changes = await changesAfter(store, 0)
      expect(changes?.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7])
      expect(changes?.map(({ kind, path, data }) => [kind, formatPath(path), data])).toEqual([
        ['put', '/', '{"a":{".priority":2,".value":1},"b":[1]}'],
        ['put', '/a/.priority', '"p"'],
        // An object literal's `__proto__` is no member.
        ['patch', '/c', '{"d/e":1,"\\"":5,"f":null,".priority":3}'],
        ['put', '/b', 'null'],
        ['put', '/huge', undefined],
        ['patch', '/', undefined],
        ['put', '/__proto__', 'true'],
      ])
      for (const change of changes ?? []) expect(change.at).toBeGreaterThan(1_600_000_000_000)
    })

    test('is read near some places, and tells how far', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      const near = async (seq: number, ...places: string[]) => {
        const numbers: number[] = []
        const { epoch } = store.position()
        for (let position = { epoch, seq }; ; ) {
          const stretch = await store.changesNear(
            position,
            places.map((place) => parsePath(place)),
          )
          if (stretch === undefined) return undefined
          numbers.push(...stretch.changes.map((change) => change.seq))
          if (stretch.isLast) return { numbers, upTo: stretch.seq }
          expect(stretch.seq).toBeGreaterThan(position.seq)
          position = { epoch, seq: stretch.seq }
        }
      }
      expect(await near(0, '/a')).toEqual({ numbers: [], upTo: 0 })
      await put(store, '/', { z: 1 })
      await Promise.all(['/a/b', '/ab', '/a', '/a/b/c', '/b'].map((path) => put(store, path, 1)))
      await put(store, '/a/.priority', 2)
      await patch(store, '/q', { r: 1 })
      expect(await near(0, '/a')).toEqual({ numbers: [1, 2, 4, 5, 7], upTo: 8 })
      expect(await near(4, '/a')).toEqual({ numbers: [5, 7], upTo: 8 })
      expect(await near(1, '/a/b/c', '/b')).toEqual({ numbers: [2, 4, 5, 6], upTo: 8 })
      expect(await near(7, '/q/r/s')).toEqual({ numbers: [8], upTo: 8 })
      expect(await near(1, '/')).toEqual({ numbers: [2, 3, 4, 5, 6, 7, 8], upTo: 8 })
      expect(await near(0)).toEqual({ numbers: [], upTo: 8 })
      expect(await near(8, '/')).toEqual({ numbers: [], upTo: 8 })
      expect(await near(9, '/')).toBeUndefined()
      // Longer than a stretch, in rows of many and rows of one.
      await Promise.all(Array.from({ length: 3000 }, (_each, index) => put(store, `/n/${index % 7}`, index)))
      for (let index = 0; index < 50; index++) await put(store, `/n/${index % 7}`, 'x'.repeat(16_000))
      const found = await near(8, '/n/3')
      expect([found?.numbers.length, found?.upTo]).toEqual([429 + 7, 3058])
      expect(await store.changesNear({ epoch: 'another', seq: 0 }, [])).toBeUndefined()
    })

    test('is read from a position on, at most so many', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      for (let index = 1; index <= 5; index++) await put(store, '/n', index)
      expect((await changesAfter(store, 0, 2))?.map(({ seq }) => seq)).toEqual([1, 2])
      expect((await changesAfter(store, 3))?.map(({ data }) => data)).toEqual(['4', '5'])
      expect(await changesAfter(store, 5)).toEqual([])
      expect(await changesAfter(store, 6)).toBeUndefined()
    })

    test('of another tree is unknown', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('one'))
      await using other = await engine.open(directory.file('other'))
      await put(store, '/n', 1)
      await put(other, '/n', 1)
      expect(other.position().epoch).not.toBe(store.position().epoch)
      expect(await store.changesAfter(other.position(), 10)).toBeUndefined()
      expect(await store.changesAfter(store.position(), 10)).toEqual([])
    })

    test('a new tree stands at 0 and has no changes', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      expect(store.position()).toEqual({ epoch: expect.any(String), seq: 0 })
      expect(await changesAfter(store, 0)).toEqual([])
    })

    test('goes on over reopening', async () => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      await using first = await engine.open(file)
      await put(first, '/n', 1)
      await put(first, '/n', 2)
      const position = first.position()
      await first.close()
      await using second = await engine.open(file)
      expect(second.position()).toEqual(position)
      expect((await put(second, '/n', 3))?.seq).toBe(3)
      expect((await changesAfter(second, 1))?.map(({ seq, data }) => [seq, data])).toEqual([
        [2, '2'],
        [3, '3'],
      ])
    })

    test('is trimmed by number', async () => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      await using first = await engine.open(file, { maxChanges: 10 })
      await Promise.all(Array.from({ length: 3000 }, (_, index) => put(first, '/n', index)))
      await first.swept()
      await first.close()
      await using store = await engine.open(file, { maxChanges: 10 })
      await store.swept()
      expect(store.position().seq).toBe(3000)
      expect(await changesAfter(store, 0)).toBeUndefined()
      expect(await changesAfter(store, 2989)).toBeUndefined()
      // What is wanted stays.
      expect((await changesAfter(store, 2990))?.map(({ seq }) => seq)).toEqual([
        2991, 2992, 2993, 2994, 2995, 2996, 2997, 2998, 2999, 3000,
      ])
    })

    test('is trimmed by age, and numbers go on from its last entry', async () => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      await using first = await engine.open(file)
      await Promise.all(Array.from({ length: 600 }, (_, index) => put(first, '/n', index)))
      await first.close()
      // Every entry lies further back than minus a minute.
      await using second = await engine.open(file, { maxAgeMs: -60_000 })
      await second.swept()
      expect(await changesAfter(second, 0)).toBeUndefined()
      expect(await changesAfter(second, 598)).toBeUndefined()
      expect((await changesAfter(second, 599))?.length).toBe(1)
      await second.close()
      await using third = await engine.open(file)
      expect(third.position().seq).toBe(600)
      expect((await put(third, '/n', 0))?.seq).toBe(601)
    })
  })

  describe('generated keys', () => {
    test('increase within and over reopening', async () => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      const ids: string[] = []
      for (let round = 0; round < 4; round++) {
        await using store = await engine.open(file)
        ids.push(...(await issue(store, 3)), ...(await issue(store)))
      }
      expect(ids.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))).toEqual(ids)
      expect(new Set(ids).size).toBe(16)
    })

    test.each([
      ['was told', (store: TreeStore) => issue(store)],
      [
        'was told by a job that wrote nothing',
        async (store: TreeStore) => {
          const ids: string[] = []
          const job: Job = function* (context) {
            ids.push(context.nextPushId())
            yield { kind: 'exists', path: [] }
            return { result: undefined }
          }
          await store.commit(job)
          return ids
        },
      ],
    ] as const)('lie above one that %s when the clock has gone back', async (_, issued) => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      const clock = Date.now
      const ids: string[] = []
      try {
        await using ahead = await engine.open(file)
        Date.now = () => clock() + 10 * 365 * 24 * 3600 * 1000
        ids.push(...(await issued(ahead)))
      } finally {
        Date.now = clock
      }
      await using store = await engine.open(file)
      ids.push(...(await issue(store)), ...(await issue(store)))
      expect(ids.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))).toEqual(ids)
      expect(new Set(ids).size).toBe(3)
    })
  })
}
