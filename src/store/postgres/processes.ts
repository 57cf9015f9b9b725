import { hostname } from 'node:os'
import program from '../../../package.json' with { type: 'json' }
import type { Statements } from './connection/lane.ts'
import { newestVersion } from './schema/migrations.ts'

/** Time between two heartbeats, in milliseconds. */
const DEFAULT_HEARTBEAT_MS = 2000
/** Time after the last heartbeat for which a process counts as alive, in milliseconds of the clock of the database. */
export const ALIVE_MS = 12_000
/** Time without a heartbeat that was answered after which a process falls silent, in milliseconds of its own clock. */
const SILENT_MS = 8000
/** How often a process looks whether it must fall silent, in milliseconds. */
const CHECK_MS = 500
/** Time after the last heartbeat after which the row of a process is removed, in milliseconds. */
const FORGOTTEN_MS = 24 * 60 * 60 * 1000
/** Longest wait for the row to be deleted, in milliseconds. */
const CLOSE_MS = 2000
/** Version of what processes exchange through the tables. */
const FORMAT = 1

/** The clock of the database, in milliseconds since 1970. */
export const DATABASE_NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** @returns condition that the process of this id is alive. @param id an SQL expression */
export function isAlive(id: string): string {
  return `EXISTS (SELECT FROM process alive WHERE alive.id = ${id} AND alive.seen_at > ${DATABASE_NOW} - ${ALIVE_MS})`
}

/**
 * Writes the row, unless the tables need a program that knows more migrations, and counts those that are alive.
 * @param lock of the row of the installation
 */
const seen = (lock: '' | ' FOR SHARE') =>
  'WITH seen AS (' +
  'INSERT INTO process (id, version, format, host, started_at, seen_at, migrations) ' +
  `SELECT $1::text, $2::text, $3::smallint, $4::text, t.now, t.now, $5::int FROM (SELECT ${DATABASE_NOW} AS now) t, ` +
  `(SELECT least_version FROM installation${lock}) i WHERE i.least_version <= $5::int ` +
  'ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at RETURNING seen_at) ' +
  'SELECT seen.seen_at::float8 AS now, 1 + (SELECT count(*)::int FROM process other ' +
  `WHERE other.id <> $1::text AND other.seen_at > seen.seen_at - ${ALIVE_MS}) AS alive FROM seen`
const SEEN = seen('')
/** A migration that ends the use of the tables by older programs locks the row too: it sees this process, or is seen. */
const FIRST_SEEN = seen(' FOR SHARE')

/** The tables were changed so that this version of the program cannot use them any more. */
class TablesChanged extends Error {
  constructor() {
    super('the tables were changed for a later version of dhole: start that version')
  }
}

/** Times of a process, in milliseconds; all have defaults. */
export interface ProcessTimes {
  /** Time between two heartbeats. Default 2000. */
  readonly heartbeatMs?: number | undefined
  /** Time after which a process that hears nothing from the database falls silent. Default 8000. */
  readonly silentMs?: number | undefined
}

/** What a process learns from its heartbeats. */
export interface ProcessEvents {
  /** With each one: processes that are alive, and how far the clock of this one is ahead, in milliseconds. */
  onSeen?(alive: number, offsetMs: number): void
  /** This version of the program cannot use the tables any more: the process is silent from now on. */
  onOutdated?(error: Error): void
}

/**
 * The row of this process: other processes see by it that this one is alive. A process that has not heard from the database
 * for a while is silent: others may have stopped to wait for it, so what it knows may be outdated.
 */
export class ProcessRow {
  /** Random id of this process. */
  readonly id = crypto.randomUUID()
  readonly #statements: Statements
  readonly #silentMs: number
  readonly #timers: readonly ReturnType<typeof setInterval>[]
  readonly #onSilent = new Set<() => void>()
  readonly #onReturn = new Set<() => Promise<void>>()
  readonly #onHeard = new Set<() => void>()
  /** Time by `performance.now()` until which this process may send what it knows. */
  #until = Number.NEGATIVE_INFINITY
  /** Whether it must catch up before it sends anything. */
  #isBehind = false
  #beating: Promise<void> | undefined

