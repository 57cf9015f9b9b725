import { Database as Client } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { silentObserver } from '../../../src/observer.ts'
import type { SqliteOptions } from '../../../src/store/sqlite/sqlite-options.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { inLanes } from '../../support/lane.ts'
import { count, patch, plain, put, remove, strictObserver, wide } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { integrityProblems, rowsOf } from './integrity.ts'

function open(file: string, options: SqliteOptions = {}): SqliteStore {
  return new SqliteStore(file, options, strictObserver)
}

const bigTree = wide(3000, (index) => ({ a: { b: { c: index } }, '10': 'x', '.priority': index }))

describe('the file', () => {
  test('is refused to a second opener in the same process', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    await using first = open(file)
    await put(first, '/a', 1)
    expect(() => open(file)).toThrow('in use by another process')
    expect(await plain(first)).toBe('{"a":1}')
    await first.close()
    await using second = open(file)
    expect(await plain(second)).toBe('{"a":1}')
  })

  test('is refused to another process until it is closed', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    const elsewhere = async () => {
      const script = fileURLToPath(new URL('./open-elsewhere.ts', import.meta.url))
      return new Response(Bun.spawn([process.execPath, script, file]).stdout).text()
    }
    await using store = open(file)
    // Linux tells which, but for some file systems.
    const inUse = `${file} is in use by another process`
    expect([inUse, `${inUse}, ${process.pid}`]).toContain(await elsewhere())
    await store.close()
    expect(await elsewhere()).toBe('opened')
  })

  test('that is no database is refused and left alone', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    const text = 'no database at all, '.repeat(1000)
    await writeFile(file, text)
    for (let attempt = 0; attempt < 2; attempt++)
      expect(() => open(file)).toThrow(`cannot open ${file}: it is no database`)
    expect(await Bun.file(file).text()).toBe(text)
  })

  test('of a process that was killed before it had any table is taken', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    const left = new Client(file, { create: true })
    left.run('CREATE TABLE __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)')
    left.close()
    await using store = open(file)
    await put(store, '/a', 1)
    expect(await plain(store)).toBe('{"a":1}')
  })

  test('holds everything by itself once closed', async () => {
    await using directory = await tempDir()
    const file = directory.file('deep/er/tree')
    await using store = open(file)
    await put(store, '/', bigTree)
    expect(existsSync(`${file}-wal`)).toBe(true)
    await store.close()
    expect(existsSync(`${file}-wal`) && Bun.file(`${file}-wal`).size > 0).toBe(false)
    expect(integrityProblems(file)).toEqual([])
    const copy = directory.file('copy')
    await Bun.write(copy, Bun.file(file))
    await using copied = open(copy)
    expect(await count(copied)).toBe(3000)
  })

  test('keeps what was written with another row length', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    for (const [round, inlineLength] of [0, 4096, 30, 4096, 0].entries()) {
      await using store = open(file, { inlineLength })
      await put(store, `/r${round}`, { a: { b: [1, 2] } })
      await patch(store, '/', { [`r${round - 1}/a/b/2`]: 3, 'r0/a/c': round, [`r${round - 2}/a/b`]: null })
      await store.swept()
      const keys = JSON.parse((await plain(store)) ?? '')
      expect(keys[`r${round}`].a.b).toEqual(round === 0 ? [1, 2] : [1, 2])
      expect(keys.r0.a.c).toBe(round)
      await store.close()
      expect(integrityProblems(file)).toEqual([])
    }
  })
})

describe.each(inLanes([[30]], [[0], [30], [4096]]))('at most %d characters in a row, the sweep', (inlineLength) => {
  test('leaves no row of what was deleted', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    await using store = open(file, { inlineLength })
    await put(store, '/keep/one', 1)
    await put(store, '/big', bigTree)
    await put(store, '/list/big', bigTree)
    await put(store, '/again', bigTree)
    await remove(store, '/big/k5/a/b/c')
    await remove(store, '/big')
    await put(store, '/list', 'leaf')
    await put(store, '/again', bigTree)
    await remove(store, '/again')
    await store.swept()
    expect(await plain(store)).toBe('{"keep":{"one":1},"list":"leaf"}')
    await store.close()
    expect(integrityProblems(file)).toEqual([])
    expect(rowsOf(file, 'node')).toBeLessThan(6)
    expect(rowsOf(file, 'interior')).toBeLessThan(3)
  })

  test('goes on after a restart in its middle', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    await using first = open(file, { inlineLength })
    await put(first, '/big', bigTree)
    await put(first, '/keep', { a: 'x'.repeat(5000) })
    await remove(first, '/big')
    await first.close()
    expect(rowsOf(file, 'detached')).toBe(1)
    expect(rowsOf(file, 'node')).toBeGreaterThan(100)
    await using second = open(file, { inlineLength })
    await second.swept()
    expect(await count(second, '/keep')).toBe(1)
    await second.close()
    expect(integrityProblems(file)).toEqual([])
  })

  test('takes nothing new for something old after a restart', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    const text = 'x'.repeat(5000)
    await using first = open(file, { inlineLength })
    await put(first, '/', { keep: text, a: { x: { y: text }, z: 1 } })
    await first.swept()
    // Two cuts, one around the other, and no time left to forget both.
    const cuts = [remove(first, '/a/x'), remove(first, '/a')]
    await first.close()
    await Promise.all(cuts)
    await using second = open(file, { inlineLength })
    const fresh = { b: { c: text }, d: { e: text }, f: { g: text } }
    await patch(second, '/', fresh)
    await second.swept()
    expect(await plain(second)).toBe(JSON.stringify({ ...fresh, keep: text }))
    await second.close()
    expect(integrityProblems(file)).toEqual([])
  })
})

test('a long priority is announced to readers of the children', async () => {
  await using directory = await tempDir()
  const file = directory.file('tree')
  await using store = open(file, { inlineLength: 0 })
  await put(store, '/a/b', 1)
  await put(store, '/a/.priority', 'p'.repeat(10_000))
  await store.close()
  expect(integrityProblems(file)).toEqual([])
})

test('the integrity check finds what it looks for', async () => {
  await using directory = await tempDir()
  const file = directory.file('tree')
  const damage = [
    'DELETE FROM closure WHERE depth = 1',
    'INSERT INTO closure VALUES (2, 1, 1)',
    'UPDATE interior SET child_count = child_count + 1',
    'UPDATE interior SET traits = 0',
    "DELETE FROM node WHERE key = 'long'",
    'DELETE FROM interior WHERE id = 2',
    'UPDATE node SET kind = 6 WHERE kind = 5',
    'INSERT INTO detached VALUES (77)',
    "INSERT INTO index_entry VALUES (1, 1, 'v', 'k', NULL)",
    "INSERT INTO node VALUES (99, 'k', 3, '1', NULL)",
  ]
  await using store = new SqliteStore(file, { inlineLength: 0 }, silentObserver)
  await put(store, '/', { list: ['x', 'y', { deep: true }], long: 'x'.repeat(10_000) })
  await store.close()
  expect(integrityProblems(file)).toEqual([])
  for (const [index, statement] of damage.entries()) {
    const copy = directory.file(`copy${index}`)
    await Bun.write(copy, Bun.file(file))
    const client = new Client(copy)
    client.run('PRAGMA journal_mode = DELETE')
    client.run(statement)
    client.close()
    expect(integrityProblems(copy), statement).not.toEqual([])
  }
})
