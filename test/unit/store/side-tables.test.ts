import { expect, test } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { count as counter } from '../../../src/sms/sqlite/schema.ts'
import type { SideTables } from '../../../src/store/sqlite/file/side-tables.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { HeldSyncs } from '../../support/held-syncs.ts'
import { plain, put, strictObserver, turns, watch } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { integrityProblems } from './integrity.ts'

function add(orm: BunSQLiteDatabase, name: string): void {
  orm
    .insert(counter)
    .values({ name, value: 1 })
    .onConflictDoUpdate({ target: counter.name, set: { value: sql`${counter.value} + 1` } })
    .run()
}

function increment({ write }: SideTables, name: string): Promise<string> {
  // biome-ignore lint/correctness/useYield: work that is done at once
  return write(function* (orm) {
    add(orm, name)
    return name
  })
}

/** Work that fails the transaction. */
function refused({ write }: SideTables): Promise<void> {
  // biome-ignore lint/correctness/useYield: work that is done at once
  return write(function* (orm) {
    const nothing = sql`null`
    orm.insert(counter).values({ name: 'a', value: nothing }).prepare().run()
  })
}

async function counted({ read }: SideTables, name: string): Promise<number | undefined> {
  // biome-ignore lint/correctness/useYield: one look
  return await read(function* (orm) {
    return orm.select().from(counter).where(eq(counter.name, name)).get()?.value
  })
}

test('what is written beside the tree is told and seen when it is durable, not before', async () => {
  await using directory = await tempDir()
  const syncs = new HeldSyncs()
  await using store = new SqliteStore(directory.file('tree'), { syncLog: syncs.syncLog }, strictObserver)
  const tables = store.sideTables
  await increment(tables, 'a')
  syncs.holding = true
  const written = watch(increment(tables, 'a'))
  await syncs.arrived()
  expect(written.state).toBe('waiting')
  expect(await counted(tables, 'a')).toBe(1)
  syncs.release()
  while (written.state === 'waiting') await turns(1)
  expect(written).toEqual({ state: 'resolved', value: 'a' })
  expect(await counted(tables, 'a')).toBe(2)
})

test('nothing of it is told when the sync fails', async () => {
  await using directory = await tempDir()
  const syncs = new HeldSyncs()
  const silent = { storeFailed() {}, storeTroubled() {}, requestFailed() {} }
  await using store = new SqliteStore(directory.file('tree'), { syncLog: syncs.syncLog }, silent)
  syncs.holding = true
  const written = watch(increment(store.sideTables, 'a'))
  await syncs.arrived()
  syncs.end(new Error('the disk is gone'))
  while (written.state === 'waiting') await turns(1)
  expect(written).toMatchObject({ state: 'rejected', error: { code: 'unavailable' } })
  await expect(increment(store.sideTables, 'b')).rejects.toMatchObject({ code: 'unavailable' })
})

test('work that fails takes back what it has written, and nothing of others', async () => {
  await using directory = await tempDir()
  await using store = new SqliteStore(directory.file('tree'), {}, strictObserver)
  const tables = store.sideTables
  const failing = tables.write(function* (orm) {
    add(orm, 'lost')
    yield
    add(orm, 'lost')
    throw new Error('thought better of it')
  })
  const [before, failed, after, tree] = await Promise.allSettled([
    increment(tables, 'kept'),
    failing,
    increment(tables, 'kept'),
    put(store, '/a', 1),
  ])
  expect([before?.status, after?.status, tree?.status]).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
  expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'thought better of it' } })
  expect([await counted(tables, 'lost'), await counted(tables, 'kept')]).toEqual([undefined, 2])
  expect(await plain(store)).toBe('{"a":1}')
})

test('work that SQLite refuses fails alone', async () => {
  await using directory = await tempDir()
  const troubles: unknown[] = []
  const observer = { ...strictObserver, storeTroubled: (_: string, error: unknown) => troubles.push(error) }
  await using store = new SqliteStore(directory.file('tree'), {}, observer)
  const tables = store.sideTables
  const outcomes = await Promise.allSettled([increment(tables, 'kept'), refused(tables), put(store, '/a', 1)])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(outcomes[1]).toMatchObject({ reason: { code: 'unavailable' } })
  expect(troubles.length).toBeGreaterThan(0)
  // It is tried again alone, and the work before it with it: what counts is what is committed.
  expect(await counted(tables, 'kept')).toBe(1)
})

test('what a transaction that is rolled back has set on a parent is set again', async () => {
  await using directory = await tempDir()
  const file = directory.file('tree')
  const observer = { ...strictObserver, storeTroubled: () => {} }
  await using store = new SqliteStore(file, { inlineLength: 0 }, observer)
  await put(store, '/list', { a: 1, b: 2 })
  const outcomes = await Promise.allSettled([
    put(store, '/list/a', { '.value': 1, '.priority': 3 }),
    refused(store.sideTables),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(await plain(store, '/list')).toBe('{"a":1,"b":2}')
  await store.swept()
  await store.close()
  expect(integrityProblems(file)).toEqual([])
})

test('long work gives way to others, and is one all the same', async () => {
  await using directory = await tempDir()
  await using store = new SqliteStore(directory.file('tree'), {}, strictObserver)
  const tables = store.sideTables
  await increment(tables, 'a')
  let others = 0
  const seen: (number | undefined)[] = []
  const long = tables.write(function* (orm) {
    for (let step = 0; step < 2000; step++) {
      add(orm, 'a')
      const until = performance.now() + 0.05
      while (performance.now() < until);
      yield
    }
  })
  const written = watch(long)
  while (written.state === 'waiting') {
    await turns(1)
    others++
    if (written.state === 'waiting') seen.push(await counted(tables, 'a'))
  }
  await long
  expect(others).toBeGreaterThan(3)
  expect(new Set(seen)).toEqual(new Set([1]))
  expect(await counted(tables, 'a')).toBe(2001)
})

test('a closed file takes no work', async () => {
  await using directory = await tempDir()
  const store = new SqliteStore(directory.file('tree'), {}, strictObserver)
  const tables = store.sideTables
  await increment(tables, 'a')
  await store.close()
  await expect(increment(tables, 'a')).rejects.toMatchObject({ code: 'unavailable' })
  await expect(counted(tables, 'a')).rejects.toMatchObject({ code: 'unavailable' })
  await using again = new SqliteStore(directory.file('tree'), {}, strictObserver)
  expect(await counted(again.sideTables, 'a')).toBe(1)
})
