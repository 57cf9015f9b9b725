import { DholeError } from '../../../error.ts'
import { Patience } from '../commit/committer.ts'
import { type DatabaseAddress, DEFAULT_SCHEMA, serversOf, userOf } from '../connection/address.ts'
import { isUnusable } from '../connection/database-errors.ts'
import { problemOf } from '../connection/database-problem.ts'
import { Lanes } from '../connection/lanes.ts'
import { Primary } from '../connection/primary.ts'
import { type Installation, installationOf } from './installation.ts'
import { checkUpToDate, type MigrateOptions, type MigrationPlan, migrate, planOf } from './migrate.ts'
import type { Migration } from './migrations.ts'
import { checkRights, checkServer, checkSession } from './server-checks.ts'

/**
 * Checks the server, and brings the tables up to date.
 * @param lanes for the user of `address.url`
 * @throws what the database throws, and `DatabaseProblem` where waiting changes nothing
 */
export async function prepare(lanes: Lanes, statementMs: number, address: DatabaseAddress): Promise<void> {
  const { schema = DEFAULT_SCHEMA } = address
  try {
    await checkServer(lanes)
    await checkSession(lanes, schema)
    await asOwner(lanes, statementMs, address, (owner, options) => migrate(owner, schema, options))
    const installation = await installationOf(lanes, schema)
    if (installation !== undefined) checkUpToDate(installation, schema)
    await checkRights(lanes, schema)
  } catch (error) {
    throw isUnusable(error) ? await problemOf(error, address) : error
  }
}

/** Longest time of one statement of a migration, in milliseconds. */
const STATEMENT_MS = 10 * 60_000

/**
 * Brings tables up to date, for the operator.
 * @param waitMs how long to wait for a server that is away, and for tables that are in use, in milliseconds
 * @returns the migrations that were applied. @throws `DatabaseProblem`
 */
export function migrateDatabase(
  address: DatabaseAddress,
  finish: boolean,
  waitMs: number,
): Promise<readonly Migration[]> {
  const { schema = DEFAULT_SCHEMA } = address
  const attempt = async (lanes: Lanes) => {
    await checkServer(lanes)
    await checkSession(lanes, schema)
    return await asOwner(lanes, STATEMENT_MS, address, (owner, options) =>
      migrate(owner, schema, { ...options, finish }),
    )
  }
  return onDatabase(address, (lanes) =>
    new Patience(waitMs).run(() =>
      attempt(lanes).catch(async (error) => {
        throw isUnusable(error) ? await problemOf(error, address) : error
      }),
    ),
  )
}

/** The tables of a database, and what is to be done to bring them up to date; nothing is changed. @throws `DatabaseProblem` */
export function examineTables(
  address: DatabaseAddress,
): Promise<{ readonly installation: Installation | undefined; readonly plan: MigrationPlan }> {
  return onDatabase(address, async (lanes) => {
    const installation = await installationOf(lanes, address.schema ?? DEFAULT_SCHEMA)
    return { installation, plan: planOf(installation, false) }
  })
}

async function onDatabase<T>(address: DatabaseAddress, work: (lanes: Lanes) => Promise<T>): Promise<T> {
  const lanes = new Lanes({ primary: new Primary(serversOf(address)), connections: 1, statementMs: STATEMENT_MS })
  try {
    return await work(lanes)
  } catch (error) {
    throw await problemOf(error instanceof DholeError ? error.cause : error, address)
  } finally {
    await lanes.close()
  }
}

/** Runs work for the owner of the tables, with the role that reads and writes them if it is another one. */
async function asOwner<T>(
  lanes: Lanes,
  statementMs: number,
  { ownerUrl, ...address }: DatabaseAddress,
  work: (lanes: Lanes, options: MigrateOptions) => Promise<T>,
): Promise<T> {
  if (ownerUrl === undefined) return await work(lanes, {})
  const owner: DatabaseAddress = { ...address, url: ownerUrl, pooler: 'none' }
  const own = new Lanes({ primary: new Primary(serversOf(owner)), connections: 1, statementMs })
  try {
    return await work(own, { role: userOf(address.url) })
  } catch (error) {
    throw isUnusable(error) ? await problemOf(error, owner) : error
  } finally {
    await own.close()
  }
}
