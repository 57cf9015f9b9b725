/** Plans of statements that look for many slots, on tables that have no statistics yet. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Parameter, Statements } from '../../../../src/store/postgres/connection/lane.ts'
import { valuesBelow } from '../../../../src/store/postgres/indexes/child-values.ts'
import { LongLists } from '../../../../src/store/postgres/indexes/long-lists.ts'
import { PostgresDatabase } from '../../../../src/store/postgres/postgres-database.ts'
import { WALK } from '../../../../src/store/postgres/reads/statements/tree-statements.ts'
import { columnsOf, stepsOf } from '../../../../src/store/postgres/slot-steps.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../../support/postgres/cluster.ts'

/** Many steps, of which each finds one row. */
const NODES = Array.from({ length: 256 }, (_, index) => ({ id: index + 1, value: null }))
const PATHS = NODES.map(({ id }) => ({ parent: id, keys: ['a', 'b'] }))
/** The tree is looked through, or its index is without the parent of a slot. */
const WHOLE_TREE = /Seq Scan|Index Cond: .*\(tree = \$1\) AND \(key/

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'statements that look for many slots', () => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
    // Without ANALYZE the planner knows no more than the size of the table.
    await database.lanes.query(
      'INSERT INTO node (tree, parent_id, key, kind, value) ' +
        "SELECT 1, n, 'a', 3, '1' FROM generate_series(1, 20000) n",
    )
  })
  afterAll(() => database.close())

  test.each<[string, (statements: Statements) => Promise<unknown>]>([
    ['of an index that is built', (statements) => valuesBelow(statements, 1, NODES, ['a'], 1000)],
    ['along many paths', (statements) => statements.query(WALK, [1, ...columnsOf(stepsOf(PATHS)), -1, null, true])],
    ['of lists by a pattern', (statements) => new LongLists(statements, 1).find(['a'], 10)],
  ])('%s find each by its key', async (_, look) => {
    const asked: [text: string, parameters: readonly Parameter[]][] = []
    const recorder: Statements = {
      query: (text, parameters = []) => {
        asked.push([text, parameters])
        return database.lanes.query(text, parameters)
      },
    }
    await look(recorder)
    expect(asked.length).toBeGreaterThan(0)
    await database.lanes.transaction(async (statements) => {
      for (const [text, parameters] of asked) {
        await statements.query(`PREPARE explained AS ${text}`)
        const nothing = parameters.map(() => 'NULL').join(', ')
        const rows = await statements.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE explained(${nothing})`)
        await statements.query('DEALLOCATE explained')
        expect(rows.map((row) => row['QUERY PLAN']).join('\n')).not.toMatch(WHOLE_TREE)
      }
    })
  })
})
