import { describe, expect, test } from 'bun:test'
import { DholeError } from '../../../src/error.ts'
import type { Job } from '../../../src/store/store.ts'
import { NodeText } from '../../../src/tree/json/node-text.ts'
import type { ReadAnswer, ReadRequest } from '../../../src/tree/read-program.ts'
import {
  commit,
  exported,
  nothing,
  patch,
  patchJob,
  plain,
  put,
  putJob,
  remove,
  unwritable,
  watch,
} from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { Engine } from './contract.ts'

const LONG = 'long '.repeat(1000)

/** Asks one thing, keeps the answer and then does as `job` says. */
function asking(request: ReadRequest, answers: ReadAnswer[], job: Job): Job {
  return function* (context) {
    answers.push(yield request)
    return yield* job(context)
  }
}

export function commitContract(engine: Engine): void {
  describe('commits', () => {
    test('tell what was written, when and as which', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      const before = Date.now()
      const first = await put(store, '/a', { b: 1 })
      const second = await patch(store, '/a', { c: 2, 'd/e': null })
      expect(first).toMatchObject({ seq: 1, kind: 'put', path: ['a'], writes: [{ kind: 'value', path: ['a'] }] })
      expect(second).toMatchObject({ seq: 2, kind: 'patch', path: ['a'] })
      expect(second?.writes.map((write) => write.path.join('/'))).toEqual(['a/c', 'a/d/e'])
      expect(first?.at).toBeGreaterThanOrEqual(before)
      expect(second?.at).toBeGreaterThanOrEqual(first?.at ?? 0)
    })

    test('a job without change takes no number', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      await put(store, '/a', 1)
      expect(await commit(store, nothing)).toBeUndefined()
      expect(store.position().seq).toBe(1)
      expect((await put(store, '/a', 2))?.seq).toBe(2)
    })

    test('a patch is one commit', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      await put(store, '/', { a: 1, b: { c: 2, d: 3 }, long: { x: LONG, y: 1 } })
      await patch(store, '/', { a: null, 'b/c': 5, 'b/.priority': 7, e: { f: 1 }, 'long/x': null })
      expect(store.position().seq).toBe(2)
      expect(await exported(store)).toBe('{"b":{".priority":7,"c":5,"d":3},"e":{"f":1},"long":{"y":1}}')
    })

    test('a job that throws takes back nothing but its own', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      await put(store, '/list', { keep: LONG, drop: LONG })
      const thrown = new DholeError('permission-denied')
      const failing: Job = function* (context) {
        yield { kind: 'exists', path: ['a'] }
        context.nextPushId()
        throw thrown
      }
      const failsAtOnce: Job = () => {
        throw thrown
      }
      const outcomes = await Promise.allSettled([
        store.commit(putJob('/a', 1)),
        store.commit(failing),
        store.commit(patchJob('/', { b: 2, 'list/drop': null })),
        store.commit(failsAtOnce),
        store.commit(putJob('/c', 3)),
      ])
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
        'fulfilled',
      ])
      for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toBe(thrown)
      const numbers = outcomes.map((outcome) =>
        outcome.status === 'fulfilled' ? outcome.value.commit?.seq : undefined,
      )
      expect(numbers).toEqual([2, undefined, 3, undefined, 4])
      expect(await plain(store)).toBe(`{"a":1,"b":2,"c":3,"list":{"keep":${JSON.stringify(LONG)}}}`)
    })

    test('an effect that cannot be written takes back the writes before it', async () => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      await using store = await engine.open(file)
      await put(store, '/a', { b: LONG, c: 1 })
      const breaking = unwritable(patchJob('/a', { b: null, d: { e: LONG } }))
      const outcomes = await Promise.allSettled([store.commit(breaking), store.commit(putJob('/z', 1))])
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
      const expected = `{"a":{"b":${JSON.stringify(LONG)},"c":1},"z":1}`
      expect(await plain(store)).toBe(expected)
      await store.swept()
      await store.close()
      await using reopened = await engine.open(file)
      expect(await plain(reopened)).toBe(expected)
      expect(reopened.position().seq).toBe(2)
    })

    test('jobs of one turn see those before them, and read what they ask for', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      await put(store, '/old', { x: 1 })
      // A job may run more than once: only its last run counts.
      const answers: ReadAnswer[][] = []
      const ask = (request: ReadRequest, job: Job) => {
        const own: ReadAnswer[] = []
        answers.push(own)
        return asking(request, own, job)
      }
      await Promise.all([
        store.commit(putJob('/list', { a: { n: 5, text: LONG }, b: 'leaf' })),
        store.commit(ask({ kind: 'leaf', path: ['list', 'a', 'n'] }, putJob('/list/a/n', 6))),
        store.commit(ask({ kind: 'leaf', path: ['list', 'a', 'n'] }, nothing)),
        store.commit(ask({ kind: 'leaf', path: ['list', 'a'] }, nothing)),
        store.commit(ask({ kind: 'leaf', path: ['list', 'b', 'x'] }, nothing)),
        store.commit(ask({ kind: 'exists', path: ['list', 'a', 'm'] }, nothing)),
        store.commit(ask({ kind: 'exists', path: ['old', 'x'] }, putJob('/old', null))),
        store.commit(ask({ kind: 'exists', path: ['old', 'x'] }, nothing)),
        store.commit(ask({ kind: 'node', path: ['list', 'b'] }, nothing)),
        store.commit(ask({ kind: 'node', path: ['none'] }, nothing)),
        store.commit(ask({ kind: 'size', path: ['none'] }, nothing)),
        store.commit(ask({ kind: 'size', path: ['list', 'b'] }, nothing)),
      ])
      const texts = answers.map((runs) => {
        const answer = runs.at(-1)
        return answer instanceof NodeText ? answer.stored : answer
      })
      expect(texts).toEqual([5, 6, undefined, undefined, false, true, false, '"leaf"', undefined, 0, 1])
      const size: ReadAnswer[] = []
      await store.commit(asking({ kind: 'size', path: [] }, size, nothing))
      expect(size[0]).toBeGreaterThanOrEqual(3)
    })

    test('the leaf below a priority is the leaf', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      await put(store, '/a', { '.value': 5, '.priority': 3 })
      await put(store, '/b', { x: LONG, '.priority': 4 })
      const answers: ReadAnswer[] = []
      for (const path of [['a'], ['a', '.priority'], ['b'], ['b', '.priority']]) {
        await store.commit(asking({ kind: 'leaf', path }, answers, nothing))
      }
      expect(answers).toEqual([5, 3, undefined, 4])
    })

    test('increments of one turn add up', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      const increment = { '.sv': { increment: 2 } }
      await Promise.all(Array.from({ length: 50 }, () => put(store, '/n', increment)))
      expect(await plain(store)).toBe('{"n":100}')
    })

    test('jobs run in the order they came', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      const commits = await Promise.all(Array.from({ length: 300 }, (_, index) => put(store, '/last', index)))
      expect(commits.map((commit) => commit?.seq)).toEqual(Array.from({ length: 300 }, (_, index) => index + 1))
      expect(await plain(store)).toBe('{"last":299}')
    })

    test('a read after a write sees it, and a cached one never what is gone', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      await put(store, '/', { a: { b: { c: 1 }, d: 2 } })
      for (const path of ['/', '/a', '/a/b', '/a/b/c', '/a/d', '/a/b']) await plain(store, path)
      await put(store, '/a/b/c', 2)
      expect(await plain(store)).toBe('{"a":{"b":{"c":2},"d":2}}')
      expect(await plain(store, '/a/b')).toBe('{"c":2}')
      expect(await plain(store, '/a/b/c')).toBe('2')
      await put(store, '/a/d/e', 3)
      expect(await plain(store, '/a/d')).toBe('{"e":3}')
      await remove(store, '/a/b/c')
      for (const path of ['/a/b/c', '/a/b']) expect(await plain(store, path)).toBeUndefined()
      await put(store, '/a', 1)
      expect(await plain(store, '/a/d/e')).toBeUndefined()
      expect(await plain(store)).toBe('{"a":1}')
    })

    test('a closed store does what it had and takes no more', async () => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      await using store = await engine.open(file)
      const given = watch(put(store, '/a', 1))
      const closed = store.close()
      const late = watch(put(store, '/b', 1))
      await closed
      expect(given.state).toBe('resolved')
      expect(late).toMatchObject({ state: 'rejected', error: { code: 'unavailable' } })
      await store.close()
      await using reopened = await engine.open(file)
      expect(await plain(reopened)).toBe('{"a":1}')
    })
  })
}
