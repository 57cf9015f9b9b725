import { and, asc, desc, lt, lte, max, sql } from 'drizzle-orm'
import type { IdempotencyRecord } from '../../store.ts'
import type { BackgroundWork } from '../commit/participant.ts'
import type { Connection } from '../file/connection.ts'
import { note } from '../file/schema.ts'
import { defineStatements } from '../file/statements.ts'

/** Records removed in one step, and records saved between two looks for old ones. */
const TRIM_STEP = 512

export interface RecordRetention {
  /** Age up to which a record is kept, in milliseconds. */
  readonly noteAgeMs: number
  /** Maximum number of records; beyond it the oldest are removed before their time. */
  readonly maxNotes: number
}

export const defaultRecordRetention: RecordRetention = { noteAgeMs: 24 * 60 * 60 * 1000, maxNotes: 1_000_000 }

const statements = defineStatements({
  // Raw, because they run for every write with a key and Drizzle's prepared statements cost more.
  find: ({ client }) =>
    client.prepare<{ at: number; text: string }, [string]>('SELECT at, text FROM note WHERE key = ?'),
  save: ({ client }) =>
    client.prepare<unknown, [number, string, number, string]>(
      'INSERT OR REPLACE INTO note(seq, key, at, text) VALUES (?, ?, ?, ?)',
    ),
  oldest: ({ orm }) => orm.select({ seq: note.seq, at: note.at }).from(note).orderBy(asc(note.seq)).limit(1).prepare(),
  lastBefore: ({ orm }) =>
    orm
      .select({ seq: max(note.seq) })
      .from(note)
      .where(and(lte(note.seq, sql.placeholder('seq')), lt(note.at, sql.placeholder('at'))))
      .prepare(),
  removeUpTo: ({ orm }) =>
    orm
      .delete(note)
      .where(lte(note.seq, sql.placeholder('seq')))
      .prepare(),
})

/**
 * The idempotency records that jobs leave for later ones. They are read and saved in the transaction of the writer: a job
 * sees the records of the jobs before it, and a job that is rolled back leaves none.
 */
export class IdempotencyRecords implements BackgroundWork {
  readonly #statements
  readonly #retention: RecordRetention
  /** Time in milliseconds since 1970 to which `performance.now()` is added. */
  readonly #start: number
  #lastSeq: number
  #untrimmed = TRIM_STEP
  /** Whether the open transaction saved a record. */
  #hasSaved = false

  constructor(connection: Connection, retention: RecordRetention) {
    this.#statements = statements(connection)
    this.#retention = retention
    const last = connection.orm.select({ seq: note.seq, at: note.at }).from(note).orderBy(desc(note.seq)).limit(1).get()
    this.#lastSeq = last?.seq ?? 0
    // The clock of the machine may jump. That must neither remove a record early nor keep it for years.
    this.#start = Math.max(Date.now(), last?.at ?? 0) - performance.now()
  }

  /** Text of the record with a key; `undefined` for a record that is too old, removed or not. */
  text(key: string): string | undefined {
    const found = this.#statements.find.get(key)
    return found === null || found.at < this.#outdated ? undefined : found.text
  }

  save({ key, text }: IdempotencyRecord): void {
    this.#statements.save.run(++this.#lastSeq, key, this.#now, text)
    this.#untrimmed++
    this.#hasSaved = true
  }

  flush(): boolean {
    return this.#hasSaved
  }

  committed(): void {
    this.#hasSaved = false
  }

  rollback(): void {
    this.#hasSaved = false
  }

  get isDue(): boolean {
    return this.#untrimmed >= TRIM_STEP
  }

  /** Removes old records. */
  step(): boolean {
    const oldest = this.#statements.oldest.get()
    const first = oldest?.seq ?? this.#lastSeq + 1
    const end = first + TRIM_STEP - 1
    const outdated = this.#outdated
    const isAged = oldest !== undefined && oldest.at < outdated
    const aged = isAged ? (this.#statements.lastBefore.get({ seq: end, at: outdated })?.seq ?? 0) : 0
    const upTo = Math.min(end, Math.max(aged, this.#lastSeq - this.#retention.maxNotes))
    if (upTo >= first) this.#statements.removeUpTo.run({ seq: upTo })
    if (upTo < end) this.#untrimmed = 0
    return upTo >= first
  }

  get #now(): number {
    return Math.floor(this.#start + performance.now())
  }

  /** Time before which records are too old. */
  get #outdated(): number {
    return this.#now - this.#retention.noteAgeMs
  }
}
