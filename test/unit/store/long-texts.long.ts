import '../../support/long-lane.ts'
import { Database as Client } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { openDatabase } from '../../../src/embedded.ts'
import { makeQuery } from '../../../src/query/query.ts'
import { inspectFile } from '../../../src/store/sqlite/check/inspect.ts'
import type { SqliteOptions } from '../../../src/store/sqlite/sqlite-options.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { etagOf } from '../../../src/tree/json/etag.ts'
import { parsePath } from '../../../src/tree/path.ts'
import { type Reads, TRUSTED } from '../../../src/tree/read-program.ts'
import { longRuns } from '../../support/lane.ts'
import { count, exported, patch, plain, put, remove, shallow, strictObserver, unlimited } from '../../support/store.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { integrityProblems, rowsOf } from './integrity.ts'
import { countChosen, query } from './queries.ts'

/** Longer than many chunks, with characters of every width, and a surrogate pair at the end of a chunk. */
const ANN = { kind: 'user', auth: { uid: 'ann' } } as const

const LONG = `${'"\\\n\u0001é日\u{1F600}'.repeat(40_000)}${'x'.repeat(65_535)}\u{1F600}end`
/** Longest text of a row beside long strings, in bytes: the beginning of one, of any characters. */
const LONGEST_ROW = 16 * 1024

function open(dir: TempDir, options: SqliteOptions = {}): SqliteStore {
  return new SqliteStore(dir.file('tree'), options, strictObserver)
}

async function expectSound(store: SqliteStore, dir: TempDir, chunks: number): Promise<void> {
  await store.swept()
  await store.close()
  expect(integrityProblems(dir.file('tree'))).toEqual([])
  expect(rowsOf(dir.file('tree'), 'text_chunk')).toBe(chunks)
}

/** What a rule reads. */
async function leaf(store: SqliteStore, path: string): Promise<unknown> {
  const logic = function* (): Reads<unknown> {
    return yield { kind: 'leaf', path: parsePath(path) }
  }
  return store.read(logic)
}

