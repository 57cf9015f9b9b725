import { and, asc, desc, eq, gt, lt, lte, max, sql } from 'drizzle-orm'
import type { Change } from '../../../tree/change.ts'
import { type JsonText, printWithin } from '../../../tree/json/print.ts'
import { formatPath, type Path } from '../../../tree/path.ts'
import type { Write } from '../../../tree/write.ts'
import {
  type ChangeRow,
  changesOf,
  cutRow,
  firstSeqOf,
  isNearAny,
  isRowNear,
  type LogEntry,
  rowOf,
} from '../../rows/change-row.ts'
import type { Commit, LoggedChange, LogRange } from '../../store.ts'
import type { Connection } from '../file/connection.ts'
import { change } from '../file/schema.ts'

/** Longest text of one change that is kept, in UTF-16 code units; what is longer can be read from the tree. */
const MAX_DATA_LENGTH = 16_384
/** Entries removed at a time, and appended between two looks, when trimming. */
const TRIM_STEP = 512
/** Entries, and length of their data in UTF-16 code units, from which on others get a row of their own. */
const GROUP_ENTRIES = 64
const GROUP_LENGTH = 65_536
/** Rows read at a time. */
const PAGE_ROWS = 4
/** Rows of a stretch that are looked at without their data. */
const RANGE_ROWS = 32
/** Length of data, in UTF-16 code units, that ends a stretch. */
const RANGE_LENGTH = 262_144

export interface LogRetention {
  /** Entries kept at the most. */
  readonly maxChanges: number
  /** Age up to which an entry is kept, in milliseconds. */
  readonly maxAgeMs: number
}

export const defaultRetention: LogRetention = { maxChanges: 10_000, maxAgeMs: 24 * 60 * 60 * 1000 }

/** Appends every commit to the table `change` and trims it by count and age. Runs inside the writer's transaction. */
export class ChangeLog {
  readonly #retention: LogRetention
  readonly #write
  readonly #oldest
  readonly #row
  readonly #lastBefore
  readonly #removeBefore
  /** Commits that have no row yet. */
  #waiting: LogEntry[] = []
  #waitingLength = 0
  #lastSeq: number
  #lastAt: number
  #untrimmed = TRIM_STEP

  constructor({ client, orm }: Connection, retention: LogRetention) {
    this.#retention = retention
    // Raw, because it runs in every transaction and Drizzle's prepared insert costs more.
    this.#write = client.prepare<unknown, [number, number, string, string, string | null]>(
      'INSERT OR REPLACE INTO change(seq, at, kind, path, data) VALUES (?, ?, ?, ?, ?)',
    )
    this.#oldest = orm
      .select({ seq: change.seq, at: change.at, kind: change.kind, path: change.path })
      .from(change)
      .orderBy(asc(change.seq))
      .limit(1)
      .prepare()
    const seq = sql.placeholder('seq')
    this.#row = orm.select().from(change).where(eq(change.seq, seq)).prepare()
    this.#lastBefore = orm
      .select({ seq: max(change.seq) })
      .from(change)
      .where(and(lte(change.seq, seq), lt(change.at, sql.placeholder('at'))))
      .prepare()
    this.#removeBefore = orm.delete(change).where(lt(change.seq, seq)).prepare()
    const last = orm.select().from(change).orderBy(desc(change.seq)).limit(1).get()
    this.#lastSeq = last?.seq ?? 0
    this.#lastAt = last?.at ?? 0
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  /** Time of the latest entry; a commit is never dated before it. */
  get lastAt(): number {
    return this.#lastAt
  }

  /** Takes back what a transaction that did not commit had appended. */
  rewind(seq: number): void {
    this.#lastSeq = seq
    this.#waiting = []
    this.#waitingLength = 0
  }

