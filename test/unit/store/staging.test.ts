import { Database as Client } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ConditionFailedError, openDatabase } from '../../../src/embedded.ts'
import { silentObserver } from '../../../src/observer.ts'
import type { SqliteOptions } from '../../../src/store/sqlite/sqlite-options.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { TRUSTED } from '../../../src/tree/read-program.ts'
import { Mirror } from '../../model/store/mirror.ts'
import { anyPlan } from '../../model/store/plan.ts'
import { HeldSyncs } from '../../support/held-syncs.ts'
import { longTest, runsInLanes } from '../../support/lane.ts'
import {
  count,
  patch,
  plain,
  put,
  putJob,
  remove,
  strictObserver,
  turns,
  unlimited,
  unwritable,
  watch,
  wide,
} from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { integrityProblems, rowsOf } from './integrity.ts'
import { indexLines, query } from './queries.ts'

const LARGE = 30_000
const large = wide(LARGE, (index) => index)

function open(file: string, options: SqliteOptions = {}): SqliteStore {
  return new SqliteStore(file, options, strictObserver)
}

async function expectSound(store: SqliteStore, file: string): Promise<void> {
  await store.swept()
  await store.close()
  expect(integrityProblems(file)).toEqual([])
}

/** Waits until some of a large value is written apart from the tree. */
async function staged(file: string): Promise<void> {
  using reader = new Client(file, { readonly: true })
  const listed = reader.prepare<{ listed: number }, []>('SELECT count(*) AS listed FROM detached')
  while (listed.get()?.listed === 0) await turns(1)
}

/** Processor time of this process that some work takes, in milliseconds. */
async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

