import { and, asc, eq, gte, lte, max, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { StatusRecord } from '../format/record-text.ts'
import { nextSeq, type SeqRange } from '../model/final-seq.ts'
import { final, handover } from './schema.ts'
import { bound, direct, perConnection } from './tables.ts'

/** A final state and its sequence number. */
interface FinalState extends StatusRecord {
  readonly seq: number
}

/** Final states read in one step: a millisecond or two. */
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
  returned: orm
    .select({ seq: handover.lastSeq })
    .from(handover)
    .where(eq(handover.firstSeq, bound('first')))
    .prepare(),
  add: direct(
    orm,
    orm.insert(final).values({
      seq: sql.placeholder('seq'),
      rrid: sql.placeholder('rrid'),
      mobile: sql.placeholder('mobile'),
      status: sql.placeholder('status'),
      code: sql.placeholder('code'),
      receivedAt: sql.placeholder('receivedAt'),
    }),
  ),
  between: orm
    .select()
    .from(final)
    .where(and(gte(final.seq, bound('first')), lte(final.seq, bound('last'))))
    .orderBy(asc(final.seq))
    .limit(PAGE)
    .prepare(),
}))

/** Numbers final states in the order in which they become known. Used by the one connection that writes. */
export class FinalStates {
  #last: number | undefined

  /** Stores a final state for the batch query. @returns its sequence number */
  add(orm: BunSQLiteDatabase, record: StatusRecord, now: number): number {
    // A transaction that is rolled back leaves a gap, which does no harm.
    this.#last = nextSeq(this.#last ?? lastSeq(orm), now)
    statements(orm).add.run({ ...record, seq: this.#last })
    return this.#last
  }
}

/** Greatest sequence number ever used, even when its row is deleted. */
function lastSeq(orm: BunSQLiteDatabase): number {
  const { last, firstOfLast, returned } = statements(orm)
  const first = firstOfLast.get()?.seq ?? 0
  return Math.max(last.get()?.seq ?? 0, returned.get({ first })?.seq ?? 0)
}

/** Final states of a range, in order, at most `PAGE` of them. */
export function finalStatesIn(orm: BunSQLiteDatabase, { first, last }: SeqRange): readonly FinalState[] {
  return statements(orm).between.all({ first, last })
}
