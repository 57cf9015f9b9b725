import '../../../support/long-lane.ts'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { makeQuery, type QuerySpec } from '../../../../src/query/query.ts'
import { PostgresDatabase } from '../../../../src/store/postgres/postgres-database.ts'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import {
  type Projection,
  printRange,
  type Shape,
} from '../../../../src/store/postgres/reads/statements/range-statements.ts'
import type { EdgeShape } from '../../../../src/store/rows/indexes/scan-range.ts'
import type { TreeStore } from '../../../../src/store/store.ts'
import { parsePath } from '../../../../src/tree/path.ts'
import { type ReadAnswer, type Reads, TRUSTED } from '../../../../src/tree/read-program.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../../support/postgres/cluster.ts'
import { watchedDatabase } from '../../../support/postgres/watched-database.ts'
import { put, strictObserver, unlimited, wide } from '../../../support/store.ts'

const EDGES: readonly EdgeShape[] = ['open', 'value', 'value=', 'key', 'key=']
const PROJECTIONS: readonly Projection[] = ['children', 'keys', 'landmark', 'count']
const shapes: readonly Shape[] = (['node', 'index', 'covering'] as const).flatMap((over) =>
  PROJECTIONS.flatMap((projection) =>
    EDGES.flatMap((start) =>
      EDGES.flatMap((end) => [false, true].map((descending) => ({ over, projection, start, end, descending }))),
    ),
  ),
)

/** Asks everything. */
async function readAll(store: TreeStore): Promise<void> {
  const select = async (path: string, spec: QuerySpec, family: 'firebase' | 'wilddog' = 'firebase') => {
    const query = makeQuery(spec, family)
    await store.query(parsePath(path), query, unlimited, TRUSTED)
    const { limitToFirst: _, limitToLast: __, ...bounds } = spec
    await store.count(parsePath(path), makeQuery(bounds, family), unlimited, TRUSTED)
    if (spec.orderBy === '$key' && family === 'firebase')
      await store.shallow(parsePath(path), unlimited, query, TRUSTED)
  }
  for (const path of ['/', '/list', '/list/k7', '/list/k7/h', '/long', '/numbers', '/none/at/all']) {
    await store.node(parsePath(path), unlimited, TRUSTED)
    await store.shallow(parsePath(path), unlimited, undefined, TRUSTED)
    await store.count(parsePath(path), undefined, unlimited, TRUSTED)
    await Array.fromAsync(store.export(parsePath(path)))
  }
  for (const orderBy of ['h', 'deep/a', '$value', '$priority', 'sometimes']) {
    await select('/list', { orderBy, limitToFirst: 20 })
    await select('/list', { orderBy, limitToLast: 20 })
    await select('/list', { orderBy, startAt: 3, endBefore: 7 })
    await select('/list', { orderBy, equalTo: null, limitToFirst: 5 })
  }
  await select('/texts', { orderBy: '$value', startAt: 'x'.repeat(600), limitToFirst: 5 })
  await select('/list', { orderBy: '$key', startAt: 'k5', limitToLast: 9 })
  await select('/numbers', { orderBy: '$key', startAt: '1', limitToFirst: 9 }, 'wilddog')
  await store.read(function* (): Reads<ReadAnswer> {
    yield { kind: 'leaf', path: ['list', 'k7', 'h'] }
    return yield { kind: 'size', path: ['list'] }
  })
  await store.changesAfter({ ...store.position(), seq: 0 }, 10)
  await store.changesNear({ ...store.position(), seq: 0 }, [['long']])
}

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'plans of the statements that read', () => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
  })
  afterAll(() => database.close())

  test('no statement looks through a table, or sorts', async () => {
    const seen = new Map<string, number>()
    const watched = watchedDatabase(database, {
      onRead: (text, parameters) => void (text.startsWith('SET ') || seen.set(text, parameters.length)),
    })
    await using store = await PostgresStore.open(watched, 'plans', { inlineLength: 30 }, strictObserver)
    await store.declareIndexes([{ list: ['list'], path: ['h'], covering: true }])
    await put(
      store,
      '/list',
      wide(5000, (index) => ({
        h: index % 100,
        text: 'x'.repeat(40),
        deep: { a: index, text: 'y'.repeat(40) },
        ...(index % 9 === 0 ? { sometimes: index } : {}),
      })),
    )
    await put(store, '/numbers', Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`0${index}`, index])))
    await put(
      store,
      '/texts',
      wide(80, (index) => 'x'.repeat(600) + index),
    )
    for (let index = 0; index < 100; index++) await put(store, '/long', index)
    await database.lanes.query(
      'INSERT INTO index_definition (tree, id, list_id, path, has_cut, used_at) ' +
        "SELECT 999999, n, n, 'x', false, 0 FROM generate_series(1, 5000) n",
    )
    await database.lanes.query(
      'INSERT INTO log (tree, batch, first_seq, last_seq, at, push_time, next_id, stamp, format, flags, heads) ' +
        "SELECT 999999, n, n, n, 0, 0, 1, '', 1, 0, '[]' FROM generate_series(1, 5000) n",
    )
    await database.lanes.query('ANALYZE')
    seen.clear()
    await readAll(store)
    expect(seen.size).toBeGreaterThan(25)
    for (const shape of shapes) {
      const text = printRange(shape)
      seen.set(text, Math.max(...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number))))
    }
    const bad: string[] = []
    await database.lanes.transaction(async (statements) => {
      // What the planner would choose by itself.
      await statements.query('SET LOCAL enable_seqscan = on')
      for (const [text, parameters] of seen) {
        await statements.query(`PREPARE explained AS ${text}`)
        const nothing = Array.from({ length: parameters }, () => 'NULL').join(', ')
        const rows = await statements.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE explained(${nothing})`)
        await statements.query('DEALLOCATE explained')
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
        if (/Seq Scan|Sort|Merge Join|Gather|Materialize/.test(plan)) bad.push(`${text}\n${plan}`)
      }
    })
    expect(bad.join('\n\n')).toBe('')
  }, 120_000)
})
