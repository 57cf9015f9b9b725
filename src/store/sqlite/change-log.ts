import { asc, desc, gt, lte, sql } from 'drizzle-orm'
import type { Change } from '../../tree/change.ts'
import { formatPath, parsePath } from '../../tree/path.ts'
import { type JsonText, printWithin } from '../../tree/print.ts'
import type { Write } from '../../tree/write.ts'
import type { Commit, LoggedChange } from '../store.ts'
import type { Connection } from './connection.ts'
import { change } from './schema.ts'

/** Longest text of one change that is kept, in UTF-16 code units; what is longer can be read from the tree. */
const MAX_DATA_LENGTH = 16_384
/** Entries looked at, and appended between two looks, when trimming. */
const TRIM_STEP = 512

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
  readonly #append
  readonly #oldest
  readonly #removeUpTo
  #lastSeq: number
  #lastAt: number
  #untrimmed = TRIM_STEP

  constructor({ client, orm }: Connection, retention: LogRetention) {
    this.#retention = retention
    // Raw, because it runs for every commit and Drizzle's prepared insert costs more.
    this.#append = client.prepare<unknown, [number, number, string, string, string | null]>(
      'INSERT INTO change(seq, at, kind, path, data) VALUES (?, ?, ?, ?, ?)',
    )
    this.#oldest = orm
      .select({ seq: change.seq, at: change.at })
      .from(change)
      .orderBy(asc(change.seq))
      .limit(TRIM_STEP)
      .prepare()
    this.#removeUpTo = orm
      .delete(change)
      .where(lte(change.seq, sql.placeholder('seq')))
      .prepare()
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
  }

  /** @param texts stored text of each write's value, where the writer has printed it already */
  append(made: Change, at: number, texts: readonly (JsonText | undefined)[]): Commit {
    const seq = this.#lastSeq + 1
    this.#append.run(seq, at, made.kind, formatPath(made.path), dataOf(made, texts) ?? null)
    this.#lastSeq = seq
    this.#lastAt = at
    this.#untrimmed++
    return { ...made, seq, at }
  }

  /** Whether `trim` has something to look at. */
  get moreToTrim(): boolean {
    return this.#untrimmed >= TRIM_STEP
  }

  /** Removes old entries, a bounded number a call. @returns whether there were any */
  trim(now: number): boolean {
    if (!this.moreToTrim) return false
    const { maxChanges, maxAgeMs } = this.#retention
    const isOutdated = ({ seq, at }: { seq: number; at: number }) =>
      seq < this.#lastSeq && (seq <= this.#lastSeq - maxChanges || at < now - maxAgeMs)
    // Nearly always the oldest entry tells that there is nothing to do.
    const oldest = this.#oldest.get()
    const outdated = oldest !== undefined && isOutdated(oldest) ? this.#oldest.all().filter(isOutdated) : []
    const last = outdated.at(-1)
    if (last !== undefined) this.#removeUpTo.run({ seq: last.seq })
    if (outdated.length < TRIM_STEP) this.#untrimmed = 0
    return last !== undefined
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
  readonly #first

  constructor({ orm }: Connection) {
    this.#after = orm
      .select()
      .from(change)
      .where(gt(change.seq, sql.placeholder('seq')))
      .orderBy(asc(change.seq))
      .limit(sql.placeholder('limit'))
      .prepare()
    this.#first = orm.select({ seq: change.seq }).from(change).orderBy(asc(change.seq)).limit(1).prepare()
  }

  /** Entries after `seq`, or `undefined` when some of them have been trimmed. */
  after(seq: number, limit: number, lastSeq: number): readonly LoggedChange[] | undefined {
    const first = this.#first.get()?.seq ?? lastSeq + 1
    if (seq < first - 1) return undefined
    return this.#after.all({ seq, limit }).map(({ path, data, ...entry }) => ({
      ...entry,
      path: parsePath(path),
      data: data ?? undefined,
    }))
  }
}
