import { Distribution } from '../../monitor/distribution.ts'
import type { HintKind, Observer } from '../../observer.ts'
import type { Prometheus } from './prometheus.ts'

type DatabaseUse = Parameters<Required<Observer>['databaseUsed']>[0]

const OF_BATCHES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000]
const MS = 1000

/** Counts what happens between this process and its database. All labels are fixed, so the memory is bounded. */
export class DatabaseMetrics {
  readonly #uses: Record<DatabaseUse, number> = { statement: 0, snapshot: 0, transaction: 0, other: 0 }
  readonly #hints: Record<HintKind, number> = { sent: 0, received: 0, late: 0 }
  readonly #lag = new Distribution(OF_BATCHES)
  readonly #totals = { conflicts: 0, doubts: 0, resets: 0, checks: 0, checkedReads: 0, reconnects: 0 }
  #isAway = false
  #processes = 0
  #offsetSeconds = 0

  /** The events that are counted. */
  readonly events = {
    databaseAway: () => {
      this.#isAway = true
    },
    databaseBack: () => {
      this.#isAway = false
    },
    databaseUsed: (use) => {
      this.#uses[use]++
    },
    connectionLost: () => {
      this.#totals.reconnects++
    },
    batchConflicted: () => {
      this.#totals.conflicts++
    },
    batchDoubted: () => {
      this.#totals.doubts++
    },
    followerLagged: (batches) => this.#lag.add(batches),
    followerReset: () => {
      this.#totals.resets++
    },
    hinted: (kind) => {
      this.#hints[kind]++
    },
    readsChecked: (reads) => {
      this.#totals.checks++
      this.#totals.checkedReads += reads
    },
    processesSeen: (alive, offsetMs) => {
      this.#processes = alive
      this.#offsetSeconds = offsetMs / MS
    },
  } satisfies Partial<Observer>

  addTo(page: Prometheus): void {
    const totals = this.#totals
    page.totals(['dhole_database_round_trips_total', 'Uses of a connection to the database.'], ['kind'], () =>
      Object.entries(this.#uses).map(([kind, count]) => [{ kind }, count] as const),
    )
    page.total(['dhole_database_reconnects_total', 'Connections that were lost.'], () => totals.reconnects)
    page.gauges(['dhole_database_away', '1 while no connection to the database can be opened.'], [], () => [
      [{}, this.#isAway ? 1 : 0],
    ])
    page.total(
      ['dhole_batch_conflicts_total', 'Batches that came after one of another process.'],
      () => totals.conflicts,
    )
    page.total(['dhole_batches_in_doubt_total', 'Commits whose answer was lost.'], () => totals.doubts)
    page.distributions(['dhole_follower_lag_batches', 'Batches of others that were read at once.'], undefined, () => [
      ['', this.#lag],
    ])
    page.total(['dhole_follower_resets_total', 'Times that the log did not reach back.'], () => totals.resets)
    page.totals(['dhole_hints_total', 'Notifications about batches.'], ['kind'], () =>
      Object.entries(this.#hints).map(([kind, count]) => [{ kind }, count] as const),
    )
    page.total(['dhole_checks_total', 'Questions for the last batches.'], () => totals.checks)
    page.total(['dhole_checked_reads_total', 'Reads and commits that they were asked for.'], () => totals.checkedReads)
    page.gauges(['dhole_processes_alive', 'Processes on the database.'], [], () => [[{}, this.#processes]])
    page.gauges(
      ['dhole_database_clock_offset_seconds', 'Clock of this process minus that of the database.'],
      [],
      () => [[{}, this.#offsetSeconds]],
    )
  }
}
