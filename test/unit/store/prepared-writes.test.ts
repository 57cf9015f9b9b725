import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Commit, Job } from '../../../src/store/store.ts'
import { defaultLimits } from '../../../src/tree/limits.ts'
import { parsePath } from '../../../src/tree/path.ts'
import { TRUSTED } from '../../../src/tree/read-program.ts'
import { planPatch } from '../../../src/tree/write.ts'
import { Model } from '../../model/store/model.ts'
import { runsInLanes } from '../../support/lane.ts'
import {
  commit,
  nothing,
  patchJob,
  plain,
  putJob,
  strictObserver,
  unlimited,
  watch,
  wide,
} from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { integrityProblems } from './integrity.ts'
import { indexLines, query } from './queries.ts'

/** Members of one patch by path below `/list`. */
type Members = Readonly<Record<string, unknown>>

const key = fc.constantFrom('a', 'b', 'c', '0')
const value = fc.oneof(
  fc.constant(null),
  fc.integer(),
  fc.constant('long '.repeat(20)),
  fc.constant({ a: 1, b: { c: 'text '.repeat(10) } }),
)
/** Paths of two or three keys that do not cover each other, and now and then a priority. */
const members: fc.Arbitrary<Members> = fc
  .uniqueArray(fc.tuple(key, key, fc.option(key, { nil: undefined }), value), {
    minLength: 1,
    maxLength: 12,
    selector: ([parent, child]) => `${parent}/${child}`,
  })
  .map((all) =>
    Object.fromEntries(
      all.map(([parent, child, leaf, json]) => [
        leaf === undefined ? `${parent}/${child}` : `${parent}/${child}/${leaf}`,
        json,
      ]),
    ),
  )

/** What is written while the patch is judged, while it is prepared, before its transaction, in it, and after it. */
const between = fc.array(fc.option(members, { nil: undefined }), { minLength: 5, maxLength: 5 })
/** Makes the nodes above the patched ones more than one row. */
const PADDING = 'x'.repeat(5000)

/** Commits changes so that each is queued while the transaction of the one before is open. */
class Chain {
  readonly #store: SqliteStore
  readonly done: Promise<Commit | undefined>[] = []

  constructor(store: SqliteStore) {
    this.#store = store
  }

  start(jobs: readonly Job[]): void {
    const [job, ...others] = jobs
    if (job === undefined) return
    let isStarted = false
    this.done.push(
      commit(this.#store, (context) => {
        // A transaction may run twice.
        if (!isStarted) this.start(others)
        isStarted = true
        return job(context)
      }),
    )
  }
}

/** A patch that is not prepared. */
function patchNow(path: string, json: unknown): Job {
  const { kind, path: place, writes } = planPatch(parsePath(path), json, defaultLimits)
  // biome-ignore lint/correctness/useYield: it reads nothing
  return function* () {
    return { result: undefined, change: { kind, path: place, writes } }
  }
}

describe.each([[0], [200], [4096]])('at most %d characters in a row, every patch prepared ahead', (inlineLength) => {
  test('what small writes change between its preparation and its transaction counts', async () => {
    await fc.assert(
      fc.asyncProperty(members, members, between, fc.boolean(), async (...drawn) => {
        const [before, patched, smalls, isIndexed] = drawn
        const padded = { ...before, padding: PADDING, 'other/padding': PADDING }
        await using directory = await tempDir()
        const file = directory.file('tree')
        await using store = new SqliteStore(
          file,
          { inlineLength, stagedLength: 60, preparedWrites: 1, shortList: 1 },
          strictObserver,
        )
        const model = new Model()
        const apply = (json: Members, at = 0): void =>
          model.patch(
            Object.entries(json).map(([path, member]) => [['list', ...path.split('/')], member] as const),
            at,
          )
        await store.commit(patchJob('/list', padded))
        apply(padded)
        if (isIndexed) await query(store, '/list', { orderBy: 'a', limitToFirst: 1 }).catch(() => undefined)
        const writing = commit(store, patchJob('/list', patched))
        const chain = new Chain(store)
        chain.start(smalls.map((json) => (json === undefined ? nothing : patchNow('/list', json))))
        const commits: { readonly seq: number; readonly json: Members }[] = []
        const first = await writing
        if (first !== undefined) commits.push({ seq: first.seq, json: patched })
        for (const [moment, json] of smalls.entries()) {
          const made = await chain.done[moment]
          if (made !== undefined && json !== undefined) commits.push({ seq: made.seq, json })
        }
        for (const { json } of commits.toSorted((one, other) => one.seq - other.seq)) apply(json)
        expect((await store.node([], unlimited, TRUSTED))?.export).toBe(model.export([]) as string)
        await store.swept()
        await store.close()
        expect(integrityProblems(file)).toEqual([])
      }),
      { numRuns: runsInLanes(12, 50) },
    )
  })
})

