import '../../../support/long-lane.ts'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { COPIED_TABLES } from '../../../../src/admin/copy/copy-tree.ts'
import { pageStatement } from '../../../../src/store/postgres/copy/database-source.ts'
import { PostgresDatabase } from '../../../../src/store/postgres/postgres-database.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../../support/postgres/cluster.ts'

/** Rows of each tree: enough that a look through a table would not be chosen by mistake. */
const ROWS = 30_000
/** Rows of the trees 1 and 2. */
const FILL = [
  `INSERT INTO node SELECT t, n / 20, 'k' || n, 4, '"x"', NULL FROM generate_series(1, ${ROWS}) n, unnest(ARRAY[1, 2]) t`,
  `INSERT INTO interior SELECT t, n, n / 20, 'k', 1, 0 FROM generate_series(1, ${ROWS}) n, unnest(ARRAY[1, 2]) t`,
  `INSERT INTO closure SELECT t, n / 20, n, 1 FROM generate_series(1, ${ROWS}) n, unnest(ARRAY[1, 2]) t`,
  `INSERT INTO note SELECT t, 'k' || n, n, '' FROM generate_series(1, ${ROWS}) n, unnest(ARRAY[1, 2]) t`,
  `INSERT INTO log SELECT t, n, n, n, 0, 0, 1, '', 1, 0, '[]', NULL, NULL FROM generate_series(1, ${ROWS}) n, unnest(ARRAY[1, 2]) t`,
  `INSERT INTO sms_batch SELECT t, n, 'r' || n, 0 FROM generate_series(1, ${ROWS}) n, unnest(ARRAY[1, 2]) t`,
  `INSERT INTO sms_message SELECT t, n, 0, 'm', 0, '', NULL, NULL, NULL, NULL, NULL FROM generate_series(1, ${ROWS}) n, unnest(ARRAY[1, 2]) t`,
  `INSERT INTO sms_final SELECT t, n, '', '', 2, '', 0 FROM generate_series(1, ${ROWS}) n, unnest(ARRAY[1, 2]) t`,
  `INSERT INTO sms_text SELECT t, n, '', '' FROM generate_series(1, ${ROWS}) n, unnest(ARRAY[1, 2]) t`,
]
const FILLED = new Set(FILL.map((text) => text.split(' ')[2]))
/** A sort of few rows that have the same time is none of a table. */
const BAD = /Seq Scan|-> +Sort|Gather|Bitmap/

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'pages of a copy', () => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
    for (const text of FILL) await database.lanes.query(text)
    await database.lanes.query('ANALYZE')
  })
  afterAll(() => database.close())

  test.each(COPIED_TABLES.filter(({ name }) => FILLED.has(name)).map((table) => [table.name, table] as const))(
    'of %s read an index in its order, from wherever',
    async (_, table) => {
      for (const isFollowing of [false, true]) {
        const plan = await planOf(pageStatement(table, isFollowing), isFollowing ? 1 + table.keyLength : 1)
        expect(plan).not.toMatch(BAD)
        expect(plan).toMatch(/Index (Only )?Scan/)
      }
    },
  )

  /** The plan that does not depend on the values. */
  async function planOf(text: string, values: number): Promise<string> {
    return await database.lanes.use(async (lane) => {
      await lane.query(`PREPARE explained AS ${text}`)
      const nothing = Array.from({ length: values }, () => 'NULL').join(', ')
      const rows = await lane.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE explained(${nothing})`)
      await lane.query('DEALLOCATE explained')
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })
  }
})
