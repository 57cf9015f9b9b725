import { DholeError } from '../../error.ts'
import { type Observer, silentObserver } from '../../observer.ts'
import { Confirmations } from './agreement/confirmations.ts'
import { FailureCounts } from './agreement/failure-counts.ts'
import { sweepRemovedTrees } from './agreement/removed-trees.ts'
import { Patience } from './commit/committer.ts'
import { type DatabaseAddress, DEFAULT_SCHEMA, directAddress, serversOf } from './connection/address.ts'
import { type DatabaseProblem, problemOf } from './connection/database-problem.ts'
import { Lanes } from './connection/lanes.ts'
import { Outage } from './connection/outage.ts'
import { Primary } from './connection/primary.ts'
import { DatabaseClock } from './database-clock.ts'
import { Freshness } from './follow/freshness.ts'
import { type HintSettings, Hints } from './follow/hints.ts'
import { History } from './follow/history.ts'
import { ProcessRow, type ProcessTimes } from './processes.ts'
import { prepare } from './schema/prepare.ts'
import { OwnerWatch } from './sessions/owner-watch.ts'

export interface PostgresSettings extends DatabaseAddress, ProcessTimes {
  /** Maximum connections of this process. Default 8. */
  readonly connections?: number | undefined
  /** Longest time of one statement, in milliseconds. Default 10,000. */
  readonly statementMs?: number | undefined
  /** How long to wait for a server that is away, in milliseconds. Default 10,000. */
  readonly waitMs?: number | undefined
  /** Whether reads see every acknowledged write, or those of about the last second. Default `fresh`. */
  readonly reads?: 'fresh' | 'recent' | undefined
  /** How this process learns of the batches of others: by notifications, or by looking often. Default `notify`. */
  readonly hints?: 'notify' | 'poll' | undefined
  /** Time between two looks with `poll`, in milliseconds. Default 25. */
  readonly pollMs?: number | undefined
}

const DEFAULT_CONNECTIONS = 8
const DEFAULT_STATEMENT_MS = 10_000
const DEFAULT_WAIT_MS = 10_000
const DEFAULT_POLL_MS = 25
/** How often rows that are not needed any more are looked for, in milliseconds. */
const TIDY_MS = 30_000
/** Longest time of a heartbeat, in milliseconds: it is sent again on a new connection before this process falls silent. */
const HEARTBEAT_STATEMENT_MS = 3000

interface DatabaseParts {
  readonly url: string
  readonly lanes: Lanes
  /** For heartbeats alone: they must not wait for long work. */
  readonly heartbeats: Lanes
  readonly row: ProcessRow
  readonly history: History
  readonly clock: DatabaseClock
  readonly hints: HintSettings
  readonly observer: Observer
  readonly reads: 'fresh' | 'recent'
  readonly waitMs: number
}

/** An open installation on PostgreSQL: what the trees of all applications of this process share. */
export class PostgresDatabase {
  readonly lanes: Lanes
  readonly freshness: Freshness
  readonly hints: Hints
  readonly history: History
  readonly reads: 'fresh' | 'recent'
  readonly clock: DatabaseClock
  readonly confirmations: Confirmations
  /** Wrong credentials on all processes. */
  readonly failures: FailureCounts
  /** The row of this process. */
  readonly row: ProcessRow
  /** Finds sessions whose process has ended. */
  readonly owners: OwnerWatch
  /** How long to wait for a server that is away, in milliseconds. */
  readonly waitMs: number
  readonly #url: string
  readonly #heartbeats: Lanes
  readonly #timer: ReturnType<typeof setInterval>
  #tidying: Promise<void> | undefined
  #isClosed = false

