import { DholeError } from '../../error.ts'
import { Confirmations } from './agreement/confirmations.ts'
import { FailureCounts } from './agreement/failure-counts.ts'
import { sweepRemovedTrees } from './agreement/removed-trees.ts'
import { Patience } from './commit/committer.ts'
import { type DatabaseAddress, DEFAULT_SCHEMA, serversOf } from './connection/address.ts'
import { problemOf } from './connection/database-problem.ts'
import { Lanes } from './connection/lanes.ts'
import { Primary } from './connection/primary.ts'
import { Freshness } from './follow/freshness.ts'
import { Hints } from './follow/hints.ts'
import { ProcessRow, type ProcessTimes } from './processes.ts'
import { migrate } from './schema/migrations.ts'

export interface PostgresSettings extends DatabaseAddress, ProcessTimes {
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
/** How often rows that are not needed any more are looked for, in milliseconds. */
const TIDY_MS = 30_000

/** An open installation on PostgreSQL: what the trees of all applications of this process share. */
export class PostgresDatabase {
  readonly lanes: Lanes
  readonly freshness: Freshness
  readonly hints: Hints
  readonly confirmations: Confirmations
  /** Wrong credentials on all processes. */
  readonly failures: FailureCounts
  /** The row of this process. */
  readonly row: ProcessRow
  /** How long to wait for a server that is away, in milliseconds. */
  readonly waitMs: number
  readonly #timer: ReturnType<typeof setInterval>
  #tidying: Promise<void> | undefined
  #isClosed = false

  private constructor(lanes: Lanes, row: ProcessRow, waitMs: number, hints: (freshness: Freshness) => Hints) {
    this.lanes = lanes
    this.row = row
    this.waitMs = waitMs
    this.freshness = new Freshness(lanes)
    this.failures = new FailureCounts(lanes)
    this.hints = hints(this.freshness)
    this.confirmations = new Confirmations(lanes, row, this.hints, waitMs)
    // It fails while the database is away: the next time is soon enough.
    this.#timer = setInterval(() => this.tidy().catch(() => {}), TIDY_MS)
    this.#timer.unref()
  }

  /** Random id of this process, for rows that end with it. */
  get process(): string {
    return this.row.id
  }

  /** Removes rows that are not needed any more. Concurrent calls share the work. @throws what the database throws */
  tidy(): Promise<void> {
    this.#tidying ??= this.#tidy().finally(() => {
      this.#tidying = undefined
    })
    return this.#tidying
  }

  /**
   * Connects and brings the tables to this version.
   * @throws TypeError for a wrong address, `DatabaseProblem` when the database cannot be used
   */
  static async open({
    connections,
    statementMs,
    heartbeatMs,
    silentMs,
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
      const row = await ProcessRow.open(lanes, { heartbeatMs, silentMs })
      return new PostgresDatabase(lanes, row, waitMs, (freshness) => new Hints(primary, schema, freshness))
    } catch (error) {
      await lanes.close()
      throw problemOf(error instanceof DholeError ? error.cause : error, address)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.confirmations.close()
    await this.#tidying?.catch(() => {})
    await this.hints.close()
    await this.row.close()
    await this.lanes.close()
  }

  async #tidy(): Promise<void> {
    await sweepRemovedTrees(this.lanes, () => this.#isClosed)
    await this.confirmations.tidy()
    await this.failures.tidy()
  }
}
