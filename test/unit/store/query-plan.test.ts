import { Database as Client } from 'bun:sqlite'
import { describe, expect, spyOn, test } from 'bun:test'
import type { EdgeShape } from '../../../src/store/rows/indexes/scan-range.ts'
import { connectReader } from '../../../src/store/sqlite/file/connection.ts'
import { definedStatements } from '../../../src/store/sqlite/file/statements.ts'
import { type Projection, printQuery, type Shape } from '../../../src/store/sqlite/query/query-sql.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { put, remove, strictObserver, wide } from '../../support/store.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { countChosen, query } from './queries.ts'

const EDGES: readonly EdgeShape[] = ['open', 'value', 'value=', 'key', 'key=']
const ENTRY_PROJECTIONS: readonly Projection[] = ['children', 'entries', 'keys', 'count', 'landmark']
const COVERED_PROJECTIONS = ['children', 'entries'] as const
const NODE_PROJECTIONS = ['children', 'keys', 'count', 'landmark'] as const

const ends = EDGES.flatMap((start) =>
  EDGES.flatMap((end) => [false, true].map((descending) => ({ start, end, descending }))),
)
const shapes: readonly Shape[] = ends.flatMap((each) => [
  ...ENTRY_PROJECTIONS.map((projection): Shape => ({ over: 'index', projection, ...each })),
  ...COVERED_PROJECTIONS.map((projection): Shape => ({ over: 'covering', projection, ...each })),
  ...NODE_PROJECTIONS.map((projection): Shape => ({ over: 'node', projection, ...each })),
])

/** A file of a store that has been at work, closed. */
async function usedFile(directory: TempDir): Promise<string> {
  const file = directory.file('tree')
  await using store = new SqliteStore(file, { inlineLength: 0, shortList: 0 }, strictObserver)
  await put(
    store,
    '/list',
    wide(2000, (index) => ({ h: index % 7 })),
  )
  await query(store, '/list', { orderBy: 'h', limitToFirst: 2 })
  return file
}

function planOf(client: Client, sql: string): string[] {
  return client
    .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => detail)
}

/** What the search along an index or table must be held to, so that nothing outside the range is looked at. */
function limitsOf({ over, start, end }: Shape): string[] {
  const columns = over === 'node' ? { value: 'key', key: 'key' } : { value: '(kind,value)', key: '(kind,value,key)' }
  const limit = (edge: EdgeShape, operator: string) =>
    edge === 'open' ? [] : [columns[edge.startsWith('value') ? 'value' : 'key'] + operator]
  return [...limit(start, '>'), ...limit(end, '<')]
}

describe('the statements of ordered queries', () => {
  test('there are as many as there are shapes', () => {
    expect(shapes.length).toBe(5 * 5 * 2 * 11)
    const printed = new Set(shapes.map(printQuery))
    // Where there are only keys to compare, both kinds of edges read alike; a count has no direction.
    expect(printed.size).toBe(25 * (6 * 2 + 1) + 9 * (3 * 2 + 1))
  })

  test('none sorts, none scans: each searches its range and nothing else', async () => {
    await using directory = await tempDir()
    const client = new Client(await usedFile(directory), { readonly: true })
    for (const shape of shapes) {
      const plan = planOf(client, printQuery(shape))
      const [search = '', ...rest] = plan
      const joined = shape.over !== 'node' && (shape.projection === 'children' || shape.projection === 'entries')
      const told = `${JSON.stringify(shape)}: ${plan.join('; ')}`
      expect(plan.join('; '), told).not.toMatch(/TEMP B-TREE|SCAN/)
      const start = shape.over === 'node' ? 'SEARCH node USING PRIMARY KEY (parent_id=?' : 'SEARCH index_entry USING '
      expect(search, told).toStartWith(start)
      for (const limit of limitsOf(shape)) expect(search, told).toContain(`AND ${limit}`)
      const lookup = `SEARCH node USING PRIMARY KEY (parent_id=? AND key=?)${shape.over === 'covering' ? ' LEFT-JOIN' : ''}`
      expect(rest, told).toEqual(joined ? [lookup] : [])
    }
    client.close()
  })

  test('all that a request says travels as a parameter', () => {
    for (const shape of shapes) {
      const literals = printQuery(shape).replaceAll("'.priority'", '')
      expect(literals).not.toMatch(/['"`;]|--/)
      expect(literals.replace('SELECT 0, 0', '').replace('LIMIT 1 OFFSET', '')).not.toMatch(/[0-9]/)
    }
  })
})

test('every statement can be prepared, and none scans a table that grows with the tree', async () => {
  await using directory = await tempDir()
  const prepared = new Set<string>()
  const prepare = Client.prototype.prepare
  const spy = spyOn(Client.prototype, 'prepare').mockImplementation(function (this: Client, sql, ...rest) {
    prepared.add(sql)
    return prepare.call(this, sql, ...rest)
  } as typeof prepare)
  const file = directory.file('tree')
  try {
    for (const inlineLength of [0, 4096]) {
      await using store = new SqliteStore(file, { inlineLength, shortList: 0 }, strictObserver)
      await put(
        store,
        '/list',
        wide(2000, (index) => ({ h: index % 7, '.priority': index })),
      )
      await put(store, '/list/5', 7)
      for (const orderBy of ['h', '$value', '$priority', '$key']) {
        await query(store, '/list', { orderBy, startAt: orderBy === '$key' ? 'k1' : 3, limitToLast: 2 })
        await countChosen(store, '/list', { orderBy, endAt: orderBy === '$key' ? 'k1' : 3 })
      }
      await put(store, '/list/k5/h', 'x')
      await remove(store, '/list/k6')
      await put(store, '/list', { a: 'x'.repeat(5000) })
      await remove(store, '/list')
      await store.swept()
    }
    const connection = connectReader(file)
    for (const definitions of definedStatements) for (const prepare of Object.values(definitions)) prepare(connection)
    connection.client.close()
  } finally {
    spy.mockRestore()
  }
  const statements = [...prepared].filter((sql) => /^(?!.*migrations).*\b(?:select|insert|update|delete)\b/i.test(sql))
  expect(statements.length).toBeGreaterThan(80)
  const client = new Client(file, { readonly: true })
  for (const sql of statements) {
    const plan = planOf(client, sql)
    expect(plan.join('; '), sql).not.toContain('TEMP B-TREE')
    expect(plan.join('; '), sql).not.toMatch(/SCAN (?:node|index_entry|closure|interior)\b/)
  }
  client.close()
})
