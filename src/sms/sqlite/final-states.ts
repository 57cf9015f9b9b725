import { and, asc, eq, gte, lte, max } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { StatusRecord } from '../format/record-text.ts'
import { nextSeq, type SeqRange } from '../model/final-seq.ts'
import type { State } from '../model/report.ts'
import { final, handover } from './schema.ts'
import { bound, inserting, perConnection } from './tables.ts'

/** A final state and its sequence number. */
export interface FinalState extends StatusRecord {
  readonly seq: number
  readonly receivedAt: number
}

type FinalRow = [seq: number, status: State, mobile: string, rrid: string, code: string, receivedAt: number]

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
  add: inserting(orm, final, ['seq', 'rrid', 'mobile', 'status', 'code', 'receivedAt']),
  between: orm
    .select({
      seq: final.seq,
      status: final.status,
      mobile: final.mobile,
      rrid: final.rrid,
      code: final.code,
      receivedAt: final.receivedAt,
    })
    .from(final)
    .where(and(gte(final.seq, bound('first')), lte(final.seq, bound('last'))))
    .orderBy(asc(final.seq))
    .limit(PAGE)
    .prepare(),
}))

/** Numbers final states in the order in which they become known. Used by the one connection that writes. */
export class FinalNumbers {
  #last: number | undefined

  /** @returns the sequence number of the next final state */
  next(orm: BunSQLiteDatabase, now: number): number {
    // A transaction that is rolled back leaves a gap, which does no harm.
    this.#last = nextSeq(this.#last ?? lastSeq(orm), now)
    return this.#last
  }
}

/** Stores final states for the batch query. */
export function addFinalStates(orm: BunSQLiteDatabase, states: readonly FinalState[]): void {
  statements(orm).add(states)
}

/** Greatest sequence number ever used, even when its row is deleted. */
function lastSeq(orm: BunSQLiteDatabase): number {
  const { last, firstOfLast, returned } = statements(orm)
  const first = firstOfLast.get()?.seq ?? 0
  return Math.max(last.get()?.seq ?? 0, returned.get({ first })?.seq ?? 0)
}

/** Final states of a range, in order, at most `PAGE` of them. */
export function finalStatesIn(orm: BunSQLiteDatabase, { first, last }: SeqRange): readonly FinalState[] {
  // Raw rows: Drizzle takes longer to make the objects than SQLite to read them.
  const rows = statements(orm).between.values({ first, last }) as FinalRow[]
  return rows.map(([seq, status, mobile, rrid, code, receivedAt]) => {
    return { seq, status, mobile, rrid, code, receivedAt }
  })
}
