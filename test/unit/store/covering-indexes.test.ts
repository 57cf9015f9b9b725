import { Database as Client } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { parseIndexes } from '../../../src/query/index-declarations.ts'
import { inspectFile } from '../../../src/store/sqlite/check/inspect.ts'
import { ageOf } from '../../../src/store/sqlite/file/file-version.ts'
import type { SqliteOptions } from '../../../src/store/sqlite/sqlite-options.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { Mirror } from '../../model/store/mirror.ts'
import { put, strictObserver, turns, watch } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { integrityProblems } from './integrity.ts'
import { query } from './queries.ts'

const COVERING = parseIndexes({ '/list': [{ child: 'h', covering: true }] })
const PLAIN = parseIndexes({ '/list': ['h'] })
/** Long enough to be sorted by a worker. */
const LONG_LIST = 3000

function open(file: string, options: SqliteOptions = {}): SqliteStore {
  return new SqliteStore(file, options, strictObserver)
}

/** Short and long children, few of them with the same value to sort by. */
function listOf(size: number, mark = ''): Record<string, unknown> {
  return Object.fromEntries(
    Array.from({ length: size }, (_, index) => [
      `k${index}`,
      index % 9 === 0 ? mark : { h: (index * 7919) % 1009, text: mark + 't'.repeat(index % 5 === 0 ? 300 : 20) },
    ]),
  )
}

async function covered(store: SqliteStore): Promise<boolean[]> {
  return (await store.indexes()).map(({ covering }) => covering)
}

/** Writes that change what a child is, and not what it is sorted by. */
async function rewrite(mirror: Mirror, round: number): Promise<void> {
  const key = `k${(round * 31) % 200}`
  await mirror.put(['list', key, 'text'], round % 3 === 0 ? 'long '.repeat(90) : `round ${round}`)
  await mirror.put(['list', `k${(round * 17) % 200}`, '.priority'], round % 2 === 0 ? null : round)
  await mirror.patch(
    ['list'],
    new Map<string, unknown>([
      [`${key}/more/${round}`, { '.sv': { increment: round } }],
      [`k${(round * 13 + 1) % 200}1/text`, null],
    ]),
  )
  await mirror.put(['list', `k${(round * 7) % 200}`, 'more'], null)
}

async function expectRight(mirror: Mirror): Promise<void> {
  for (const spec of [{ limitToFirst: 200 }, { startAt: 300, limitToFirst: 50 }, { limitToLast: 100 }]) {
    await mirror.expectAnswers(['list'], { ...spec, orderBy: 'h' })
  }
}

test('an index is built anew when it is declared as covering, and kept up', async () => {
  await using directory = await tempDir()
  const file = directory.file('tree')
  const mirror = new Mirror(open(file))
  await using store = mirror.store
  await mirror.put(['list'], listOf(LONG_LIST))
  await expectRight(mirror)
  expect(await covered(mirror.store as SqliteStore)).toEqual([false])
  const declared = watch(store.declareIndexes(COVERING))
  let round = 0
  for (; declared.state === 'waiting'; round++) await rewrite(mirror, round)
  expect(declared.state).toBe('resolved')
  expect(await covered(mirror.store as SqliteStore)).toEqual([true])
  await expectRight(mirror)
  for (const end = round + 20; round < end; round++) await rewrite(mirror, round)
  await expectRight(mirror)
  await store.close()
  expect(integrityProblems(file)).toEqual([])
  expect([...inspectFile(file)]).toEqual([])
})

test('an index that need not cover any more is read without the texts that grow old', async () => {
  await using directory = await tempDir()
  const file = directory.file('tree')
  const first = new Mirror(open(file))
  await first.put(['list'], listOf(300))
  await first.store.declareIndexes(COVERING)
  await first.store.close()
  // A restart alone does not change it.
  first.store = open(file, { indexIdleMs: 3000 })
  await using store = first.store
  expect(await covered(first.store as SqliteStore)).toEqual([true])
  await store.declareIndexes(PLAIN)
  while ((await covered(first.store as SqliteStore))[0]) await turns(1)
  for (let round = 0; round < 10; round++) await rewrite(first, round)
  await expectRight(first)
  await store.declareIndexes(COVERING)
  expect(await covered(first.store as SqliteStore)).toEqual([true])
  await expectRight(first)
  for (let round = 10; round < 20; round++) await rewrite(first, round)
  await expectRight(first)
  await store.swept()
  await store.close()
  expect(integrityProblems(file)).toEqual([])
})

test('a list that comes later or replaces another one has covering indexes too', async () => {
  await using directory = await tempDir()
  const file = directory.file('tree')
  const mirror = new Mirror(open(file))
  await using store = mirror.store
  await store.declareIndexes(COVERING)
  await mirror.put(['list'], listOf(300))
  await expectRight(mirror)
  expect(await covered(mirror.store as SqliteStore)).toEqual([true])
  await mirror.put(['list'], listOf(400, 'new '))
  await expectRight(mirror)
  expect(await covered(mirror.store as SqliteStore)).toEqual([true])
  await mirror.put(['list'], null)
  await mirror.put(['list'], listOf(200, 'again '))
  await expectRight(mirror)
  expect(await covered(mirror.store as SqliteStore)).toEqual([true])
  await store.swept()
  await store.close()
  expect(integrityProblems(file)).toEqual([])
})

test('an entry has texts of at most 256 characters', async () => {
  await using directory = await tempDir()
  const file = directory.file('tree')
  await using store = open(file)
  await store.declareIndexes(parseIndexes({ '/list': [{ child: '.value', covering: true }] }))
  const lengths = [1, 100, 253, 254, 255, 256, 300]
  const list = Object.fromEntries(lengths.map((length) => [`k${length}`, '\u00fc'.repeat(length)]))
  await put(store, '/list', { ...listOf(300), ...list })
  await query(store, '/list', { orderBy: '$value', limitToLast: 2 })
  await store.close()
  const client = new Client(file, { readonly: true })
  const texts = client
    .query<{ key: string; length: number | null }, []>(
      "SELECT key, length(text) AS length FROM index_entry WHERE kind = 4 AND value > char(252) OR key = 'k1'",
    )
    .all()
  client.close()
  const held = Object.fromEntries(texts.map(({ key, length }) => [key, length]))
  expect(held).toMatchObject({ k100: 102, k253: 255, k254: 256, k255: null, k256: null, k300: null })
})

test('a file of an earlier version is found good, and its indexes are read and built anew', async () => {
  await using directory = await tempDir()
  const file = directory.file('tree')
  const mirror = new Mirror(open(file))
  await mirror.put(['list'], listOf(300))
  await expectRight(mirror)
  await mirror.store.close()
  const client = new Client(file)
  client.run('DROP TABLE session')
  client.run('DROP TABLE session_value')
  client.run('DROP TABLE text_chunk')
  client.run('ALTER TABLE index_entry DROP COLUMN text')
  client.run('ALTER TABLE index_definition DROP COLUMN covering')
  client.run(
    'DELETE FROM __drizzle_migrations WHERE created_at IN ' +
      '(SELECT created_at FROM __drizzle_migrations ORDER BY created_at DESC LIMIT 4)',
  )
  client.close()
  expect(ageOf(file)).toBe('older')
  expect([...inspectFile(file)]).toEqual([])
  mirror.store = open(file)
  await using store = mirror.store
  await expectRight(mirror)
  await rewrite(mirror, 5)
  await store.declareIndexes(COVERING)
  await expectRight(mirror)
  await store.close()
  expect([...inspectFile(file)]).toEqual([])
  expect(integrityProblems(file)).toEqual([])
})
