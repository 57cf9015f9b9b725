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
import { longString } from '../../rows/chunked-text.ts'
import type { Commit, LoggedChange, LogRange } from '../../store.ts'
import type { BackgroundWork, OpenTransaction } from '../commit/participant.ts'
import type { Connection } from '../file/connection.ts'
import { change } from '../file/schema.ts'
import { defineStatements } from '../file/statements.ts'

/** Maximum length of the stored data of one change, in UTF-16 code units. Longer data is not stored: readers get it from the tree. */
const MAX_DATA_LENGTH = 16_384
/** Entries removed in one step, and entries appended between two looks for old ones. */
const TRIM_STEP = 512
/** Maximum entries of one row, and length of their data in UTF-16 code units from which the next entry starts a new row. */
const GROUP_ENTRIES = 64
const GROUP_LENGTH = 65_536
/** Rows read at a time. */
const PAGE_ROWS = 4
/** Maximum rows of one range. */
const RANGE_ROWS = 32
/** Length of data that ends a range, in UTF-16 code units. */
const RANGE_LENGTH = 262_144

export interface LogRetention {
  /** Maximum number of entries. */
  readonly maxChanges: number
  /** Age up to which an entry is kept, in milliseconds. */
  readonly maxAgeMs: number
}

export const defaultRetention: LogRetention = { maxChanges: 10_000, maxAgeMs: 24 * 60 * 60 * 1000 }

const SEQ = sql.placeholder('seq')

const logStatements = defineStatements({
  // Raw, because it runs in every transaction and Drizzle's prepared insert costs more.
  write: ({ client }) =>
    client.prepare<unknown, [number, number, string, string, string | null]>(
      'INSERT OR REPLACE INTO change(SEQ, at, kind, path, data) VALUES (?, ?, ?, ?, ?)',
    ),
  oldest: ({ orm }) =>
    orm
      .select({ seq: change.seq, at: change.at, kind: change.kind, path: change.path })
      .from(change)
      .orderBy(asc(change.seq))
      .limit(1)
      .prepare(),
  row: ({ orm }) => orm.select().from(change).where(eq(change.seq, SEQ)).prepare(),
  lastBefore: ({ orm }) =>
    orm
      .select({ seq: max(change.seq) })
      .from(change)
      .where(and(lte(change.seq, SEQ), lt(change.at, sql.placeholder('at'))))
      .prepare(),
  removeBefore: ({ orm }) => orm.delete(change).where(lt(change.seq, SEQ)).prepare(),
})

/** Appends every commit to the table `change` and removes old entries by count and age, in the transaction of the writer. */
export class ChangeLog implements BackgroundWork {
  readonly #statements
  readonly #retention: LogRetention
  /** Entries of the open transaction that have no row yet. */
  #pending: LogEntry[] = []
  #pendingLength = 0
  #lastSeq: number
  /** Last entry of a committed transaction. */
  #committedSeq: number
  #lastAt: number
  #untrimmed = TRIM_STEP

  constructor(connection: Connection, retention: LogRetention) {
    this.#statements = logStatements(connection)
    this.#retention = retention
    const last = connection.orm.select().from(change).orderBy(desc(change.seq)).limit(1).get()
    this.#lastSeq = last?.seq ?? 0
    this.#committedSeq = this.#lastSeq
    this.#lastAt = last?.at ?? 0
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  /** Time of the last entry. No later commit has an earlier time. */
  get lastAt(): number {
    return this.#lastAt
  }

  committed(): void {
    this.#committedSeq = this.#lastSeq
  }

  rollback(): void {
    this.#lastSeq = this.#committedSeq
    this.#pending = []
    this.#pendingLength = 0
  }

  /**
   * @param at the same for all commits of a transaction
   * @param texts stored text of each write's value, where the writer has printed it already
   */
  append(made: Change, at: number, texts: readonly (JsonText | undefined)[]): Commit {
    const data = dataOf(made, texts) ?? null
    const seq = this.#lastSeq + 1
    this.#pending.push({ kind: made.kind, path: formatPath(made.path), data })
    this.#pendingLength += data?.length ?? 0
    this.#lastSeq = seq
    this.#lastAt = at
    this.#untrimmed++
    if (this.#pending.length >= GROUP_ENTRIES || this.#pendingLength >= GROUP_LENGTH) this.#writeRow()
    return { ...made, seq, at }
  }

  flush(): boolean {
    this.#writeRow()
    return this.#lastSeq !== this.#committedSeq
  }

  #writeRow(): void {
    const [first, ...others] = this.#pending
    if (first === undefined) return
    this.#put(rowOf([first, ...others], this.#lastSeq, this.#lastAt))
    this.#pending = []
    this.#pendingLength = 0
  }

  get isDue(): boolean {
    return this.#untrimmed >= TRIM_STEP
  }

  /** Removes old entries. */
  step({ now }: Pick<OpenTransaction, 'now'>): boolean {
    const oldest = this.#statements.oldest.get()
    const first = oldest === undefined ? this.#lastSeq : firstSeqOf(oldest)
    const { maxChanges, maxAgeMs } = this.#retention
    const outdated = now - maxAgeMs
    // Nearly always the oldest entry is young enough, so that no other is examined.
    const isAged = oldest !== undefined && oldest.at < outdated
    const aged = isAged ? (this.#statements.lastBefore.get({ seq: first + TRIM_STEP, at: outdated })?.seq ?? 0) : 0
    const wanted = Math.min(this.#lastSeq, Math.max(this.#lastSeq - maxChanges, aged) + 1)
    const keepFrom = Math.min(wanted, first + TRIM_STEP)
    if (keepFrom > first) this.#removeUpTo(keepFrom)
    if (keepFrom < first + TRIM_STEP) this.#untrimmed = 0
    return keepFrom > first
  }

  #removeUpTo(keepFrom: number): void {
    this.#statements.removeBefore.run({ seq: keepFrom })
    const oldest = this.#statements.oldest.get()
    if (oldest === undefined || firstSeqOf(oldest) >= keepFrom) return
    const row = this.#statements.row.get({ seq: oldest.seq })
    if (row !== undefined) this.#put(cutRow(row, keepFrom))
  }

  #put({ seq, at, kind, path, data }: ChangeRow): void {
    this.#statements.write.run(seq, at, kind, path, data)
  }
}

/** Stored text of a put's value, or an object of relative paths for a patch; `undefined` if it is too long. */
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
  const { value } = write
  if (value === undefined) return 'null'
  // Printing a long leaf takes long, whatever the bound.
  return longString(value, MAX_DATA_LENGTH) === undefined ? printWithin(value, MAX_DATA_LENGTH) : undefined
}

