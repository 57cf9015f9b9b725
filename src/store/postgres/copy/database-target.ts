import type { CopyTarget, TargetState } from '../../rows/copy/copy-ends.ts'
import type { CopiedRow, CopiedTable, TreeNumbers } from '../../rows/copy/tables.ts'
import { treeProblems } from '../check/tree-problems.ts'
import { arrayOf } from '../connection/arrays.ts'
import { failureKind } from '../connection/database-errors.ts'
import type { Lane, Statements } from '../connection/lane.ts'
import type { Lanes } from '../connection/lanes.ts'
import { type ApplicationRow, applicationRow } from './application-row.ts'
import { storedTable } from './columns.ts'

/** Any number: it names the lock that a copy into an application holds. */
const LOCK = 4_205_118
/** Pages that are written at a time. */
const AT_ONCE = 3
const MAX_PROBLEMS = 10
/** Rows removed with one statement. */
const REMOVED_ROWS = 10_000
/** Version of the rows of the log. */
const FORMAT = 1

interface Begun {
  readonly tree: number
  readonly copy: string
  readonly numbers: TreeNumbers
}

/** Where the tree of an application is written. No process opens it before it is activated. */
export class DatabaseTarget implements CopyTarget {
  readonly #lock: Lane
  readonly #lanes: Lanes
  readonly #application: string
  readonly #tables: readonly string[]
  readonly state: TargetState
  #begun: Begun | undefined
  #batches = 0
  readonly #writing = new Set<Promise<void>>()
  #failure: unknown

  private constructor(lock: Lane, lanes: Lanes, application: string, tables: readonly string[], state: TargetState) {
    this.#lock = lock
    this.#lanes = lanes
    this.#application = application
    this.#tables = tables
    this.state = state
  }

  /**
   * Runs work on the application in a database, which excludes other copies into it.
   * @param lanes those that write rows: their commits need not be durable
   * @param tables all that have rows of a tree
   * @throws Error when another process copies into it
   */
  static use<T>(
    { durable, lanes, schema }: { readonly durable: Lanes; readonly lanes: Lanes; readonly schema: string },
    application: string,
    tables: readonly string[],
    work: (target: DatabaseTarget) => Promise<T>,
  ): Promise<T> {
    return durable.use(async (lock) => {
      const key = `${schema}.${application}`
      // The lock of a process that was killed is there for a moment.
      await lock.query('SELECT FROM pg_advisory_lock($1::int, hashtext($2))', [LOCK, key]).catch((cause) => {
        throw failureKind(cause) === 'again' ? new Error('another process copies into it', { cause }) : cause
      })
      try {
        const state = stateOf(await applicationRow(lock, application))
        return await work(new DatabaseTarget(lock, lanes, application, tables, state))
      } finally {
        await lock.query('SELECT pg_advisory_unlock($1::int, hashtext($2))', [LOCK, key]).catch(() => {})
      }
    })
  }

  async begin(copy: string, epoch: string, numbers: TreeNumbers): Promise<void> {
    await this.#remove()
    const [row] = await this.#lock.query<{ tree: number }>(
      'INSERT INTO application (id, epoch, copy, is_arriving) VALUES ($1::text, $2::text, $3::text, true) RETURNING tree',
      [this.#application, epoch, copy],
    )
    if (row === undefined) throw new Error('the application has no row')
    this.#begun = { tree: row.tree, copy, numbers }
    this.#batches = 0
  }

