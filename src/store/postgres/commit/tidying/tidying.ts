import type { AppliedTree } from '../../applied-tree.ts'
import { arrayOf } from '../../connection/arrays.ts'
import type { Lanes } from '../../connection/lanes.ts'
import type { StorageClock } from '../../database-clock.ts'
import { DROP_LISTS } from '../../indexes/definition-table.ts'
import type { RecordClock } from '../record-clock.ts'
import { trimLog } from './trim-log.ts'

/** Commits or records between two looks for old ones. */
const TRIM_STEP = 512
/** Interior nodes, and rows, removed in one step. */
const STEP_INTERIORS = 64
const STEP_ROWS = 1024
/** Pause after a failure, in milliseconds. */
const RETRY_MS = 1000

export interface Retention {
  readonly maxChanges: number
  readonly maxAgeMs: number
  readonly maxNotes: number
}

/** A tree and what is needed to remove its rows. */
interface TidiedTree {
  readonly lanes: Lanes
  readonly tree: AppliedTree
  readonly records: RecordClock
  readonly clock: Pick<StorageClock, 'now'>
}

/** What a batch has written. */
interface Written {
  readonly detached: number
  readonly commits: number
  readonly records: number
}

/** Work that is due. */
interface Due {
  sweep: boolean
  log: boolean
  records: boolean
}

const BELOW =
  'SELECT c.descendant::float8 AS id FROM closure c WHERE c.tree = $1::int AND c.ancestor = $2::bigint ' +
  `ORDER BY c.descendant DESC LIMIT ${STEP_INTERIORS}`

const REMOVE_CHILDREN =
  'WITH gone AS (DELETE FROM node WHERE ctid = ANY(ARRAY(SELECT n.ctid FROM node n WHERE n.tree = $1::int ' +
  `AND n.parent_id = ANY($2::bigint[]) LIMIT ${STEP_ROWS})) RETURNING 1) SELECT count(*)::int AS count FROM gone`

const removeRecords = (condition: string) =>
  'WITH gone AS (DELETE FROM note WHERE ctid = ANY(ARRAY(SELECT n.ctid FROM note n WHERE n.tree = $1::int ' +
  `AND ${condition})) RETURNING 1) SELECT count(*)::int AS count FROM gone`
const REMOVE_AGED = removeRecords(`n.at < $2::bigint ORDER BY n.at LIMIT ${STEP_ROWS}`)
const REMOVE_OLDEST = removeRecords('true ORDER BY n.at, n.key LIMIT $2::int')

/**
 * Removes rows that no read can see: those of detached subtrees, old entries of the log and old records. It works in
 * bounded steps beside the batches; the table `detached` lists what is left after a restart.
 */
export class Tidying {
  readonly #lanes: Lanes
  readonly #tree: AppliedTree
  readonly #records: RecordClock
  readonly #clock: Pick<StorageClock, 'now'>
  readonly #retention: Retention
  readonly #onTroubled: (error: unknown) => void
  readonly #due: Due = { sweep: true, log: true, records: true }
  #commits = 0
  #saved = 0
  #running: Promise<void> | undefined
  #isClosed = false
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor({ lanes, tree, records, clock }: TidiedTree, retention: Retention, onTroubled: (error: unknown) => void) {
    this.#lanes = lanes
    this.#tree = tree
    this.#records = records
    this.#clock = clock
    this.#retention = retention
    this.#onTroubled = onTroubled
  }

