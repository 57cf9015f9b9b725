import { afterAll, beforeAll, describe } from 'bun:test'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.ts'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { inLanes } from '../../support/lane.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../support/postgres/cluster.ts'
import { withMembers } from '../../support/postgres/with-members.ts'
import { strictObserver } from '../../support/store.ts'
import { storeContract } from './contract.ts'

/** A database whose clock is that of this process, which tests put off. */
function withOwnClock(database: PostgresDatabase): PostgresDatabase {
  const clock = {
    get now() {
      return Date.now()
    },
  }
  return withMembers(database, { clock })
}

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'PostgreSQL', () => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
  })
  afterAll(() => database.close())

  describe.each(inLanes([[30]], [[0], [30], [4096]]))('at most %d characters in a row', (inlineLength) => {
    storeContract({
      name: 'PostgreSQL',
      // The path of the test's own folder names its application.
      open: (file, retention) =>
        PostgresStore.open(withOwnClock(database), file, { ...retention, inlineLength }, strictObserver),
    })
  })
})
