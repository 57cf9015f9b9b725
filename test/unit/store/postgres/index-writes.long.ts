import '../../../support/long-lane.ts'
import { expect, test } from 'bun:test'
import { parseIndexes } from '../../../../src/query/index-declarations.ts'
import { DefinitionTable } from '../../../../src/store/postgres/indexes/definition-table.ts'
import { indexProblems } from '../../../../src/store/postgres/indexes/inspect.ts'
import type { IndexManager } from '../../../../src/store/postgres/indexes/manager.ts'
import { PostgresDatabase } from '../../../../src/store/postgres/postgres-database.ts'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import { indexName, KEY_INDEX } from '../../../../src/store/rows/indexes/index-name.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../../support/postgres/cluster.ts'
import { patch, put, remove, strictObserver } from '../../../support/store.ts'
import { Random } from '../../../system/crash/random.ts'

const testPostgres = test.skipIf(whyNoPostgres !== undefined)
const NAMES = [indexName([]), indexName(['a']), indexName(['a', 'b']), KEY_INDEX]
const DECLARED = parseIndexes({ '/$any': [{ child: 'a', covering: true }, 'c'] })

interface Open extends AsyncDisposable {
  readonly store: PostgresStore
  readonly database: PostgresDatabase
  readonly indexes: IndexManager
}

async function open(inlineLength: number): Promise<Open> {
  const database = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
  let indexes: IndexManager | undefined
  const store = await PostgresStore.open(database, 'app', { inlineLength, shortList: 0 }, strictObserver, (parts) => {
    indexes = parts.indexes
    return { close: async () => {} } as never
  })
  return {
    store,
    database,
    indexes: indexes as IndexManager,
    async [Symbol.asyncDispose]() {
      await store.close()
      await database.close()
    },
  }
}

async function listId({ database, store }: Open): Promise<number | undefined> {
  const [row] = await database.lanes.query<{ id: number | null }>(
    'SELECT n.id::float8 AS id FROM node r JOIN node n ON n.tree = r.tree AND n.parent_id = r.id ' +
      "WHERE r.tree = $1::int AND r.parent_id = 0 AND n.key = 'list'",
    [store.tree],
  )
  return row?.id ?? undefined
}

async function expectRight({ database, store }: Open): Promise<void> {
  const found = await database.lanes.snapshot((statements) => Array.fromAsync(indexProblems(statements, store.tree)))
  expect(found).toEqual([])
}

const keyOf = (random: Random) => (random.happens(0.3) ? String(random.below(12)) : `k${random.below(20)}`)

function child(random: Random): unknown {
  const a = random.pick<unknown>([
    null,
    1,
    -2.5,
    true,
    'x',
    'é'.repeat(300),
    { b: 'long '.repeat(130) },
    { b: 3, c: 1 },
  ])
  return random.happens(0.3)
    ? { c: random.below(4) }
    : { a, c: random.pick<unknown>([1, 'text', null, 'z'.repeat(40)]), d: 1 }
}

function list(random: Random): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: 4 + random.below(30) }, () => [keyOf(random), child(random)]))
}

function writeSomething({ store }: Open, random: Random): Promise<unknown> {
  const at = `/list/${keyOf(random)}`
  switch (random.below(12)) {
    case 0:
      return remove(store, at)
    case 1:
    case 2:
      return put(store, `${at}/a`, random.pick<unknown>([null, 5, { b: 'y' }, 'é'.repeat(260)]))
    case 3:
      return put(store, `${at}/a/b`, random.pick<unknown>([null, 5, 'é'.repeat(260)]))
    case 4: {
      const members = Array.from({ length: 8 }, (): [string, unknown] => [
        keyOf(random),
        random.happens(0.4) ? null : child(random),
      ])
      return patch(store, '/list', Object.fromEntries(members))
    }
    case 5:
      return random.happens(0.2) ? put(store, '/list', list(random)) : put(store, `${at}/.priority`, random.below(3))
    case 6:
      return random.happens(0.1) ? remove(store, '/list') : put(store, `${at}/d`, null)
    default:
      return put(store, at, child(random))
  }
}

testPostgres.each([
  [1, 0],
  [2, 30],
  [3, 4096],
  [4, 30],
  [5, 200],
])(
  `indexes stay right under writes of every kind, seed %d, texts up to %d ${whyNoPostgres ?? ''}`,
  async (seed, inlineLength) => {
    const random = new Random(seed)
    let seen = 0
    await using tree = await open(inlineLength)
    await put(tree.store, '/list', { ...list(random), wide: 'x'.repeat(inlineLength) })
    await tree.indexes.declare(DECLARED)
    for (let round = 0; round < 40; round++) {
      const id = await listId(tree)
      if (id !== undefined && round % 8 === 0) await Promise.all(NAMES.map((name) => tree.indexes.want(id, name)))
      await Promise.all(Array.from({ length: 1 + random.below(6) }, () => writeSomething(tree, random)))
      await expectRight(tree)
      seen = Math.max(seen, (await new DefinitionTable(tree.database.lanes, tree.store.tree).all()).length)
    }
    await tree.store.swept()
    await expectRight(tree)
    expect(seen).toBeGreaterThan(4)
  },
  120_000,
)
