import { connectionOptions, type DatabaseAddress, DEFAULT_SCHEMA } from './connection/address.ts'
import { Lanes } from './connection/lanes.ts'
import { ProcessRow } from './processes.ts'
import { migrate } from './schema/migrations.ts'

export interface PostgresSettings extends DatabaseAddress {
  /** Maximum connections of this process. Default 8. */
  readonly connections?: number | undefined
  /** Longest time of one statement, in milliseconds. Default 10,000. */
  readonly statementMs?: number | undefined
  /** Time between two signs of life of this process, in milliseconds. Default 2000. */
  readonly heartbeatMs?: number | undefined
}

const DEFAULT_CONNECTIONS = 8
const DEFAULT_STATEMENT_MS = 10_000

/** An open installation on PostgreSQL: the connections of this process, which the trees of all applications share. */
export class PostgresDatabase {
  readonly lanes: Lanes

  readonly #row: ProcessRow

  private constructor(lanes: Lanes, row: ProcessRow) {
    this.lanes = lanes
    this.#row = row
  }

  /** Random id of this process, for rows that end with it. */
  get process(): string {
    return this.#row.id
  }

  /**
   * Connects and brings the tables to this version.
   * @throws TypeError for a wrong address, Error when the database cannot be used
   */
  static async open({
    connections,
    statementMs,
    heartbeatMs,
    ...address
  }: PostgresSettings): Promise<PostgresDatabase> {
    const lanes = new Lanes({
      connection: connectionOptions(address),
      connections: connections ?? DEFAULT_CONNECTIONS,
      statementMs: statementMs ?? DEFAULT_STATEMENT_MS,
    })
    try {
      await migrate(lanes, address.schema ?? DEFAULT_SCHEMA)
      return new PostgresDatabase(lanes, await ProcessRow.open(lanes, heartbeatMs))
    } catch (error) {
      await lanes.close()
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#row.close()
    await this.lanes.close()
  }
}