describe('a long string', () => {
  test('is answered in every form', async () => {
    await using dir = await tempDir()
    await using store = open(dir, { cacheLength: 0 })
    await put(store, '/list/a', LONG)
    await put(store, '/list/b', { '.value': LONG, '.priority': 'p' })
    const text = JSON.stringify(LONG)
    const withPriority = `{".priority":"p",".value":${text}}`
    expect(await plain(store, '/list/a')).toBe(text)
    expect(await plain(store, '/list/b')).toBe(text)
    expect(await exported(store, '/list/b')).toBe(withPriority)
    expect(await plain(store)).toBe(`{"list":{"a":${text},"b":${text}}}`)
    expect(await exported(store)).toBe(`{"list":{"a":${text},"b":${withPriority}}}`)
    expect((await Array.fromAsync(store.export([]))).join('')).toBe(`{"list":{"a":${text},"b":${withPriority}}}`)
    expect((await Array.fromAsync(store.export(['list', 'b']))).join('')).toBe(withPriority)
    expect(await shallow(store, '/list/b')).toBe(text)
    expect([await shallow(store, '/list'), await count(store, '/list'), await count(store, '/list/a')]).toEqual([
      '{"a":true,"b":true}',
      2,
      0,
    ])
    for (const [path, stored] of [
      ['/list/a', text],
      ['/list/b', withPriority],
    ] as const) {
      expect((await store.node(parsePath(path), unlimited, TRUSTED))?.etag).toBe(etagOf(stored))
    }
    expect([
      await leaf(store, '/list/a'),
      await leaf(store, '/list/b'),
      await leaf(store, '/list/b/.priority'),
    ]).toEqual([LONG, LONG, 'p'])
    expect(await query(store, '/list/a', { orderBy: '$key' })).toBe(text)
    expect(await query(store, '/list', { orderBy: '$value', limitToLast: 1 })).toBe(`{"b":${text}}`)
    expect(await plain(store, '/list/a/below')).toBeUndefined()
    const limit = { ...unlimited, maxLength: text.length - 1 }
    expect(async () => store.node(['list', 'a'], limit, TRUSTED)).toThrow('maximum size')
  })

  test('is changed in every way', async () => {
    const changes: readonly (readonly [string, (store: SqliteStore) => Promise<unknown>, unknown, boolean])[] = [
      ['priority', (store) => put(store, '/a/s/.priority', 5), { s: { '.value': LONG, '.priority': 5 }, x: 1 }, true],
      ['deletion below', (store) => patch(store, '/a', { 's/b': null, 's/c': null, x: 2 }), { s: LONG, x: 2 }, true],
      ['child', (store) => put(store, '/a/s/b', true), { s: { b: true }, x: 1 }, false],
      [
        'children',
        (store) => patch(store, '/a', { 's/b': 1, 's/c': null, 's/d/e': 2 }),
        { s: { b: 1, d: { e: 2 } }, x: 1 },
        false,
      ],
      ['other string', (store) => put(store, '/a/s', `${LONG}2`), { s: `${LONG}2`, x: 1 }, true],
      ['short string', (store) => put(store, '/a/s', 'short'), { s: 'short', x: 1 }, false],
      ['list', (store) => put(store, '/a/s', [1, 2, 3]), { s: [1, 2, 3], x: 1 }, false],
      ['deletion', (store) => remove(store, '/a/s'), { x: 1 }, false],
      ['deletion of all', (store) => remove(store, '/a'), undefined, false],
      ['beside', (store) => put(store, '/a/x', 7), { s: LONG, x: 7 }, true],
    ]
    for (const [, change, expected, isLong] of changes) {
      await using dir = await tempDir()
      await using store = open(dir, { cacheLength: 0 })
      await put(store, '/a', { s: LONG, x: 1 })
      await change(store)
      expect(await exported(store, '/a').then((text) => text && JSON.parse(text))).toEqual(
        Array.isArray((expected as { s?: unknown } | undefined)?.s) ? { s: { 0: 1, 1: 2, 2: 3 }, x: 1 } : expected,
      )
      const chunks = Math.ceil((LONG.length + 1) / 65_536) + 2
      await expectSound(store, dir, isLong ? chunks : 0)
    }
  })

  test('keeps its own priority, and loses it with another value', async () => {
    await using dir = await tempDir()
    await using store = open(dir, { cacheLength: 0 })
    await put(store, '/s', { '.value': LONG, '.priority': 1 })
    await put(store, '/s/.priority', 'other')
    expect(await exported(store, '/s')).toBe(`{".priority":"other",".value":${JSON.stringify(LONG)}}`)
    await put(store, '/s/child', 1)
    expect(await exported(store, '/s')).toBe('{".priority":"other","child":1}')
    await put(store, '/s', LONG)
    await put(store, '/s/.priority', null)
    expect(await exported(store, '/s')).toBe(JSON.stringify(LONG))
    await store.close()
    expect(integrityProblems(dir.file('tree'))).toEqual([])
  })

  test('may be the root, and one of many writes', async () => {
    await using dir = await tempDir()
    await using store = open(dir)
    await put(store, '/', LONG)
    expect(await plain(store)).toBe(JSON.stringify(LONG))
    const members = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`k${index % 7}/n${index}`, index]))
    await patch(store, '/', { ...members, 'long/text': LONG })
    await patch(store, '/', { 'k3/n3': 'new', 'long/text/a': 1, 'k1/n8': LONG, 'k2/n9/x': `${LONG}1` })
    const { long, k1, k2 } = JSON.parse((await plain(store)) ?? '')
    expect([long.text, k1.n8, k2.n9.x, k2.n2]).toEqual([{ a: 1 }, LONG, `${LONG}1`, 2])
    await store.swept()
    await store.close()
    expect(integrityProblems(dir.file('tree'))).toEqual([])
  })

  test('has exact keys after many years, and no more chunks than a text may have', async () => {
    await using dir = await tempDir()
    await open(dir).close()
    using client = new Client(dir.file('tree'))
    client.run(`INSERT INTO detached VALUES (${2 ** 39})`)
    await using store = open(dir, { chunkLength: 2 })
    await put(store, '/a', LONG)
    expect(await plain(store, '/a')).toBe(JSON.stringify(LONG))
    await remove(store, '/a')
    await put(store, '/b', LONG.slice(0, 10_000))
    await store.swept()
    await store.close()
    expect(integrityProblems(dir.file('tree'))).toEqual([])
    expect(rowsOf(dir.file('tree'), 'text_chunk')).toBeLessThanOrEqual(5002)
  })

  test('may be written by several clients at once', async () => {
    await using dir = await tempDir()
    await using store = open(dir)
    const writes = Array.from({ length: 6 }, (_, index) => put(store, `/list/k${index}`, LONG))
    const removed = put(store, '/list/k3', null)
    await Promise.all([...writes, patch(store, '/', { a: LONG, 'b/c': LONG }), removed])
    const all = JSON.parse((await plain(store)) ?? '')
    expect([all.a, all.b.c, all.list.k0, all.list.k5]).toEqual([LONG, LONG, LONG, LONG])
    await store.swept()
    await store.close()
    expect(integrityProblems(dir.file('tree'))).toEqual([])
  })

  test('in one row of an earlier version is read, and divided by the next write to it', async () => {
    await using dir = await tempDir()
    const before = open(dir, { chunkLength: 10_000_000 })
    await put(before, '/list', { a: LONG, b: LONG, c: 'c' })
    await before.close()
    expect(rowsOf(dir.file('tree'), 'text_chunk')).toBe(0)
    await using store = open(dir)
    expect(await plain(store, '/list/a')).toBe(JSON.stringify(LONG))
    expect(await query(store, '/list', { orderBy: '$value', limitToFirst: 1 })).toBe(`{"a":${JSON.stringify(LONG)}}`)
    await put(store, '/list/a/.priority', 1)
    await put(store, '/list/b', `${LONG}b`)
    expect(await exported(store, '/list/a')).toBe(`{".priority":1,".value":${JSON.stringify(LONG)}}`)
    expect(await plain(store, '/list/b')).toBe(JSON.stringify(`${LONG}b`))
    await expectSound(store, dir, 2 * (Math.ceil((LONG.length + 1) / 65_536) + 2))
  })

  test('is not passed through by reads and writes of its neighbors', async () => {
    await using dir = await tempDir()
    await using store = open(dir)
    const keys = Array.from({ length: 32 }, (_, index) => `k${index}`)
    await put(store, '/list', Object.fromEntries(keys.map((key) => [key, LONG])))
    for (const key of keys) await put(store, `/list/${key}beside`, LONG)
    await store.swept()
    using client = new Client(dir.file('tree'), { readonly: true })
    const row = client.query('SELECT count(*) AS rows, max(octet_length(value)) AS longest FROM node').get()
    // The root, the list and its children.
    expect(row).toMatchObject({ rows: 2 * keys.length + 2 })
    // SQLite passes through rows on the way to one of them: long texts are in another table.
    expect((row as { readonly longest: number }).longest).toBeLessThan(LONGEST_ROW)
  })

  test('has no indexes of the list that it replaces', async () => {
    await using dir = await tempDir()
    await using store = open(dir, { shortList: 0 })
    for (const text of [LONG, { '.value': LONG, '.priority': 1 }]) {
      await put(store, '/list', { a: 'a'.repeat(5000), b: 'b' })
      await query(store, '/list', { orderBy: '$value', limitToFirst: 1 })
      expect(await store.indexes()).toHaveLength(1)
      await put(store, '/list', text)
      expect(await store.indexes()).toEqual([])
    }
    await remove(store, '/')
    await expectSound(store, dir, 0)
  })

  test('is judged by rules as a whole', async () => {
    await using dir = await tempDir()
    await using db = openDatabase({ file: dir.file('tree') })
    const rules = {
      rules: { '.read': true, s: { '.write': `!data.exists() || data.val().length === ${LONG.length}` } },
    }
    await db.setRules(JSON.stringify(rules))
    await db.put('/s', LONG)
    await db.put('/s', LONG.slice(1), { as: ANN })
    await expect(db.put('/s', 'other', { as: ANN })).rejects.toMatchObject({ code: 'permission-denied' })
    expect(await db.get('/s')).toBe(LONG.slice(1))
  })
})