describe('while a large value is written', () => {
  test('small writes are acknowledged one after the other, and readers see the old value', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    await using store = open(file)
    await put(store, '/list', { old: true })
    // The key order of the tree: bytes.
    const whole = JSON.stringify(Object.fromEntries(Object.entries(large).toSorted(([a], [b]) => (a < b ? -1 : 1))))
    const writing = watch(put(store, '/list', large))
    let acknowledged = 0
    const seen: string[] = []
    while (writing.state === 'waiting') {
      const text = await plain(store, '/list')
      seen.push(text === '{"old":true}' ? 'old' : text === whole ? 'new' : `${text?.slice(0, 40)}`)
      await put(store, '/small', acknowledged)
      if (writing.state === 'waiting') acknowledged++
    }
    // A small write that waited for the large one would be acknowledged once.
    expect(acknowledged).toBeGreaterThan(1)
    // A read that began before the acknowledgement may come after the commit, and then sees all of the new value.
    expect(seen.join(' ')).toMatch(/^old( old)*( new)*$/)
    expect(await count(store, '/list')).toBe(LARGE)
    await expectSound(store, file)
  })

  test('small writes are acknowledged one after the other beside a long string', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    await using store = open(file)
    const writing = watch(put(store, '/text', 'x'.repeat(9_000_000)))
    let acknowledged = 0
    while (writing.state === 'waiting') {
      await put(store, '/small', acknowledged)
      if (writing.state === 'waiting') acknowledged++
    }
    expect(acknowledged).toBeGreaterThan(1)
    expect((await plain(store, '/text'))?.length).toBe(9_000_002)
    await expectSound(store, file)
    // Every statement that reads, writes or passes a row takes as long as the row.
    using reader = new Client(file, { readonly: true })
    const longest = 'SELECT max(length(value)) AS slot, (SELECT max(length(text)) FROM text_chunk) AS chunk FROM node'
    expect(reader.query<{ slot: number; chunk: number }, []>(longest).get()).toEqual({ slot: 1028, chunk: 65_536 })
  })

  test('its place may change in every way', async () => {
    const between: readonly ((store: SqliteStore) => Promise<unknown>)[] = [
      (store) => remove(store, '/a'),
      (store) => put(store, '/a', 'leaf'),
      (store) => put(store, '/', { a: wide(800, (index) => `new ${index}`) }),
      (store) => patch(store, '/', { 'a/b/c': null, 'a/b/other': wide(900, String) }),
      (store) => put(store, '/a/b/c/.priority', 4),
    ]
    for (const change of between) {
      await using directory = await tempDir()
      const file = directory.file('tree')
      await using store = open(file)
      await put(store, '/', { a: { b: { c: wide(1000, String), x: 1 }, y: 'y'.repeat(5000) }, keep: 1 })
      const writing = put(store, '/a/b/c', large)
      await staged(file)
      await change(store)
      await writing
      expect(await count(store, '/a/b/c')).toBe(LARGE)
      expect(await plain(store, '/a/b/c/k29999')).toBe('29999')
      await remove(store, '/a/b')
      expect(await plain(store, '/a/b')).toBeUndefined()
      await expectSound(store, file)
    }
  })

  longTest('the list that it replaces hands down its indexes', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    await using store = open(file)
    await put(
      store,
      '/list',
      wide(1000, (index) => ({ h: index })),
    )
    await query(store, '/list', { orderBy: 'h', limitToFirst: 1 })
    await put(
      store,
      '/list',
      wide(20_000, (index) => ({ h: -index })),
    )
    await store.swept()
    expect(await indexLines(store)).toEqual(['/list by h'])
    expect(await query(store, '/list', { orderBy: 'h', limitToFirst: 1 })).toBe('{"k19999":{"h":-19999}}')
    await expectSound(store, file)
  })

  test('closing waits for it', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    const store = open(file)
    const writing = watch(put(store, '/list', large))
    await staged(file)
    await store.close()
    expect(writing.state).toBe('resolved')
    await using again = open(file)
    expect(await count(again, '/list')).toBe(LARGE)
    await expectSound(again, file)
  })

  test('a failed sync refuses it and every small write', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    const syncs = new HeldSyncs()
    const store = new SqliteStore(file, { syncLog: syncs.syncLog }, silentObserver)
    await put(store, '/list', 'old')
    syncs.holding = true
    const writing = watch(put(store, '/list', large))
    await staged(file)
    await syncs.arrived()
    syncs.end(new Error('no disk'))
    while (writing.state === 'waiting') await turns(1)
    expect(writing).toMatchObject({ state: 'rejected', error: { message: 'The app is out of service' } })
    await store.close()
  })

  test('a write that fails meanwhile takes nothing of it away', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    await using store = new SqliteStore(file, { inlineLength: 0 }, silentObserver)
    const writing = watch(
      put(
        store,
        '/list',
        wide(5000, (index) => ({ a: index, b: 'text', c: true })),
      ),
    )
    let failures = 0
    while (writing.state === 'waiting') {
      await store.commit(unwritable(putJob('/small', failures))).catch(() => failures++)
      await put(store, '/other', failures)
    }
    expect(failures).toBeGreaterThan(0)
    expect(await plain(store, '/list/k4321')).toBe('{"a":4321,"b":"text","c":true}')
    await expectSound(store, file)
  })

  test('one that cannot be written fails alone, and leaves nothing', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    await using store = new SqliteStore(file, {}, silentObserver)
    await put(store, '/list', 'old')
    using other = new Client(file)
    other.run(
      "CREATE TRIGGER refusing BEFORE INSERT ON node WHEN new.key = 'k29999' BEGIN SELECT RAISE(ABORT, 'no'); END",
    )
    const writing = watch(put(store, '/list', large))
    let acknowledged = 0
    while (writing.state === 'waiting') await put(store, '/small', acknowledged++)
    expect(writing).toMatchObject({ state: 'rejected', error: { message: 'The app is out of service' } })
    expect(await plain(store, '/list')).toBe('"old"')
    other.run('DROP TRIGGER refusing')
    await put(store, '/list', large)
    expect(await count(store, '/list')).toBe(LARGE)
    await expectSound(store, file)
  })
})

test('a list that cannot be written leaves nothing for the next one', async () => {
  await using directory = await tempDir()
  const file = directory.file('tree')
  await using store = new SqliteStore(file, { inlineLength: 0 }, silentObserver)
  await put(store, '/list', 'old')
  using other = new Client(file)
  other.run("CREATE TRIGGER refusing BEFORE INSERT ON node WHEN new.key = 'k69' BEGIN SELECT RAISE(ABORT, 'no'); END")
  const refused = await put(store, '/list', wide(70, String)).catch((error) => error)
  expect(refused).toMatchObject({ message: 'The app is out of service' })
  other.run('DROP TRIGGER refusing')
  await put(store, '/other/list', wide(10, String))
  expect(await plain(store, '/list')).toBe('"old"')
  expect(await count(store, '/other/list')).toBe(10)
  await expectSound(store, file)
})

