import { expect, test } from 'bun:test'
import { treeProblems } from '../../../../src/store/postgres/check/tree-problems.ts'
import type { Parameter } from '../../../../src/store/postgres/connection/lane.ts'
import { PostgresDatabase } from '../../../../src/store/postgres/postgres-database.ts'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../../support/postgres/cluster.ts'
import { put, strictObserver } from '../../../support/store.ts'

const TEXTS = 24
const TEXT_LENGTH = 512 * 1024
/** What one statement may answer, with one slot more, in characters. */
const MOST = 4 * 1024 * 1024 + 2 * TEXT_LENGTH

test.skipIf(whyNoPostgres !== undefined)(
  `the check of a tree reads long texts in pages, and every one of them${whyNoPostgres ? `: ${whyNoPostgres}` : ''}`,
  async () => {
    const database = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
    try {
      await using store = await PostgresStore.open(database, 'long', { inlineLength: 0 }, strictObserver)
      for (let at = 0; at < TEXTS; at++) await put(store, `/list/k${at}`, 'x'.repeat(TEXT_LENGTH))
      const lengths: number[] = []
      const check = () =>
        database.lanes.snapshot((statements) =>
          Array.fromAsync(
            treeProblems(
              {
                query: async <R extends object>(text: string, parameters?: readonly Parameter[]) => {
                  const rows = await statements.query<R>(text, parameters)
                  lengths.push(JSON.stringify(rows).length)
                  return rows
                },
              },
              store.tree,
            ),
          ),
        )
      expect(await check()).toEqual([])
      expect(Math.max(...lengths)).toBeLessThan(MOST)
      expect(lengths.reduce((sum, length) => sum + length, 0)).toBeGreaterThan(TEXTS * TEXT_LENGTH)
      await database.lanes.query(
        "UPDATE node SET kind = 0 WHERE tree = $1::int AND value LIKE '\"x%' AND length(value) > 9",
        [store.tree],
      )
      expect(await check()).toHaveLength(TEXTS)
    } finally {
      await database.close()
    }
  },
)
