import { and, asc, eq, gte, lte, max, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { StatusRecord } from '../format/record-text.ts'
import { seqOf } from '../model/final-seq.ts'
import { final, handover } from './schema.ts'
import { bound, perConnection } from './tables.ts'

/** Numbers from one to another, those of both among them. */
export interface Stretch {
  readonly first: number
  readonly last: number
}

/** A final state in the order in which they became known. */
export interface Final extends StatusRecord {
  readonly seq: number
}

/** Final states read at a stretch: a millisecond or two. */
const PAGE = 1000

const statements = perConnection((orm) => ({
  last: orm
    .select({ seq: max(final.seq) })
    .from(final)
    .prepare(),
  firstOfLast: orm
    .select({ seq: max(handover.firstSeq) })
    .from(handover)
    .prepare(),
  handover: orm
    .select({ seq: handover.lastSeq })
    .from(handover)
    .where(eq(handover.firstSeq, bound('first')))
    .prepare(),
  add: orm
    .insert(final)
    .values({
      seq: sql.placeholder('seq'),
      rrid: sql.placeholder('rrid'),
      mobile: sql.placeholder('mobile'),
      status: sql.placeholder('status'),
      code: sql.placeholder('code'),
      receivedAt: sql.placeholder('receivedAt'),
    })
    .prepare(),
  between: orm
    .select()
    .from(final)
    .where(and(gte(final.seq, bound('first')), lte(final.seq, bound('last'))))
    .orderBy(asc(final.seq))
    .limit(PAGE)
    .prepare(),
}))

/** Numbers final states in the order in which they become known; used by the one connection that writes. */
export class Finals {
  #last: number | undefined

  /** Keeps a final state for the batch query. @returns its number */
  add(orm: BunSQLiteDatabase, record: StatusRecord, now: number): number {
    // A transaction that is taken back leaves a gap, and nobody minds.
    this.#last = Math.max(seqOf(now), (this.#last ?? lastSeq(orm)) + 1)
    statements(orm).add.run({ ...record, seq: this.#last })
    return this.#last
  }
}

/** The greatest number that was given out, also when its row is gone. */
function lastSeq(orm: BunSQLiteDatabase): number {
  const { last, firstOfLast, handover } = statements(orm)
  const first = firstOfLast.get()?.seq ?? 0
  return Math.max(last.get()?.seq ?? 0, handover.get({ first })?.seq ?? 0)
}

/** The final states of a stretch, in order, at most `PAGE` of them. */
export function finalsBetween(orm: BunSQLiteDatabase, { first, last }: Stretch): readonly Final[] {
  return statements(orm).between.all({ first, last })
}
