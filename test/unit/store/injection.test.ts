import { Database as Client } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { parseIndexes } from '../../../src/query/index-declarations.ts'
import type { BoundSpec } from '../../../src/query/query.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { Mirror } from '../../model/store/mirror.ts'
import { strictObserver } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { integrityProblems } from './integrity.ts'
import { indexLines } from './queries.ts'

/** What could end a literal, a statement or a name, or stand for a parameter, and may stand in a key. */
const hostileKeys = [
  "'); DROP TABLE node; --",
  "' OR '1'='1",
  "'",
  "''",
  '"',
  '""; DROP TABLE "index_entry"; --',
  '`',
  ';',
  '--',
  '\\',
  "\\'",
  '%',
  '_',
  '*',
  '?',
  '?1',
  ':name',
  ':list',
  '@p',
  'NULL',
  'null',
  'index_id',
  'node.key',
  '(SELECT 1)',
  "x') UNION SELECT * FROM node --",
  "{'$key'}",
]
  // No key may hold these.
  .filter((key) => !/[.$#[\]/]/.test(key))

/** The same and what only a value or bound may hold. */
const hostileTexts = [
  ...hostileKeys,
  '',
  '\u0000',
  "\u0000'; DROP TABLE node; --",
  "a\u0000' OR 1 --",
  '\u0001',
  '\u00010000000000',
  '\u0002',
  '\u0003',
  '\u001F',
  '\u007F',
  '$1',
  '$key',
  '.priority',
  '.value',
  '[["h"]]',
  '"$key"',
  '/',
  '#',
  '1; VACUUM',
]

/** Everything that the file has tables and indexes of. */
function inventory(file: string): unknown {
  const client = new Client(file, { readonly: true })
  try {
    return client.query('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all()
  } finally {
    client.close()
  }
}

async function schemaOf(file: string): Promise<unknown> {
  await new SqliteStore(file, {}, strictObserver).close()
  return inventory(file)
}

describe.each([[0], [4096]] as const)('at most %d characters in a row, what looks like SQL is data', (inlineLength) => {
  const options = { inlineLength, shortList: 0 }
  const filler = 'filler '.repeat(40)

  test('as key, value and bound', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    const schema = await schemaOf(directory.file('empty'))
    const mirror = new Mirror(new SqliteStore(file, options, strictObserver))
    await using store = mirror.store
    for (const [index, key] of hostileKeys.entries()) {
      const text = hostileTexts[(index * 7) % hostileTexts.length]
      await mirror.put(['list', key], { h: text, filler, ...(index % 2 === 0 ? { '.priority': text } : {}) })
    }
    for (const [index, text] of hostileTexts.entries()) await mirror.put(['list', `k${index}`], { h: text, filler })
    for (const text of hostileTexts) {
      const ends: BoundSpec[] = [text, [text, text], ['', text]]
      for (const bound of ends) {
        for (const name of ['startAt', 'startAfter', 'endAt', 'endBefore', 'equalTo'] as const) {
          await mirror.expectAnswers(['list'], { orderBy: 'h', [name]: bound, limitToLast: 5 })
        }
        await mirror.expectAnswers(['list'], { orderBy: '$priority', startAt: bound, limitToFirst: 2 })
      }
      for (const family of ['wilddog', 'firebase'] as const) {
        await mirror.expectAnswers(['list'], { orderBy: '$key', startAt: text }, family)
        await mirror.expectAnswers(['list'], { orderBy: '$key', endBefore: text }, family)
        await mirror.expectAnswers(['list'], { orderBy: '$key', equalTo: text }, family)
      }
    }
    await store.swept()
    await store.close()
    expect(inventory(file)).toEqual(schema)
    expect(integrityProblems(file)).toEqual([])
  }, 120_000)

  test('as child path of an order and path of a list', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    const schema = await schemaOf(directory.file('empty'))
    const mirror = new Mirror(new SqliteStore(file, options, strictObserver))
    await using store = mirror.store
    await mirror.put(['keep'], 1)
    for (const key of hostileKeys) {
      await mirror.put([key, key], { a: { [key]: 2, filler }, b: { [key]: { [key]: 1 } }, c: { [key]: key } })
      await mirror.expectAnswers([key, key], { orderBy: key })
      await mirror.expectAnswers([key, key], { orderBy: `${key}/${key}`, equalTo: 1 })
      await mirror.expectAnswers([key], { orderBy: `a/${key}`, startAt: key })
      await mirror.put([key, key, 'b', key], null)
      await mirror.put([key, key, 'c', key, key], key)
      await mirror.expectAnswers([key, key], { orderBy: key })
      await mirror.expectAnswers([key, key], { orderBy: `${key}/${key}`, equalTo: key })
    }
    await mirror.put([hostileKeys[0] ?? ''], null)
    await store.swept()
    await store.close()
    expect(inventory(file)).toEqual(schema)
    expect(integrityProblems(file)).toEqual([])
  }, 120_000)

  test('as a declared index', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    const schema = await schemaOf(directory.file('empty'))
    const mirror = new Mirror(new SqliteStore(file, options, strictObserver))
    await using store = mirror.store
    for (const key of hostileKeys)
      await mirror.put(['lists', key], { a: { [key]: 2, filler }, b: { [key]: key, filler } })
    const spec = Object.fromEntries(hostileKeys.map((key) => [`/lists/${key}`, [key, `${key}/${key}`]]))
    await store.declareIndexes(parseIndexes(spec))
    const expected = hostileKeys.flatMap((key) => [`/lists/${key} by ${key}`, `/lists/${key} by ${key}/${key}`])
    expect(await indexLines(store)).toEqual(inlineLength === 0 ? expected.sort() : [])
    await store.declareIndexes(parseIndexes({ '/lists/$any': hostileKeys }))
    for (const key of hostileKeys) await mirror.expectAnswers(['lists', key], { orderBy: key, startAt: 2 })
    await store.swept()
    await store.close()
    expect(inventory(file)).toEqual(schema)
    expect(integrityProblems(file)).toEqual([])
  }, 120_000)
})
