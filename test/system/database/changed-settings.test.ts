import { describe, expect, test } from 'bun:test'
import { startApplications } from '../../../src/dhole.ts'
import { PostgresEngine } from '../../../src/engines/postgres-engine.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../support/postgres/cluster.ts'

describe.skipIf(whyNoPostgres !== undefined)(
  whyNoPostgres ?? 'settings that change while an application is opened',
  () => {
    test('those of the registration are in force, whatever was found before', async () => {
      const engine = new PostgresEngine({ url: databaseUrl() ?? '', schema: freshSchema() })
      await (await engine.catalog()).add('shop', '{"profile":"firebase"}')
      // As a server finds them that has looked just before they were changed.
      const found = [{ profile: 'wilddog' }, { profile: 'firebase' }] as const
      let asked = 0
      const find = () => found[asked++]
      const { applications } = startApplications({ applications: {} }, { find, idleMs: 60_000, maxOpen: 1 }, engine)
      try {
        const { database } = await applications.choose('shop', '')
        expect([database.profile, asked]).toEqual(['firebase', 2])
      } finally {
        await applications.close()
      }
    })
  },
)
