import type { DatabaseServer } from '../options.ts'
import { DEFAULT_SCHEMA } from '../store/postgres/connection/address.ts'
import { placeOf } from '../store/postgres/connection/database-problem.ts'
import type { Migration } from '../store/postgres/schema/migrations.ts'
import { examineTables, migrateDatabase } from '../store/postgres/schema/prepare.ts'

/** How long to wait for a server that is away, and for tables that are in use, in milliseconds. */
const DEFAULT_WAIT_MS = 10_000

/** State of the tables of a database. */
export interface TablesReport {
  /** Host and database, without user and password. */
  readonly place: string
  readonly schema: string
  /** Number of migrations that were applied, now or earlier. */
  readonly version: number
  /** Names of the migrations that were applied now. */
  readonly applied: readonly string[]
  /** Names of those that a start or `dhole migrate` applies while servers of older versions go on. */
  readonly pending: readonly string[]
  /** Names of those that wait until no server of an older version runs. */
  readonly waiting: readonly string[]
}

/** Examines the tables, and changes nothing. @throws Error when they cannot be used */
export async function checkTables(server: DatabaseServer): Promise<TablesReport> {
  return await reportOf(server, [])
}

/**
 * Brings the tables up to date, and makes them where there are none.
 * @param finish applies the migrations too after which servers of older versions cannot use the tables
 * @throws Error when they cannot be used or changed, and with `finish` while a server of an older version is alive
 */
export async function bringUpToDate(server: DatabaseServer, finish: boolean): Promise<TablesReport> {
  return await reportOf(server, await migrateDatabase(server, finish, server.waitMs ?? DEFAULT_WAIT_MS))
}

async function reportOf(server: DatabaseServer, applied: readonly Migration[]): Promise<TablesReport> {
  const { installation, plan } = await examineTables(server)
  return {
    place: placeOf(server.url),
    schema: server.schema ?? DEFAULT_SCHEMA,
    version: installation?.version ?? 0,
    applied: namesOf(applied),
    pending: namesOf(plan.now),
    waiting: namesOf(plan.later),
  }
}

function namesOf(migrations: readonly Migration[]): readonly string[] {
  return migrations.map(({ name }) => name)
}
