import { ChangedMeanwhile, type CopySource, type MovedMark } from '../../rows/copy/copy-ends.ts'
import { type CopiedRow, type CopiedTable, PAGE, type TreeNumbers } from '../../rows/copy/tables.ts'
import { type AppliedBatch, LogFlag } from '../batch.ts'
import { BatchConflict } from '../commit/batch-conflict.ts'
import { insertLogRow } from '../commit/commit-statement.ts'
import { commitSurely, Patience } from '../commit/committer.ts'
import { lastBatch } from '../commit/tree-head.ts'
import type { Parameter, Statements } from '../connection/lane.ts'
import type { Lanes } from '../connection/lanes.ts'
import { applicationRow } from './application-row.ts'
import { storedTable } from './columns.ts'

const GONE =
  'SELECT DISTINCT c.descendant::float8 AS id FROM detached d JOIN closure c ON c.tree = d.tree AND c.ancestor = d.id ' +
  'WHERE d.tree = $1::int'
/** Conditions of the rows that a copy reads. */
const CONDITIONS: Readonly<Record<string, string>> = {
  log: ' AND t.first_seq <= t.last_seq',
  index_definition: ' AND t.list_id > 0',
}
/** Rows of a page where it is fewer: those of the log are long, and its plan would read all rows for more. */
const MOST_ROWS: Readonly<Record<string, number>> = { log: 256 }
/** Columns by which rows belong to an interior node. */
const OWNERS: Readonly<Record<string, string>> = {
  node: 'parent_id',
  interior: 'id',
  closure: 'descendant',
  index_definition: 'list_id',
}
/** How long a mark waits for a database that is away, in milliseconds. */
const MARK_MS = 10_000

type Found = Readonly<Record<string, string | number | null>>

/**
 * Reads a page of rows. Parameters: number of the tree, and the key of the last row.
 * @param isFollowing whether it begins behind a row
 */
export function pageStatement(table: CopiedTable, isFollowing: boolean): string {
  const { selected, length, key } = storedTable(table)
  const { name } = table
  const order = key.map(([column]) => `t.${column}`).join(', ')
  const after = key.map(([, type], at) => `$${at + 2}::${type}`).join(', ')
  return (
    `SELECT p.* FROM (SELECT ${selected}, sum(${length}) OVER (ORDER BY ${order}) - (${length}) AS before ` +
    `FROM (SELECT t.* FROM ${name} t WHERE t.tree = $1::int${CONDITIONS[name] ?? ''}` +
    `${isFollowing ? ` AND (${order}) > (${after})` : ''} ORDER BY ${order} LIMIT ${MOST_ROWS[name] ?? PAGE.rows}) t ORDER BY ${order}) p ` +
    `WHERE p.before < ${PAGE.length}`
  )
}

/** The tree of an application in one snapshot. Other processes may serve it meanwhile. */
export class DatabaseSource implements CopySource {
  readonly #lanes: Lanes
  readonly #snapshot: Statements
  readonly #tree: number
  readonly #head: AppliedBatch
  readonly #gone: ReadonlySet<number>
  readonly epoch: string

  private constructor(
    lanes: Lanes,
    snapshot: Statements,
    opened: { tree: number; epoch: string; head: AppliedBatch; gone: ReadonlySet<number> },
  ) {
    this.#lanes = lanes
    this.#snapshot = snapshot
    this.#tree = opened.tree
    this.#head = opened.head
    this.#gone = opened.gone
    this.epoch = opened.epoch
  }

  /**
   * Runs work on the tree of an application.
   * @param work gets where the tree was moved already, in place of it
   * @throws Error when there is no such application, or its own copy is not complete
   */
  static use<T>(
    lanes: Lanes,
    application: string,
    work: (source: DatabaseSource | MovedMark) => Promise<T>,
  ): Promise<T> {
    return lanes.snapshot(async (snapshot) => {
      const row = await applicationRow(snapshot, application)
      if (row === undefined) throw new Error('there is no such application')
      const { tree, epoch, movedTo, copy, isArriving } = row
      if (movedTo !== null) return await work({ to: movedTo, copy: copy ?? '' })
      if (row.isRemoved) throw new Error('it was removed: add it again to copy its tree')
      if (isArriving) throw new Error('its own copy to this database is not complete')
      const head = await lastBatch(snapshot, tree)
      const gone = new Set((await snapshot.query<{ id: number }>(GONE, [tree])).map(({ id }) => id))
      return await work(new DatabaseSource(lanes, snapshot, { tree, epoch, head, gone }))
    })
  }

  get numbers(): TreeNumbers {
    const { seq, at, pushTime, nextId } = this.#head
    return { seq, at, pushTime, nextId }
  }

  async *pages(table: CopiedTable): AsyncGenerator<readonly CopiedRow[], void> {
    const { name } = table
    const key = Object.keys(table.columns).slice(0, table.keyLength)
    const decode = decoderOf(table)
    const following = pageStatement(table, true)
    let rows = await this.#snapshot.query<Found>(pageStatement(table, false), [this.#tree])
    for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
      const parameters: Parameter[] = [this.#tree, ...key.map((column) => last?.[column] ?? null)]
      // The next page is read while the target writes this one.
      const next = this.#snapshot.query<Found>(following, parameters)
      next.catch(() => {})
      yield this.#seen(name, rows).map(decode)
      rows = await next
    }
  }

  async count({ name }: CopiedTable): Promise<number> {
    const [row] = await this.#snapshot.query<{ rows: number }>(
      `SELECT count(*)::float8 AS rows FROM ${name} t WHERE t.tree = $1::int`,
      [this.#tree],
    )
    return row?.rows ?? 0
  }

  async markMoved({ to, copy }: MovedMark): Promise<void> {
    const { batch, seq } = this.#head
    const next: AppliedBatch = { ...this.#head, batch: batch + 1, stamp: copy }
    const row = { next, firstSeq: seq + 1, flags: LogFlag.moved, heads: '[]', data: null, settings: null }
    const mark = () =>
      this.#lanes.transaction(async (statements) => {
        // The row is refused when a batch came behind the copied one, and keeps every later one from being written.
        await insertLogRow(statements, this.#tree, this.#head, row)
        await statements.query('UPDATE application SET moved_to = $2::text, copy = $3::text WHERE tree = $1::int', [
          this.#tree,
          to,
          copy,
        ])
      })
    try {
      await commitSurely(
        this.#lanes,
        { tree: this.#tree, number: next.batch, stamp: copy },
        mark,
        new Patience(MARK_MS),
      )
    } catch (error) {
      throw error instanceof BatchConflict ? new ChangedMeanwhile() : error
    }
  }

  #seen(table: string, rows: readonly Found[]): readonly Found[] {
    const owner = OWNERS[table]
    if (owner === undefined || this.#gone.size === 0) return rows
    return rows.filter((row) => !this.#gone.has(Number(row[owner])))
  }
}

/** Makes rows of a table from what the database returns. */
function decoderOf({ columns }: CopiedTable): (row: Found) => CopiedRow {
  const all = Object.entries(columns)
  return (row) =>
    all.map(([column, kind]) => {
      const value = row[column] ?? null
      return typeof kind === 'object' && typeof value === 'string' ? kind.decode(value) : value
    })
}
