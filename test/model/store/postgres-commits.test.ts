import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.ts'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { edit } from '../../../src/tree/edit.ts'
import { print } from '../../../src/tree/json/print.ts'
import { defaultLimits } from '../../../src/tree/limits.ts'
import { parsePath } from '../../../src/tree/path.ts'
import type { Value } from '../../../src/tree/value.ts'
import { planPatch, planPut } from '../../../src/tree/write.ts'
import { runsInLanes } from '../../support/lane.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../support/postgres/cluster.ts'
import { valueInRows } from '../../support/postgres/rows-of-tree.ts'
import { jobOf, strictObserver } from '../../support/store.ts'

const LONG = 'long '.repeat(12)
const key = fc.constantFrom('a', 'b', '1', '02')
const path = fc.array(key, { maxLength: 4 }).map((keys) => `/${keys.join('/')}`)
const leaf = fc.constantFrom<unknown>(1, true, 'x', LONG, null, { '.value': 2, '.priority': 3 })
const value = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof({ maxDepth: 3 }, leaf, fc.dictionary(key, tie('node'), { maxKeys: 3 })),
})).node
const write = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), path, json: value }),
  fc.record({
    kind: fc.constant('put' as const),
    path: path.map((at) => `${at === '/' ? '' : at}/.priority`),
    json: fc.constantFrom(1, 'p', null),
  }),
  fc.record({ kind: fc.constant('patch' as const), path, json: fc.dictionary(key, value, { minKeys: 1, maxKeys: 3 }) }),
)

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'writes of PostgreSQL', () => {
  let database: PostgresDatabase
  let trees = 0
  beforeAll(async () => {
    database = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
  })
  afterAll(() => database.close())

  test.each([0, 30, 4096])(
    'rows are those of the writes in order, at most %d characters in a row',
    async (inlineLength) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(write, { minLength: 1, maxLength: 6 }), { maxLength: 4 }),
          async (batches) => {
            trees++
            await using store = await PostgresStore.open(database, `tree ${trees}`, { inlineLength }, strictObserver)
            let expected: Value | undefined
            for (const batch of batches) {
              const plans = batch.map(({ kind, path, json }) =>
                kind === 'put'
                  ? planPut(parsePath(path), json, defaultLimits)
                  : planPatch(parsePath(path), json, defaultLimits),
              )
              await Promise.all(plans.map((plan) => store.commit(jobOf(plan))))
              for (const { writes } of plans) for (const each of writes) expected = edit(expected, each.path, each)
              const stored = await valueInRows(database.lanes, store.tree)
              expect(stored && print(stored, 'export')).toBe(expected && print(expected, 'export'))
            }
            await store.swept()
            expect(await database.lanes.query('SELECT FROM detached WHERE tree = $1::int', [store.tree])).toEqual([])
            const counted = await database.lanes.query<{ count: number }>(
              'SELECT count(*)::int AS count FROM node n WHERE n.tree = $1::int AND n.parent_id > 0 ' +
                'AND NOT EXISTS (SELECT FROM interior i WHERE i.tree = n.tree AND i.id = n.parent_id)',
              [store.tree],
            )
            expect(counted).toEqual([{ count: 0 }])
          },
        ),
        { numRuns: runsInLanes(40, 400) },
      )
    },
  )
})