const readerStatements = defineStatements({
  // SQLite does not read the data, which is the last column, for these.
  heads: ({ orm }) =>
    orm
      .select({ seq: change.seq, at: change.at, kind: change.kind, path: change.path })
      .from(change)
      .where(gt(change.seq, SEQ))
      .orderBy(asc(change.seq))
      .limit(RANGE_ROWS)
      .prepare(),
  row: ({ orm }) => orm.select().from(change).where(eq(change.seq, SEQ)).prepare(),
  after: ({ orm }) =>
    orm.select().from(change).where(gt(change.seq, SEQ)).orderBy(asc(change.seq)).limit(PAGE_ROWS).prepare(),
  first: ({ orm }) =>
    orm
      .select({ seq: change.seq, kind: change.kind, path: change.path })
      .from(change)
      .orderBy(asc(change.seq))
      .limit(1)
      .prepare(),
})

/** Reads the change log on the connection of a reader. */
export class ChangeLogReader {
  readonly #statements

  constructor(connection: Connection) {
    this.#statements = readerStatements(connection)
  }

  /** A range of entries after `seq`, with those near some paths; `undefined` if some of it was removed. */
  near(seq: number, paths: readonly Path[], lastSeq: number): LogRange | undefined {
    if (this.#isTrimmed(seq, lastSeq)) return undefined
    const texts = paths.map(formatPath)
    const changes: LoggedChange[] = []
    const heads = this.#statements.heads.all({ seq })
    let length = 0
    let upTo = seq
    for (const head of heads) {
      upTo = head.seq
      if (!isRowNear(head, texts)) continue
      const row = this.#statements.row.get({ seq: head.seq })
      if (row === undefined) continue
      length += row.data?.length ?? 0
      // The first row may begin before `seq`.
      const wanted = changesOf(row).filter((logged) => logged.seq > seq && isNearAny(formatPath(logged.path), texts))
      changes.push(...wanted)
      if (length > RANGE_LENGTH) break
    }
    return { changes, seq: upTo, begunAt: heads[0]?.at, length, isLast: upTo === lastSeq || heads.length === 0 }
  }

  /** Entries after `seq`; `undefined` if some of them were removed. */
  after(seq: number, limit: number, lastSeq: number): readonly LoggedChange[] | undefined {
    if (this.#isTrimmed(seq, lastSeq)) return undefined
    const changes: LoggedChange[] = []
    for (let from = seq; changes.length < limit; ) {
      const rows = this.#statements.after.all({ seq: from })
      // The first row may begin before `seq`.
      for (const row of rows) changes.push(...changesOf(row).filter((logged) => logged.seq > seq))
      const last = rows.at(-1)
      if (last === undefined || rows.length < PAGE_ROWS) break
      from = last.seq
    }
    return changes.slice(0, limit)
  }

  #isTrimmed(seq: number, lastSeq: number): boolean {
    const first = this.#statements.first.get()
    return seq < (first === undefined ? lastSeq : firstSeqOf(first) - 1)
  }
}
