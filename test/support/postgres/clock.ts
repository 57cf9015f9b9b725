import { afterAll, beforeAll, spyOn } from 'bun:test'
import { DatabaseClock } from '../../../src/store/postgres/database-clock.ts'
import type { PostgresDatabase } from '../../../src/store/postgres/postgres-database.ts'
import { DATABASE_NOW } from '../../../src/store/postgres/processes.ts'
import { withMembers } from './with-members.ts'

/** Whether the clock of this process stands still, because `setSystemTime` has set it. */
function isSet(): boolean {
  const before = Date.now()
  const start = performance.now()
  while (performance.now() - start < 2) if (Date.now() !== before) return false
  return true
}

/**
 * The clock of this process, which `setSystemTime` sets, in place of that of a database. While it is not set, statements
 * look at the clock of the database: they run in another order than they are made in.
 */
const members = {
  get now() {
    return Date.now()
  },
  get sql() {
    return isSet() ? `${Date.now()}::bigint` : DATABASE_NOW
  },
}

/** A database whose clock is that of this process. */
export function byClockOfTests(database: PostgresDatabase): PostgresDatabase {
  return withMembers(database, { clock: withMembers(database.clock, members) })
}

/** Every database that the tests of a file open in this process has the clock of this process. */
export function useClockOfTests(): void {
  const { open } = DatabaseClock
  let replaced: { mockRestore(): void } | undefined
  beforeAll(() => {
    const opened = async (...parameters: Parameters<typeof open>) =>
      withMembers(await open.apply(DatabaseClock, parameters), members)
    replaced = spyOn(DatabaseClock, 'open').mockImplementation(opened)
  })
  afterAll(() => replaced?.mockRestore())
}