  /** A batch was written. */
  written({ detached, commits, records }: Written): void {
    this.#commits += commits
    this.#saved += records
    if (detached > 0) this.#due.sweep = true
    if (this.#commits >= TRIM_STEP) this.#due.log = true
    if (this.#saved >= TRIM_STEP) this.#due.records = true
    this.wake()
  }

  /** Begins what is due. */
  wake(): void {
    const { sweep, log, records } = this.#due
    if (this.#isClosed || this.#running !== undefined || this.#retry !== undefined || !(sweep || log || records)) return
    this.#running = this.#run().then(
      () => this.#ended(),
      (error) => {
        if (!this.#isClosed) this.#onTroubled(error)
        this.#ended(error)
      },
    )
  }

  /** Resolves when nothing is left to remove. @throws what has failed */
  async done(): Promise<void> {
    do {
      // What was written since the last look need not be enough for another one.
      this.#due.log ||= this.#commits > 0
      this.#due.records ||= this.#saved > 0
      this.wake()
      await this.#running
    } while (this.#running !== undefined)
  }

  /** Ends after the step that runs. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    await this.#running
  }

  #ended(error?: unknown): void {
    this.#running = undefined
    if (error === undefined) this.wake()
    else if (!this.#isClosed) {
      this.#retry = setTimeout(() => {
        this.#retry = undefined
        this.wake()
      }, RETRY_MS)
      this.#retry.unref()
    }
  }

  async #run(): Promise<void> {
    if (this.#due.sweep) {
      this.#due.sweep = false
      await this.#orDueAgain('sweep', () => this.#sweep())
    }
    if (this.#due.log) {
      this.#due.log = false
      this.#commits = 0
      await this.#orDueAgain('log', () => this.#trimLog())
    }
    if (this.#due.records) {
      this.#due.records = false
      this.#saved = 0
      await this.#orDueAgain('records', () => this.#trimRecords())
    }
  }

  async #orDueAgain(kind: keyof Due, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#due[kind] = true
      throw error
    }
  }

  async #sweep(): Promise<void> {
    const { tree } = this.#tree
    while (!this.#isClosed) {
      const [root] = await this.#lanes.query<{ id: number }>(
        'SELECT d.id::float8 AS id FROM detached d WHERE d.tree = $1::int LIMIT 1',
        [tree],
      )
      if (root === undefined) return
      await this.#sweepBelow(root.id)
    }
  }

  /** Removes some nodes of a subtree. Ids grow downwards: the deepest node comes first and the subtree's own last. */
  async #sweepBelow(root: number): Promise<void> {
    const { tree } = this.#tree
    const below = (await this.#lanes.query<{ id: number }>(BELOW, [tree, root])).map(({ id }) => id)
    const ids = arrayOf(below)
    if (below.length > 0) {
      for (;;) {
        const [removed] = await this.#lanes.query<{ count: number }>(REMOVE_CHILDREN, [tree, ids])
        if (this.#isClosed) return
        if (removed === undefined || removed.count < STEP_ROWS) break
      }
      await this.#lanes.query(DROP_LISTS, [tree, ids])
      await this.#lanes.query(
        'WITH c AS (DELETE FROM closure WHERE tree = $1::int AND descendant = ANY($2::bigint[])) ' +
          'DELETE FROM interior WHERE tree = $1::int AND id = ANY($2::bigint[])',
        [tree, ids],
      )
    }
    // A subtree without rows was removed already, with one around it that was detached later.
    if (below.length > 0 && !below.includes(root)) return
    await this.#lanes.query('DELETE FROM detached WHERE tree = $1::int AND id = $2::bigint', [tree, root])
  }

  async #trimLog(): Promise<void> {
    while (!this.#isClosed && (await trimLog(this.#lanes, this.#tree, this.#retention, this.#clock.now))) {}
  }

  async #trimRecords(): Promise<void> {
    const { tree } = this.#tree
    const { outdated } = this.#records
    const remove = async (statement: string, bound: number) =>
      (await this.#lanes.query<{ count: number }>(statement, [tree, bound]))[0]?.count ?? 0
    while (!this.#isClosed && (await remove(REMOVE_AGED, outdated)) === STEP_ROWS) {}
    const [counted] = await this.#lanes.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM note WHERE tree = $1::int',
      [tree],
    )
    let excess = (counted?.count ?? 0) - this.#retention.maxNotes
    while (!this.#isClosed && excess > 0)
      excess -= Math.max(1, await remove(REMOVE_OLDEST, Math.min(excess, STEP_ROWS)))
  }
}