const child = fc.oneof(
  fc.integer(),
  fc.constant('text'),
  fc.constant({ a: 1, '.priority': 2 }),
  // A list of its own, and more than is inserted together with others.
  fc.constant(wide(20, (index) => `text ${index}`.repeat(30))),
)
/** So many children that several are written at once, with keys that JSON writes differently among them. */
const children = fc
  .array(fc.tuple(fc.nat(300), child), { minLength: 1, maxLength: 300, size: 'max' })
  .map((all) =>
    Object.fromEntries(all.map(([number, json]) => [number % 50 === 0 ? `"${number}` : `k${number}`, json])),
  )

test('patches of many children, new ones and others, do what they do one by one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(children, { minLength: 2, maxLength: 4 }), async (patches) => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      await using store = new SqliteStore(file, { preparedWrites: 1 }, strictObserver)
      const model = new Model()
      for (const json of [{ padding: PADDING }, ...patches]) {
        await store.commit(patchJob('/list', json))
        model.patch(
          Object.entries(json).map(([name, member]) => [['list', name], member] as const),
          0,
        )
      }
      expect((await store.node([], unlimited, TRUSTED))?.export).toBe(model.export([]) as string)
      await store.swept()
      await store.close()
      expect(integrityProblems(file)).toEqual([])
    }),
    { numRuns: runsInLanes(12, 50) },
  )
})

test('a patch that met other writes four times is made in its transaction', async () => {
  await using directory = await tempDir()
  const file = directory.file('tree')
  await using store = new SqliteStore(file, { inlineLength: 30, preparedWrites: 1 }, strictObserver)
  const patched = wide(20, (index) => `text ${index}`)
  const writing = watch(store.commit(patchJob('/', { 'list/new/a': patched, 'list/new/b': 2 })))
  let number = 0
  while (writing.state === 'waiting' && number < 200) {
    const chain = new Chain(store)
    chain.start(Array.from({ length: 8 }, () => patchNow(`/list/${number++}/x`, wide(4, String))))
    await Promise.all(chain.done)
  }
  expect(writing.state).toBe('resolved')
  expect(await plain(store, '/list/new/b')).toBe('2')
  expect(await plain(store, '/list/new/a/k19')).toBe('"text 19"')
  await store.swept()
  await store.close()
  expect(integrityProblems(file)).toEqual([])
})

test('the entries of an index follow a prepared patch', async () => {
  await using directory = await tempDir()
  const file = directory.file('tree')
  await using store = new SqliteStore(file, { preparedWrites: 1 }, strictObserver)
  await store.commit(
    putJob(
      '/list',
      wide(1000, (index) => ({ h: index, text: 'x'.repeat(20) })),
    ),
  )
  await query(store, '/list', { orderBy: 'h', limitToFirst: 1 })
  await store.commit(patchJob('/list', { 'k7/h': -1, 'k7/text': 'y', 'k8/h': null, 'new/h': -2, 'new/text': 'z' }))
  expect(await indexLines(store)).toEqual(['/list by h'])
  expect(await query(store, '/list', { orderBy: 'h', startAt: -5, limitToFirst: 2 })).toBe(
    '{"new":{"h":-2,"text":"z"},"k7":{"h":-1,"text":"y"}}',
  )
  await store.swept()
  await store.close()
  expect(integrityProblems(file)).toEqual([])
})
