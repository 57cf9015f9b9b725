import { DholeError } from '../../error.ts'
import { Patience } from './commit/committer.ts'
import { connectionOptions, type DatabaseAddress, DEFAULT_SCHEMA } from './connection/address.ts'
import { problemOf } from './connection/database-problem.ts'
import { Lanes } from './connection/lanes.ts'
import { migrate } from './schema/migrations.ts'

export interface PostgresSettings extends DatabaseAddress {
  /** Maximum connections of this process. Default 8. */
  readonly connections?: number | undefined
  /** Longest time of one statement, in milliseconds. Default 10,000. */
  readonly statementMs?: number | undefined
  /** How long to wait for a server that is away, in milliseconds. Default 10,000. */
  readonly waitMs?: number | undefined
}

const DEFAULT_CONNECTIONS = 8
const DEFAULT_STATEMENT_MS = 10_000
const DEFAULT_WAIT_MS = 10_000

/** An open installation on PostgreSQL: the connections of this process, which the trees of all applications share. */
export class PostgresDatabase {
  readonly lanes: Lanes

  private constructor(lanes: Lanes) {
    this.lanes = lanes
  }

  /**
   * Connects and brings the tables to this version.
   * @throws TypeError for a wrong address, `DatabaseProblem` when the database cannot be used
   */
  static async open({
    connections,
    statementMs,
    waitMs = DEFAULT_WAIT_MS,
    ...address
  }: PostgresSettings): Promise<PostgresDatabase> {
    const lanes = new Lanes({
      connection: connectionOptions(address),
      connections: connections ?? DEFAULT_CONNECTIONS,
      statementMs: statementMs ?? DEFAULT_STATEMENT_MS,
    })
    try {
      await new Patience(waitMs).run(() => migrate(lanes, address.schema ?? DEFAULT_SCHEMA))
      return new PostgresDatabase(lanes)
    } catch (error) {
      await lanes.close()
      throw problemOf(error instanceof DholeError ? error.cause : error, address)
    }
  }

  close(): Promise<void> {
    return this.lanes.close()
  }
}