  async write(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
    const written = table.name === 'log' ? this.#writeLog(rows) : this.#writeRows(table, rows)
    const settled = written
      .catch((error) => {
        this.#failure ??= error
      })
      .finally(() => this.#writing.delete(settled))
    this.#writing.add(settled)
    while (this.#writing.size >= AT_ONCE) await Promise.race(this.#writing)
    if (this.#failure !== undefined) throw this.#failure
  }

  async complete(): Promise<void> {
    await Promise.all(this.#writing)
    if (this.#failure !== undefined) throw this.#failure
    if (this.#batches === 0) await this.#writeLog([[0, 1, 0, '[]', null]])
    // Plans need it: autovacuum may come much later.
    for (const table of this.#tables) await this.#lock.query(`ANALYZE ${table}`)
  }

  async count({ name }: CopiedTable): Promise<number> {
    const what = name === 'log' ? 'coalesce(sum(last_seq - first_seq + 1), 0)' : 'count(*)'
    const [row] = await this.#lock.query<{ rows: number }>(
      `SELECT ${what}::float8 AS rows FROM ${name} WHERE tree = $1::int`,
      [this.#open.tree],
    )
    return row?.rows ?? 0
  }

  async problems(): Promise<readonly string[]> {
    const found: string[] = []
    for await (const { problem, row } of treeProblems(this.#lock, this.#open.tree)) {
      found.push(`${problem} (${row})`)
      if (found.length === MAX_PROBLEMS) break
    }
    return found
  }

  async activate(): Promise<void> {
    const rows = await this.#lock.query(
      'UPDATE application SET is_arriving = false WHERE id = $1::text AND is_arriving RETURNING tree',
      [this.#application],
    )
    if (rows.length !== 1) throw new Error('the copy is gone')
  }

  async discard(): Promise<void> {
    await Promise.all(this.#writing)
    await this.#remove()
  }

  get #open(): Begun {
    if (this.#begun === undefined) throw new Error('the copy has not begun')
    return this.#begun
  }

  async #writeRows(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
    const { inserted, types } = storedTable(table)
    const columns = Object.entries(table.columns)
    const arrays = columns.map(([, kind], at) =>
      arrayOf(
        rows.map((row) => {
          const value = row[at] ?? null
          return typeof kind === 'object' && typeof value === 'string' ? kind.encode(value) : value
        }),
      ),
    )
    const unnested = types.map((type, at) => `$${at + 2}::${type}[]`).join(', ')
    const names = columns.map(([column]) => column).join(', ')
    const { tree, copy } = this.#open
    await this.#lanes.query(
      `${inserted} FROM unnest(${unnested}) AS s(${names}) WHERE EXISTS (SELECT FROM application a ` +
        `WHERE a.tree = $1::int AND a.copy = $${types.length + 2}::text AND a.is_arriving)`,
      [tree, ...arrays, copy],
    )
  }

  /** Rows of the log are batches: they have numbers and stamps of their own. */
  async #writeLog(rows: readonly CopiedRow[]): Promise<void> {
    const { tree, numbers } = this.#open
    const first = this.#batches
    this.#batches += rows.length
    const column = (at: number) => arrayOf(rows.map((row) => row[at] ?? null))
    await this.#lanes.query(
      'INSERT INTO log (tree, batch, first_seq, last_seq, at, push_time, next_id, stamp, format, flags, heads, data) ' +
        `SELECT $1::int, s.batch, s.first, s.last, s.at, s.push_time, s.next_id, s.stamp, ${FORMAT}, 0, s.heads, s.data ` +
        'FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], ' +
        '$9::text[], $10::text[]) AS s(batch, last, first, at, push_time, next_id, stamp, heads, data)',
      [
        tree,
        arrayOf(rows.map((_, at) => first + at)),
        column(0),
        column(1),
        column(2),
        arrayOf(rows.map(() => numbers.pushTime)),
        arrayOf(rows.map(() => numbers.nextId)),
        arrayOf(rows.map(() => crypto.randomUUID())),
        column(3),
        column(4),
      ],
    )
  }

  async #remove(): Promise<void> {
    await removeTree(this.#lock, this.#application, this.#tables)
  }
}

function stateOf(row: ApplicationRow | undefined): TargetState {
  if (row === undefined) return { kind: 'free' }
  const { movedTo, isArriving, copy } = row
  if (movedTo !== null) return { kind: 'moved', to: movedTo, copy: copy ?? '' }
  return { kind: isArriving ? 'arriving' : 'there', copy: copy ?? undefined }
}

/**
 * Removes an incomplete copy, or what a move has left: the row of the application last, so that an interrupted removal goes on
 * with the next copy.
 */
async function removeTree(statements: Statements, application: string, tables: readonly string[]): Promise<void> {
  const row = await applicationRow(statements, application)
  if (row === undefined || (!row.isArriving && row.movedTo === null)) return
  for (const table of tables) {
    for (let removed = REMOVED_ROWS; removed === REMOVED_ROWS; ) {
      const [gone] = await statements.query<{ rows: number }>(
        `WITH gone AS (DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT t.ctid FROM ${table} t ` +
          `WHERE t.tree = $1::int LIMIT ${REMOVED_ROWS})) RETURNING 1) SELECT count(*)::int AS rows FROM gone`,
        [row.tree],
      )
      removed = gone?.rows ?? 0
    }
  }
  await statements.query('DELETE FROM application WHERE tree = $1::int AND (is_arriving OR moved_to IS NOT NULL)', [
    row.tree,
  ])
}
