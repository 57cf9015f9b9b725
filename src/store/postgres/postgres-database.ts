import { DholeError } from '../../error.ts'
import { type Observer, silentObserver } from '../../observer.ts'
import { Patience } from './commit/committer.ts'
import { type DatabaseAddress, DEFAULT_SCHEMA, serversOf, userOf } from './connection/address.ts'
import { isUnusable } from './connection/database-errors.ts'
import { type DatabaseProblem, problemOf } from './connection/database-problem.ts'
import { Lanes } from './connection/lanes.ts'
import { Outage } from './connection/outage.ts'
import { Primary } from './connection/primary.ts'
import { DatabaseClock } from './database-clock.ts'
import { Freshness } from './follow/freshness.ts'
import { Hints } from './follow/hints.ts'
import { History } from './follow/history.ts'
import { ProcessRow } from './processes.ts'
import { grantTables, migrate } from './schema/migrations.ts'
import { checkRights, checkServer } from './schema/server-checks.ts'

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
  readonly #url: string
  readonly #row: ProcessRow

  private constructor(
    url: string,
    lanes: Lanes,
    row: ProcessRow,
    history: History,
    clock: DatabaseClock,
    hints: (freshness: Freshness) => Hints,
    observer: Observer,
    reads: 'fresh' | 'recent' = 'fresh',
  ) {
    this.#url = url
    this.lanes = lanes
    this.#row = row
    this.history = history
    this.clock = clock
    this.freshness = new Freshness(lanes, (count) => observer.readsChecked?.(count))
    this.hints = hints(this.freshness)
    this.reads = reads
  }

  /** Random id of this process, for rows that end with it. */
  get process(): string {
    return this.#row.id
  }

  /**
   * Connects and brings the tables to this version.
   * @param observer is told what happens to the connections, and what other processes do
   * @throws TypeError for a wrong address, `DatabaseProblem` when the database cannot be used
   */
  static async open(
    { connections, statementMs, heartbeatMs, reads, waitMs = DEFAULT_WAIT_MS, ...address }: PostgresSettings,
    observer: Observer = silentObserver,
  ): Promise<PostgresDatabase> {
    const schema = address.schema ?? DEFAULT_SCHEMA
    const primary = new Primary(serversOf(address))
    const settings = {
      connections: connections ?? DEFAULT_CONNECTIONS,
      statementMs: statementMs ?? DEFAULT_STATEMENT_MS,
    }
    const lanes = openLanes({ primary, ...settings }, address.url, observer)
    try {
      await new Patience(waitMs).run(() => prepare(lanes, settings.statementMs, address))
      const history = await History.open(lanes, primary)
      const clock = await DatabaseClock.open(lanes)
      const row = await ProcessRow.open(lanes, heartbeatMs, (alive, offsetMs) =>
        observer.processesSeen?.(alive, offsetMs),
      )
      const hints = (freshness: Freshness) => new Hints(primary, schema, freshness, (kind) => observer.hinted?.(kind))
      return new PostgresDatabase(address.url, lanes, row, history, clock, hints, observer, reads)
    } catch (error) {
      await lanes.close()
      throw await problemOf(error instanceof DholeError ? error.cause : error, address)
    }
  }

  /** Why something failed that only the operator can mend. */
  problemOf(error: unknown): Promise<DatabaseProblem> {
    return problemOf(error, { url: this.#url })
  }

  async close(): Promise<void> {
    this.clock.close()
    await this.hints.close()
    await this.#row.close()
    await this.lanes.close()
  }
}

function openLanes(settings: ConstructorParameters<typeof Lanes>[0], url: string, observer: Observer): Lanes {
  const outage = new Outage(url, {
    onAway: (place, reason) => observer.databaseAway?.(place, reason),
    onBack: (place, milliseconds) => observer.databaseBack?.(place, milliseconds),
  })
  return new Lanes({
    ...settings,
    events: {
      onUsed: (use) => observer.databaseUsed?.(use),
      onOpened: () => outage.ended(),
      onOpenFailed: (error) => outage.failed(error),
      onLost: () => observer.connectionLost?.(),
    },
  })
}

/** Checks the server, and brings the tables to this version. @throws what the database throws, `DatabaseProblem` */
async function prepare(lanes: Lanes, statementMs: number, address: DatabaseAddress): Promise<void> {
  const { schema = DEFAULT_SCHEMA, ownerUrl } = address
  try {
    await checkServer(lanes)
    if (ownerUrl === undefined) await migrate(lanes, schema)
    else await prepareAsOwner({ ...address, url: ownerUrl }, statementMs, userOf(address.url))
    await checkRights(lanes, schema)
  } catch (error) {
    // Waiting changes nothing.
    throw isUnusable(error) ? await problemOf(error, address) : error
  }
}

/** @param user who reads and writes the tables */
async function prepareAsOwner(owner: DatabaseAddress, statementMs: number, user: string): Promise<void> {
  const { schema = DEFAULT_SCHEMA } = owner
  const lanes = new Lanes({ primary: new Primary(serversOf(owner)), connections: 1, statementMs })
  try {
    await migrate(lanes, schema)
    await grantTables(lanes, schema, user)
  } catch (error) {
    throw isUnusable(error) ? await problemOf(error, owner) : error
  } finally {
    await lanes.close()
  }
}
