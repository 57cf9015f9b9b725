import { afterAll, beforeAll, describe } from 'bun:test'
import { PostgresMessageStore } from '../../../src/sms/postgres/postgres-message-store.ts'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.ts'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../support/postgres/cluster.ts'
import { referenceReads } from '../../support/postgres/reference-reads.ts'
import { strictObserver } from '../../support/store.ts'
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
    open: async (file, format) => {
      const tree = await PostgresStore.open(database, file, {}, strictObserver, referenceReads)
      const store = new PostgresMessageStore(tree.sideTables, format, (error) => {
        throw error
      })
      const close = async () => {
        await store.close()
        await tree.close()
      }
      return { store, close }
    },
  })
})
