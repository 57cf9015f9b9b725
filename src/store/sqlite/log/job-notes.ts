import { and, asc, desc, lt, lte, max, sql } from 'drizzle-orm'
import type { IdempotencyRecord } from '../../store.ts'
import type { Connection } from '../file/connection.ts'
import { note } from '../file/schema.ts'

/** Notes removed at a time, and kept between two looks, when trimming. */
const TRIM_STEP = 512

export interface NoteRetention {
  /** Age up to which a note is kept, in milliseconds. */
  readonly noteAgeMs: number
  /** Notes kept at the most; beyond that the oldest go before their time. */
  readonly maxNotes: number
}

export const defaultNotes: NoteRetention = { noteAgeMs: 24 * 60 * 60 * 1000, maxNotes: 1_000_000 }

/**
 * The notes that jobs leave for later ones. Runs inside the writer's transaction, so a job sees those of the jobs before
 * it, and one that is rolled back leaves none.
 */
export class Notes {
  readonly #retention: NoteRetention
  readonly #find
  readonly #save
  readonly #oldest
  readonly #lastBefore
  readonly #removeUpTo
  /** What the time since the start of the process is added to. */
  readonly #start: number
  #lastSeq: number
  #untrimmed = TRIM_STEP

  constructor({ client, orm }: Connection, retention: NoteRetention) {
    this.#retention = retention
    const [seq, at] = [sql.placeholder('seq'), sql.placeholder('at')]
    // Raw, because they run for every write that may come again and Drizzle's prepared statements cost more.
    this.#find = client.prepare<{ at: number; text: string }, [string]>('SELECT at, text FROM note WHERE key = ?')
    this.#save = client.prepare<unknown, [number, string, number, string]>(
      'INSERT OR REPLACE INTO note(seq, key, at, text) VALUES (?, ?, ?, ?)',
    )
    this.#oldest = orm.select({ seq: note.seq, at: note.at }).from(note).orderBy(asc(note.seq)).limit(1).prepare()
    this.#lastBefore = orm
      .select({ seq: max(note.seq) })
      .from(note)
      .where(and(lte(note.seq, seq), lt(note.at, at)))
      .prepare()
    this.#removeUpTo = orm.delete(note).where(lte(note.seq, seq)).prepare()
    const last = orm.select({ seq: note.seq, at: note.at }).from(note).orderBy(desc(note.seq)).limit(1).get()
    this.#lastSeq = last?.seq ?? 0
    // The clock of the machine may jump. A note must neither go before its time nor stay for years because of that.
    this.#start = Math.max(Date.now(), last?.at ?? 0) - performance.now()
  }

  /** Number of the latest one, also when it was taken back. */
  get lastSeq(): number {
    return this.#lastSeq
  }

  /** What is kept under a key; nothing when it is too old, whether it is removed yet or not. */
  text(key: string): string | undefined {
    const found = this.#find.get(key)
    return found === null || found.at < this.#outdated ? undefined : found.text
  }

  keep({ key, text }: IdempotencyRecord): void {
    this.#save.run(++this.#lastSeq, key, this.#now, text)
    this.#untrimmed++
  }

  /** Whether `trim` has something to look at. */
  get moreToTrim(): boolean {
    return this.#untrimmed >= TRIM_STEP
  }

  /** Removes old notes, a bounded number a call. @returns whether there were any */
  trim(): boolean {
    if (!this.moreToTrim) return false
    const oldest = this.#oldest.get()
    const first = oldest?.seq ?? this.#lastSeq + 1
    const end = first + TRIM_STEP - 1
    const outdated = this.#outdated
    const isAged = oldest !== undefined && oldest.at < outdated
    const aged = isAged ? (this.#lastBefore.get({ seq: end, at: outdated })?.seq ?? 0) : 0
    const upTo = Math.min(end, Math.max(aged, this.#lastSeq - this.#retention.maxNotes))
    if (upTo >= first) this.#removeUpTo.run({ seq: upTo })
    if (upTo < end) this.#untrimmed = 0
    return upTo >= first
  }

  get #now(): number {
    return Math.floor(this.#start + performance.now())
  }

  /** What is older than this is not known any more. */
  get #outdated(): number {
    return this.#now - this.#retention.noteAgeMs
  }
}
