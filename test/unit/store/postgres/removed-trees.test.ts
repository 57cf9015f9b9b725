import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { PostgresDatabase } from '../../../../src/store/postgres/postgres-database.ts'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../../support/postgres/cluster.ts'
import { put, strictObserver, wide } from '../../../support/store.ts'

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'trees of removed applications', () => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
  })
  afterAll(() => database.close())

  /** Makes a tree. @returns its number */
  const fill = async (name: string): Promise<number> => {
    await using store = await PostgresStore.open(database, name, { inlineLength: 0 }, strictObserver)
    await put(store, '/', { a: wide(5000, (index) => ({ index })) })
    return store.tree
  }

  /** Number of rows of a tree in all tables. */
  const rowsOf = async (tree: number): Promise<number> => {
    const tables = await database.lanes.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.columns WHERE table_schema = current_schema() AND column_name = 'tree'",
    )
    const counts = tables.map(async ({ name }) => {
      const [row] = await database.lanes.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM "${name}" WHERE tree = $1::int`,
        [tree],
      )
      return row?.n ?? 0
    })
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
  }

  test('are removed row by row once no process has them open, and no other tree is', async () => {
    const [gone, kept] = [await fill('gone'), await fill('kept')]
    const before = await rowsOf(kept)
    expect(before).toBeGreaterThan(10_000)
    expect(await rowsOf(gone)).toBe(before)
    await database.lanes.query("DELETE FROM application WHERE id = 'gone'")
    await database.lanes.query(
      'INSERT INTO removed_tree (tree, removed_at) SELECT $1::int, (extract(epoch FROM clock_timestamp()) * 1000)::bigint',
      [gone],
    )
    await database.tidy()
    // The row of the application is gone, and that of the removed tree is there.
    expect(await rowsOf(gone)).toBe(before)
    await database.lanes.query('UPDATE removed_tree SET is_free = true')
    await database.tidy()
    expect([await rowsOf(gone), await rowsOf(kept)]).toEqual([0, before])
  })
})
