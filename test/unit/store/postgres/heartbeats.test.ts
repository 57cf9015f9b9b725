import { describe, expect, test } from 'bun:test'
import { PostgresDatabase } from '../../../../src/store/postgres/postgres-database.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../../support/postgres/cluster.ts'

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'heartbeats', () => {
  test('do not wait for work that holds all other connections', async () => {
    const settings = { url: databaseUrl() ?? '', schema: freshSchema(), connections: 2, heartbeatMs: 5 }
    const database = await PostgresDatabase.open(settings)
    const ended = Promise.withResolvers<void>()
    const busy = [1, 2].map(() => database.lanes.use(() => ended.promise))
    for (let beat = 0; beat < 10; beat++) {
      await new Promise<void>((resolve) => database.row.onHeard(resolve))
    }
    expect(database.row.isSilent).toBe(false)
    ended.resolve()
    await Promise.all(busy)
    await database.close()
  })
})