/** Texts with the same first characters, and of some also the next tens of thousands. */
const tiedText = fc
  .record({
    shared: fc.constantFrom(1023, 1024, 1025, 1026, 1027, 3000, 66_000, 270_000),
    rest: fc.string({ maxLength: 3 }),
  })
  .map(({ shared, rest }) => 'x'.repeat(shared) + rest)

describe.each<[string, SqliteOptions]>([
  ['an index', { shortList: 0 }],
  ['memory', { shortList: 1000 }],
  ['an index, in chunks of 300', { shortList: 0, chunkLength: 300 }],
  ['an index, in rows of an earlier version', { shortList: 0, chunkLength: 10_000_000 }],
])('long texts with the same beginning are sorted by %s', (_, options) => {
  test('as their whole texts are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(tiedText, { minLength: 2, maxLength: 12 }),
        tiedText,
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        async (texts, bound, limit, isBelow) => {
          await using dir = await tempDir()
          await using store = open(dir, options)
          const child = (text: string) => (isBelow ? { deep: { text, n: 1 } } : text)
          await put(store, '/list', Object.fromEntries(texts.map((text, index) => [`k${index}`, child(text)])))
          const orderBy = isBelow ? 'deep/text' : '$value'
          const sorted = texts
            .map((text, index) => ({ text, key: `k${index}` }))
            .sort((one, other) =>
              one.text === other.text ? (one.key < other.key ? -1 : 1) : one.text < other.text ? -1 : 1,
            )
          const keys = async (spec: object) =>
            Object.keys(JSON.parse((await query(store, '/list', { orderBy, ...spec })) ?? '{}'))
          const keysOf = (chosen: typeof sorted) => chosen.map(({ key }) => key)
          expect(await keys({})).toEqual(keysOf(sorted))
          expect(await keys({ limitToFirst: limit })).toEqual(keysOf(sorted.slice(0, limit)))
          expect(await keys({ limitToLast: limit })).toEqual(keysOf(sorted.slice(-limit)))
          const from = sorted.filter(({ text }) => text >= bound)
          expect(await keys({ startAt: bound })).toEqual(keysOf(from))
          expect(await keys({ endBefore: bound })).toEqual(keysOf(sorted.filter(({ text }) => text < bound)))
          expect(await keys({ equalTo: bound })).toEqual(keysOf(sorted.filter(({ text }) => text === bound)))
          expect(await countChosen(store, '/list', { orderBy, startAt: bound })).toBe(from.length)
        },
      ),
      { numRuns: longRuns(25) },
    )
  })
})