describe.each([
  [1, 'list'],
  [5000, 'list'],
  [19_000, 'list'],
  [1, 'string'],
  [100, 'string'],
])('when the process is killed after %d rows of a large %s', (rows, kind) => {
  test('the old value stands, and what was written is swept', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    await using before = open(file)
    await put(before, '/', { list: { old: true }, keep: 1 })
    await before.close()
    const script = Bun.fileURLToPath(new URL('./stage-elsewhere.ts', import.meta.url))
    const child = Bun.spawn([process.execPath, script, file, String(rows), kind])
    await child.exited
    expect(child.signalCode).toBe('SIGKILL')
    await using store = open(file)
    expect(await plain(store)).toBe('{"keep":1,"list":{"old":true}}')
    await store.swept()
    expect(await plain(store)).toBe('{"keep":1,"list":{"old":true}}')
    await store.close()
    expect(integrityProblems(file)).toEqual([])
    using reader = new Client(file, { readonly: true })
    expect(reader.prepare<{ rows: number }, []>('SELECT count(*) AS rows FROM node').get()?.rows).toBeLessThan(5)
    expect(rowsOf(file, 'text_chunk')).toBe(0)
  })
})

test('a condition is judged once more when the value is attached', async () => {
  await using directory = await tempDir()
  const file = directory.file('tree')
  await using database = openDatabase({ file })
  const { etag } = await database.put('/list', { old: true })
  const writing = watch(database.put('/list', large, { ifMatch: etag, idempotencyKey: 'one' }))
  await staged(file)
  await database.put('/list/old', false)
  while (writing.state === 'waiting') await turns(1)
  expect(writing.error).toBeInstanceOf(ConditionFailedError)
  expect(await database.get('/list')).toEqual({ old: false })
  const again = await database.put('/list', large, { ifMatch: etag, idempotencyKey: 'one' }).catch((error) => error)
  expect(again).toBeInstanceOf(ConditionFailedError)
})

test('listeners are told of it once and as a whole, and a request that comes again is answered as before', async () => {
  await using directory = await tempDir()
  await using database = openDatabase({ file: directory.file('tree') })
  const heard: string[] = []
  const listening = (async () => {
    for await (const { path, data } of database.watch('/')) {
      const size = typeof data === 'object' && data !== null ? Object.keys(data).length : data
      heard.push(`${path} ${size}`)
      if (data === 'end') return
    }
  })()
  while (heard.length === 0) await turns(1)
  const first = await database.put('/list', large, { idempotencyKey: 'one' })
  const again = await database.put('/list', large, { idempotencyKey: 'one' })
  expect([first.etag, again.replayed]).toEqual([again.etag, true])
  const { name } = await database.post('/posted', large)
  await database.put('/last', 'end')
  await listening
  expect(heard).toEqual(['/ null', `/list ${LARGE}`, `/posted/${name} ${LARGE}`, '/last end'])
})

describe('a PATCH of many paths', () => {
  longTest('costs about what a PUT of the same costs, however they are spread', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    await using store = open(file)
    const [parents, children] = [40, 200]
    const tree = wide(parents, () => wide(children, (index) => index))
    const paths = Object.fromEntries(
      Array.from({ length: parents * children }, (_, index) => [
        `k${index % parents}/k${Math.floor(index / parents)}`,
        index,
      ]),
    )
    await put(store, '/warm', tree)
    await patch(store, '/warm', paths)
    const whole = await processorTime(() => put(store, '/list', tree))
    const spread = await processorTime(() => patch(store, '/list', paths))
    // Reading and writing the text of the parent for each path costs a hundred times as much.
    expect(spread).toBeLessThan(10 * Math.max(whole, 20))
    expect(await plain(store, '/list/k7/k3')).toBe(String(3 * parents + 7))
    await expectSound(store, file)
  })
})

describe.each([[0], [30]])('at most %d characters in a row, every value written ahead', (inlineLength) => {
  test('writes that are under way together do what they do one after the other', async () => {
    await fc.assert(
      fc.asyncProperty(anyPlan, async (plan) => {
        await using directory = await tempDir()
        const file = directory.file('tree')
        const mirror = new Mirror(open(file, { inlineLength, stagedLength: 0 }))
        await using store = mirror.store
        const writes: Promise<void>[] = []
        for (const [step] of plan) {
          if (step.kind === 'put') writes.push(mirror.put(step.path, step.json))
          else if (step.kind === 'patch') writes.push(mirror.patch(step.path, new Map(Object.entries(step.members))))
          else if (step.kind === 'put-existing') writes.push(mirror.put(step.last, step.json))
          else await turns(2)
        }
        await Promise.all(writes)
        expect((await store.node([], unlimited, TRUSTED))?.export).toBe(mirror.model.export([]) as string)
        await store.swept()
        await store.close()
        expect(integrityProblems(file)).toEqual([])
      }),
      { numRuns: runsInLanes(6, 25) },
    )
  })
})