  /**
   * `flush` is to follow before the transaction commits.
   * @param at one for the whole transaction
   * @param texts stored text of each write's value, where the writer has printed it already
   */
  append(made: Change, at: number, texts: readonly (JsonText | undefined)[]): Commit {
    const data = dataOf(made, texts) ?? null
    const seq = this.#lastSeq + 1
    this.#waiting.push({ kind: made.kind, path: formatPath(made.path), data })
    this.#waitingLength += data?.length ?? 0
    this.#lastSeq = seq
    this.#lastAt = at
    this.#untrimmed++
    if (this.#waiting.length >= GROUP_ENTRIES || this.#waitingLength >= GROUP_LENGTH) this.flush()
    return { ...made, seq, at }
  }

  /** Writes what was appended. */
  flush(): void {
    const [first, ...others] = this.#waiting
    if (first === undefined) return
    this.#put(rowOf([first, ...others], this.#lastSeq, this.#lastAt))
    this.#waiting = []
    this.#waitingLength = 0
  }

  /** Whether `trim` has something to look at. */
  get moreToTrim(): boolean {
    return this.#untrimmed >= TRIM_STEP
  }

  /** Removes old entries, a bounded number a call. @returns whether there were any */
  trim(now: number): boolean {
    if (!this.moreToTrim) return false
    const oldest = this.#oldest.get()
    const first = oldest === undefined ? this.#lastSeq : firstSeqOf(oldest)
    const { maxChanges, maxAgeMs } = this.#retention
    const outdated = now - maxAgeMs
    // Nearly always the oldest entry tells that none is too old.
    const isAged = oldest !== undefined && oldest.at < outdated
    const aged = isAged ? (this.#lastBefore.get({ seq: first + TRIM_STEP, at: outdated })?.seq ?? 0) : 0
    const wanted = Math.min(this.#lastSeq, Math.max(this.#lastSeq - maxChanges, aged) + 1)
    const keepFrom = Math.min(wanted, first + TRIM_STEP)
    if (keepFrom > first) this.#removeUpTo(keepFrom)
    if (keepFrom < first + TRIM_STEP) this.#untrimmed = 0
    return keepFrom > first
  }

  #removeUpTo(keepFrom: number): void {
    this.#removeBefore.run({ seq: keepFrom })
    const oldest = this.#oldest.get()
    if (oldest === undefined || firstSeqOf(oldest) >= keepFrom) return
    const row = this.#row.get({ seq: oldest.seq })
    if (row !== undefined) this.#put(cutRow(row, keepFrom))
  }

  #put({ seq, at, kind, path, data }: ChangeRow): void {
    this.#write.run(seq, at, kind, path, data)
  }
}

/** Stored text of a put's value, or an object of relative paths for a patch; `undefined` when it is too long. */
function dataOf({ kind, path, writes }: Change, texts: readonly (JsonText | undefined)[]): JsonText | undefined {
  const members: string[] = []
  let length = 0
  for (const [index, write] of writes.entries()) {
    const text = texts[index] ?? textOf(write)
    if (text === undefined) return undefined
    const below = write.kind === 'priority' ? [...write.path, '.priority'] : write.path
    members.push(kind === 'put' ? text : `${JSON.stringify(below.slice(path.length).join('/'))}:${text}`)
    length += text.length
    if (length > MAX_DATA_LENGTH) return undefined
  }
  return kind === 'put' ? members[0] : `{${members.join(',')}}`
}

function textOf(write: Write): JsonText | undefined {
  if (write.kind === 'priority') return JSON.stringify(write.priority ?? null)
  return write.value === undefined ? 'null' : printWithin(write.value, MAX_DATA_LENGTH)
}

/** Reads the log through a reader's connection. */
export class ChangeLogReader {
  readonly #after
  readonly #heads
  readonly #row
  readonly #first

  constructor({ orm }: Connection) {
    const seq = sql.placeholder('seq')
    // Data stands last in a row: what is not asked for is not read.
    this.#heads = orm
      .select({ seq: change.seq, at: change.at, kind: change.kind, path: change.path })
      .from(change)
      .where(gt(change.seq, seq))
      .orderBy(asc(change.seq))
      .limit(RANGE_ROWS)
      .prepare()
    this.#row = orm.select().from(change).where(eq(change.seq, seq)).prepare()
    this.#after = orm
      .select()
      .from(change)
      .where(gt(change.seq, sql.placeholder('seq')))
      .orderBy(asc(change.seq))
      .limit(PAGE_ROWS)
      .prepare()
    this.#first = orm
      .select({ seq: change.seq, kind: change.kind, path: change.path })
      .from(change)
      .orderBy(asc(change.seq))
      .limit(1)
      .prepare()
  }

  /** A stretch after `seq` and its entries near some places, or `undefined` when some of it has been trimmed. */
  near(seq: number, places: readonly Path[], lastSeq: number): LogRange | undefined {
    if (this.#isTrimmed(seq, lastSeq)) return undefined
    const texts = places.map(formatPath)
    const changes: LoggedChange[] = []
    const heads = this.#heads.all({ seq })
    let length = 0
    let upTo = seq
    for (const head of heads) {
      upTo = head.seq
      if (!isRowNear(head, texts)) continue
      const row = this.#row.get({ seq: head.seq })
      if (row === undefined) continue
      length += row.data?.length ?? 0
      // The first row may begin before what is wanted.
      const wanted = changesOf(row).filter((logged) => logged.seq > seq && isNearAny(formatPath(logged.path), texts))
      changes.push(...wanted)
      if (length > RANGE_LENGTH) break
    }
    return { changes, seq: upTo, begunAt: heads[0]?.at, length, isLast: upTo === lastSeq || heads.length === 0 }
  }

  /** Entries after `seq`, or `undefined` when some of them have been trimmed. */
  after(seq: number, limit: number, lastSeq: number): readonly LoggedChange[] | undefined {
    if (this.#isTrimmed(seq, lastSeq)) return undefined
    const changes: LoggedChange[] = []
    for (let from = seq; changes.length < limit; ) {
      const rows = this.#after.all({ seq: from })
      // The first row may begin before what is wanted.
      for (const row of rows) changes.push(...changesOf(row).filter((logged) => logged.seq > seq))
      const last = rows.at(-1)
      if (last === undefined || rows.length < PAGE_ROWS) break
      from = last.seq
    }
    return changes.slice(0, limit)
  }

  #isTrimmed(seq: number, lastSeq: number): boolean {
    const first = this.#first.get()
    return seq < (first === undefined ? lastSeq : firstSeqOf(first) - 1)
  }
}
