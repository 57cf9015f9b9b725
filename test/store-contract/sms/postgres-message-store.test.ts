import { afterAll, beforeAll, describe } from 'bun:test'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.ts'
import { byClockOfTests } from '../../support/postgres/clock.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../support/postgres/cluster.ts'
import { openMessages } from '../../support/postgres/messages.ts'
import { messageStoreContract } from './store-contract.ts'

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'PostgreSQL', () => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
  })
  afterAll(() => database.close())

  messageStoreContract({
    name: 'PostgreSQL',
    // The path of the test's own folder names its application.
    open: (file, format) => openMessages(byClockOfTests(database), file, { format }),
  })
})
