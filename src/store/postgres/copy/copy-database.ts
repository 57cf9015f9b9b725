import type { SQL } from 'bun'
import { type DatabaseAddress, DEFAULT_SCHEMA, directAddress, serversOf } from '../connection/address.ts'
import { problemOf } from '../connection/database-problem.ts'
import type { ConnectionOptions } from '../connection/lane.ts'
import { Lanes } from '../connection/lanes.ts'
import { Primary } from '../connection/primary.ts'
import { PostgresDatabase } from '../postgres-database.ts'

/** Longest time of a statement, in milliseconds: some look at all rows of a tree. */
const STATEMENT_MS = 60 * 60 * 1000
/** Connections that write rows. */
const WRITERS = 3
/** Connections of all else: one holds a lock or a snapshot, one marks. */
const CONNECTIONS = 4

/** A database that is open for copies. */
export class CopyDatabase {
  readonly schema: string
  /** Their commits are durable. */
  readonly durable: Lanes
  /** Their commits become durable with the next one of `durable`. */
  readonly lanes: Lanes
  readonly opened: PostgresDatabase

  private constructor(schema: string, database: PostgresDatabase, lanes: Lanes) {
    this.schema = schema
    this.durable = database.lanes
    this.opened = database
    this.lanes = lanes
  }

  /** Connects, and makes the tables where there are none. @throws as `PostgresDatabase.open` */
  static async open(given: DatabaseAddress): Promise<CopyDatabase> {
    const address = ofSessions(given)
    const database = await PostgresDatabase.open({ ...address, connections: CONNECTIONS, statementMs: STATEMENT_MS })
    const primary = new Primary(serversOf(address).map(withoutFlushes))
    const lanes = new Lanes({ primary, connections: WRITERS, statementMs: STATEMENT_MS })
    return new CopyDatabase(address.schema ?? DEFAULT_SCHEMA, database, lanes)
  }

  async close(): Promise<void> {
    await this.lanes.close()
    await this.opened.close()
  }
}

/**
 * Runs statements on a database as it is: no table is made.
 * @param work gets `undefined` where there are no tables
 * @throws TypeError for a wrong address, `DatabaseProblem` when the database cannot be used
 */
export async function lookAt<T>(address: DatabaseAddress, work: (lanes: Lanes | undefined) => Promise<T>): Promise<T> {
  const lanes = new Lanes({
    primary: new Primary(serversOf(ofSessions(address))),
    connections: 1,
    statementMs: STATEMENT_MS,
  })
  try {
    const [found] = await lanes
      .query<{ there: boolean }>("SELECT to_regclass(format('%I.application', $1::text)) IS NOT NULL AS there", [
        address.schema ?? DEFAULT_SCHEMA,
      ])
      .catch(async (error) => {
        throw await problemOf(error, address)
      })
    return await work(found?.there === true ? lanes : undefined)
  } finally {
    await lanes.close()
  }
}

/** An address whose sessions are ours alone: a copy holds a lock of one. @throws TypeError when only that of a pooler is known */
function ofSessions(given: DatabaseAddress): DatabaseAddress {
  const address = directAddress(given)
  if (address.pooler !== 'transaction') return address
  throw new TypeError('a copy needs the address of the database itself, without a pooler: set DATABASE_LISTEN_URL')
}

function withoutFlushes(options: ConnectionOptions): ConnectionOptions {
  const { connection } = options as SQL.PostgresOrMySQLOptions
  return { ...options, connection: { ...connection, synchronous_commit: 'off' } } as ConnectionOptions
}