  readonly #events: ProcessEvents

  private constructor(statements: Statements, { heartbeatMs, silentMs }: ProcessTimes, events: ProcessEvents) {
    this.#statements = statements
    this.#events = events
    this.#silentMs = silentMs ?? SILENT_MS
    this.#timers = [
      setInterval(() => this.#beat(), heartbeatMs ?? DEFAULT_HEARTBEAT_MS),
      setInterval(() => this.check(), Math.min(CHECK_MS, this.#silentMs / 2)),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  /** Writes the row. @throws what the database throws, and Error when a later version has changed the tables */
  static async open(statements: Statements, times: ProcessTimes = {}, events: ProcessEvents = {}): Promise<ProcessRow> {
    const row = new ProcessRow(statements, times, events)
    try {
      row.#until = (await row.#seen(FIRST_SEEN)) + row.#silentMs
      await statements.query(`DELETE FROM process WHERE seen_at < ${DATABASE_NOW} - ${FORGOTTEN_MS}`)
      return row
    } catch (error) {
      row.#stop()
      throw error
    }
  }

  /** Whether this process must send nothing to clients. */
  get isSilent(): boolean {
    return performance.now() > this.#until
  }

  /** Falls silent when it is time. Call it before clients learn what this process has applied. */
  check(): void {
    if (!this.#isBehind && this.isSilent) this.#fallSilent()
  }

  /** Called when this process falls silent. @returns ends that */
  onSilent(listener: () => void): () => void {
    this.#onSilent.add(listener)
    return () => this.#onSilent.delete(listener)
  }

  /** Work to do before this process sends anything again. When it fails, it is tried again. @returns ends that */
  onReturn(work: () => Promise<void>): () => void {
    this.#onReturn.add(work)
    return () => this.#onReturn.delete(work)
  }

  /** Called after each answered heartbeat, unless the process is silent. */
  onHeard(listener: () => void): void {
    this.#onHeard.add(listener)
  }

  /** Ends the heartbeats and deletes the row, when the database can be reached. */
  async close(): Promise<void> {
    this.#stop()
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

  #stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
  }

  #fallSilent(): void {
    this.#isBehind = true
    this.#until = Number.NEGATIVE_INFINITY
    for (const listener of this.#onSilent) listener()
  }

  #beat(): void {
    // The database is away: this process counts as dead until a later heartbeat arrives. Its requests report the trouble.
    this.#beating ??= this.#seen(SEEN)
      .then((sentAt) => this.#heard(sentAt))
      .catch((error) => this.#missed(error))
      .finally(() => {
        this.#beating = undefined
      })
  }

  #missed(error: unknown): void {
    if (!(error instanceof TablesChanged)) return
    this.#stop()
    if (!this.#isBehind) this.#fallSilent()
    this.#events.onOutdated?.(error)
  }

  async #heard(sentAt: number): Promise<void> {
    // It may have been stopped until now, without a chance to look at the time.
    this.check()
    if (this.#isBehind) {
      await Promise.all([...this.#onReturn].map((catchUp) => catchUp()))
      this.#isBehind = false
    }
    this.#until = sentAt + this.#silentMs
    if (!this.isSilent) for (const listener of this.#onHeard) listener()
  }

  /** @returns when the heartbeat was sent, by `performance.now()` */
  async #seen(text: string): Promise<number> {
    const [sentAt, sentAtOwnTime] = [performance.now(), Date.now()]
    const parameters = [this.id, program.version, FORMAT, hostname(), newestVersion()]
    const [seen] = await this.#statements.query<{ now: number; alive: number }>(text, parameters)
    if (seen === undefined) throw new TablesChanged()
    // The database has looked at its clock between the two.
    this.#events.onSeen?.(seen.alive, (sentAtOwnTime + Date.now()) / 2 - seen.now)
    return sentAt
  }
}
