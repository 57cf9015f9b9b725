import { DholeError } from '../../error.ts'
import { Patience } from './commit/committer.ts'
import { type DatabaseAddress, DEFAULT_SCHEMA, serversOf } from './connection/address.ts'
import { problemOf } from './connection/database-problem.ts'
import { Lanes } from './connection/lanes.ts'
import { Primary } from './connection/primary.ts'
import { DatabaseClock } from './database-clock.ts'
import { Freshness } from './follow/freshness.ts'
import { Hints } from './follow/hints.ts'
import { History } from './follow/history.ts'
import { ProcessRow } from './processes.ts'
import { migrate } from './schema/migrations.ts'

export interface PostgresSettings extends DatabaseAddress {
  /** Maximum connections of this process. Default 8. */
  readonly connections?: number | undefined
  /** Longest time of one statement, in milliseconds. Default 10,000. */
  readonly statementMs?: number | undefined
  /** How long to wait for a server that is away, in milliseconds. Default 10,000. */
  readonly waitMs?: number | undefined
  /** Whether reads see every acknowledged write, or those of about the last second. Default `fresh`. */
  readonly reads?: 'fresh' | 'recent' | undefined
  /** Time between two signs of life of this process, in milliseconds. Default 2000. */
  readonly heartbeatMs?: number | undefined
}

const DEFAULT_CONNECTIONS = 8
const DEFAULT_STATEMENT_MS = 10_000
const DEFAULT_WAIT_MS = 10_000

/** An open installation on PostgreSQL: what the trees of all applications of this process share. */
export class PostgresDatabase {
  readonly lanes: Lanes
  readonly freshness: Freshness
  readonly hints: Hints
  readonly history: History
  readonly reads: 'fresh' | 'recent'
  readonly clock: DatabaseClock

  readonly #row: ProcessRow

  private constructor(
    lanes: Lanes,
    row: ProcessRow,
    history: History,
    clock: DatabaseClock,
    hints: (freshness: Freshness) => Hints,
    reads: 'fresh' | 'recent' = 'fresh',
  ) {
    this.lanes = lanes
    this.#row = row
    this.history = history
    this.clock = clock
    this.freshness = new Freshness(lanes)
    this.hints = hints(this.freshness)
    this.reads = reads
  }

  /** Random id of this process, for rows that end with it. */
  get process(): string {
    return this.#row.id
  }

  /**
   * Connects and brings the tables to this version.
   * @throws TypeError for a wrong address, `DatabaseProblem` when the database cannot be used
   */
  static async open({
    connections,
    statementMs,
    heartbeatMs,
    reads,
    waitMs = DEFAULT_WAIT_MS,
    ...address
  }: PostgresSettings): Promise<PostgresDatabase> {
    const schema = address.schema ?? DEFAULT_SCHEMA
    const primary = new Primary(serversOf(address))
    const lanes = new Lanes({
      primary,
      connections: connections ?? DEFAULT_CONNECTIONS,
      statementMs: statementMs ?? DEFAULT_STATEMENT_MS,
    })
    try {
      await new Patience(waitMs).run(() => migrate(lanes, schema))
      const history = await History.open(lanes, primary)
      const clock = await DatabaseClock.open(lanes)
      const row = await ProcessRow.open(lanes, heartbeatMs)
      const hints = (freshness: Freshness) => new Hints(primary, schema, freshness)
      return new PostgresDatabase(lanes, row, history, clock, hints, reads)
    } catch (error) {
      await lanes.close()
      throw problemOf(error instanceof DholeError ? error.cause : error, address)
    }
  }

  async close(): Promise<void> {
    this.clock.close()
    await this.hints.close()
    await this.#row.close()
    await this.lanes.close()
  }
}
