import { hostname } from 'node:os'
import program from '../../../package.json' with { type: 'json' }
import type { Statements } from './connection/lane.ts'

/** Time between two heartbeats, in milliseconds. */
const DEFAULT_HEARTBEAT_MS = 2000
/** Time after the last heartbeat for which a process counts as alive, in milliseconds of the clock of the database. */
const ALIVE_MS = 12_000
/** Time after the last heartbeat after which the row of a process is removed, in milliseconds. */
const FORGOTTEN_MS = 24 * 60 * 60 * 1000
/** Longest wait for the row to be deleted, in milliseconds. */
const CLOSE_MS = 2000
/** Version of what processes tell each other through the tables. */
const FORMAT = 1

/** The clock of the database, in milliseconds since 1970. */
export const DATABASE_NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** @returns condition that the process of this id is alive. @param id an SQL expression */
export function isAlive(id: string): string {
  return `EXISTS (SELECT FROM process alive WHERE alive.id = ${id} AND alive.seen_at > ${DATABASE_NOW} - ${ALIVE_MS})`
}

/** Writes the row, and counts those that are alive. */
const SEEN =
  'WITH seen AS (' +
  'INSERT INTO process (id, version, format, host, started_at, seen_at) ' +
  `SELECT $1::text, $2::text, $3::smallint, $4::text, t.now, t.now FROM (SELECT ${DATABASE_NOW} AS now) t ` +
  'ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at RETURNING seen_at) ' +
  'SELECT seen.seen_at::float8 AS now, 1 + (SELECT count(*)::int FROM process other ' +
  `WHERE other.id <> $1::text AND other.seen_at > seen.seen_at - ${ALIVE_MS}) AS alive FROM seen`

/** Called with each sign of life: processes that are alive, and how far the clock of this one is ahead, in milliseconds. */
type OnSeen = (alive: number, offsetMs: number) => void

/** The row of this process: other processes see by it that this one is alive. */
export class ProcessRow {
  /** Random id of this process. */
  readonly id = crypto.randomUUID()
  readonly #statements: Statements
  readonly #timer: ReturnType<typeof setInterval>
  #beating: Promise<void> | undefined

  readonly #onSeen: OnSeen

  private constructor(statements: Statements, heartbeatMs: number, onSeen: OnSeen) {
    this.#statements = statements
    this.#onSeen = onSeen
    this.#timer = setInterval(() => this.#beat(), heartbeatMs)
    this.#timer.unref()
  }

  /** Writes the row. @throws what the database throws */
  static async open(
    statements: Statements,
    heartbeatMs = DEFAULT_HEARTBEAT_MS,
    onSeen: OnSeen = () => {},
  ): Promise<ProcessRow> {
    const row = new ProcessRow(statements, heartbeatMs, onSeen)
    try {
      await row.#seen()
      await statements.query(`DELETE FROM process WHERE seen_at < ${DATABASE_NOW} - ${FORGOTTEN_MS}`)
      return row
    } catch (error) {
      clearInterval(row.#timer)
      throw error
    }
  }

  /** Ends the heartbeats and deletes the row, when the database can be reached. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, CLOSE_MS)
    await Promise.race([this.#remove(), late.promise])
    clearTimeout(timer)
  }

  async #remove(): Promise<void> {
    await this.#beating
    // A row that stays counts for as long as a heartbeat does.
    await this.#statements.query('DELETE FROM process WHERE id = $1::text', [this.id]).catch(() => {})
  }

  #beat(): void {
    // The database is away: this process counts as dead until a later heartbeat arrives. Its requests report the trouble.
    this.#beating ??= this.#seen()
      .catch(() => {})
      .finally(() => {
        this.#beating = undefined
      })
  }

  async #seen(): Promise<void> {
    const sentAt = Date.now()
    const parameters = [this.id, program.version, FORMAT, hostname()]
    const [seen] = await this.#statements.query<{ now: number; alive: number }>(SEEN, parameters)
    // The database has looked at its clock between the two.
    if (seen !== undefined) this.#onSeen(seen.alive, (sentAt + Date.now()) / 2 - seen.now)
  }
}