  private constructor({ url, lanes, heartbeats, row, history, clock, hints, observer, reads, waitMs }: DatabaseParts) {
    this.#url = url
    this.lanes = lanes
    this.#heartbeats = heartbeats
    this.row = row
    this.history = history
    this.clock = clock
    this.waitMs = waitMs
    this.freshness = new Freshness(lanes, (count) => observer.readsChecked?.(count))
    this.failures = new FailureCounts(lanes)
    this.hints = new Hints(hints, this.freshness)
    this.confirmations = new Confirmations(lanes, row, this.hints, waitMs)
    this.owners = new OwnerWatch(lanes, row)
    this.reads = reads
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
   * @param observer receives events of the connections and of other processes
   * @param outage of the process, which may have failed to connect before
   * @throws TypeError for a wrong address, `DatabaseProblem` when the database cannot be used
   */
  static async open(
    { connections, statementMs, heartbeatMs, silentMs, reads, waitMs = DEFAULT_WAIT_MS, ...given }: PostgresSettings,
    observer: Observer = silentObserver,
    outage: Outage = outageOf(given.url, observer),
  ): Promise<PostgresDatabase> {
    const { hints: means, pollMs = DEFAULT_POLL_MS, ...address } = given
    const schema = address.schema ?? DEFAULT_SCHEMA
    const primary = new Primary(serversOf(address))
    const settings = {
      connections: connections ?? DEFAULT_CONNECTIONS,
      statementMs: statementMs ?? DEFAULT_STATEMENT_MS,
    }
    const lanes = openLanes({ primary, ...settings }, outage, observer)
    const heartbeatStatementMs = Math.min(settings.statementMs, HEARTBEAT_STATEMENT_MS)
    const heartbeats = new Lanes({ primary, connections: 1, statementMs: heartbeatStatementMs })
    try {
      await new Patience(waitMs).run(() => prepare(lanes, settings.statementMs, address))
      const history = await History.open(lanes, primary)
      const clock = await DatabaseClock.open(lanes)
      const row = await ProcessRow.open(
        heartbeats,
        { heartbeatMs, silentMs },
        {
          onSeen: (alive, offsetMs) => observer.processesSeen?.(alive, offsetMs),
          onOutdated: (error) => observer.storeFailed('the database', error),
        },
      )
      const hints: HintSettings = {
        primary,
        ...(address.listenUrl === undefined ? {} : { direct: new Primary(serversOf(directAddress(address))) }),
        schema,
        ...(means === 'poll' ? { pollMs } : {}),
        onHint: (kind) => observer.hinted?.(kind),
      }
      const parts = { url: address.url, lanes, heartbeats, row, history, clock, hints, observer, waitMs }
      return await PostgresDatabase.#checked(new PostgresDatabase({ ...parts, reads: reads ?? 'fresh' }))
    } catch (error) {
      await Promise.all([lanes.close(), heartbeats.close()])
      throw await problemOf(error instanceof DholeError ? error.cause : error, address)
    }
  }

  /** A database whose notifications arrive. @throws `NoNotifications`, and what the database throws */
  static async #checked(database: PostgresDatabase): Promise<PostgresDatabase> {
    try {
      await new Patience(database.waitMs).run(() => database.hints.check(database.lanes))
      return database
    } catch (error) {
      await database.close()
      throw error
    }
  }

  /** Why something failed that only the operator can mend. */
  problemOf(error: unknown): Promise<DatabaseProblem> {
    return problemOf(error, { url: this.#url })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.confirmations.close()
    await this.owners.close()
    await this.#tidying?.catch(() => {})
    this.clock.close()
    await this.hints.close()
    await this.row.close()
    await Promise.all([this.lanes.close(), this.#heartbeats.close()])
  }

  async #tidy(): Promise<void> {
    await sweepRemovedTrees(this.lanes, () => this.#isClosed)
    await this.confirmations.tidy()
    await this.failures.tidy()
  }
}

/** Reports to an observer whether connections to a database can be opened. */
export function outageOf(url: string, observer: Observer): Outage {
  return new Outage(url, {
    onAway: (place, reason) => observer.databaseAway?.(place, reason),
    onBack: (place, milliseconds) => observer.databaseBack?.(place, milliseconds),
  })
}

function openLanes(settings: ConstructorParameters<typeof Lanes>[0], outage: Outage, observer: Observer): Lanes {
  return new Lanes({
    ...settings,
    events: {
      onUsed: (use) => observer.databaseUsed?.(use),
      onOpened: () => outage.ended(),
      onOpenFailed: (error) => void outage.failed(error),
      onLost: () => observer.connectionLost?.(),
    },
  })
}