test('many texts with the same beginning are refused before they are read when they are too long together', async () => {
  await using dir = await tempDir()
  await using store = open(dir, { chunkLength: 300 })
  await put(
    store,
    '/list',
    Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`k${index}`, `${'x'.repeat(2000)}${index}`])),
  )
  const limit = { ...unlimited, maxLength: 150_000 }
  const read = async (spec: object) =>
    store.query(['list'], makeQuery({ orderBy: '$value', ...spec }, 'firebase'), limit, TRUSTED)
  await expect(read({})).rejects.toThrow('maximum size')
  expect(Object.keys(JSON.parse((await read({ limitToLast: 2 }))?.plain ?? '{}'))).toEqual(['k98', 'k99'])
})

test('chunks that do not fit their text are reported', async () => {
  await using dir = await tempDir()
  const file = dir.file('tree')
  const store = open(dir)
  await put(store, '/list', { a: { '.value': LONG, '.priority': 1 } })
  await store.close()
  expect([...inspectFile(file)]).toEqual([])
  for (const [damage, check] of [
    ['DELETE FROM text_chunk WHERE id % 8192 = 2', 'a text does not fit its chunks'],
    ['DELETE FROM text_chunk WHERE id = (SELECT max(id) FROM text_chunk)', 'a text does not fit its chunks'],
    ["UPDATE text_chunk SET text = '\"' WHERE id % 8192 = 0", 'a text does not fit its chunks'],
    ["UPDATE text_chunk SET text = 'a' || text WHERE id % 8192 = 1", 'a text does not fit its chunks'],
    ["UPDATE text_chunk SET text = '\"' WHERE id % 8192 = 3", 'a text does not fit its chunks'],
    ["INSERT INTO text_chunk VALUES (999 * 8192, '\"')", 'a chunk has no text'],
    [
      "UPDATE node SET value = '\"y' || substr(value, 3) WHERE id IS NOT NULL AND value IS NOT NULL",
      'kind, value and id of a slot do not fit',
    ],
  ] as const) {
    const spoiled = dir.file('spoiled')
    await Bun.write(spoiled, Bun.file(file))
    using client = new Client(spoiled)
    client.run(damage)
    expect([...inspectFile(spoiled)].map((problem) => problem.check)).toContain(check)
  }
})
