import { asc, gte, lte, max, min, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { loopTurn } from '../../scheduling/loop-turn.ts'
import { atOnce } from '../../scheduling/steps.ts'
import { firstOffered, joinRanges, type SeqRange, sortRanges } from '../model/final-seq.ts'
import { final, handover } from './schema.ts'
import { bound, perConnection, type Tables } from './tables.ts'

/** Ranges read in one step. */
const PAGE = 1000
const END = Number.MAX_SAFE_INTEGER

const statements = perConnection((orm) => ({
  oldest: orm
    .select({ seq: min(final.seq) })
    .from(final)
    .prepare(),
  at: orm
    .select({ first: max(handover.firstSeq) })
    .from(handover)
    .where(lte(handover.firstSeq, bound('seq')))
    .prepare(),
  from: orm
    .select({ first: handover.firstSeq, last: handover.lastSeq })
    .from(handover)
    .where(gte(handover.firstSeq, bound('first')))
    .orderBy(asc(handover.firstSeq))
    .limit(PAGE)
    .prepare(),
  add: orm
    .insert(handover)
    .values({
      firstSeq: sql.placeholder('first'),
      lastSeq: sql.placeholder('last'),
      returnedAt: sql.placeholder('returnedAt'),
    })
    .prepare(),
}))

/** Stores ranges of final states as returned. */
export function addReturned(orm: BunSQLiteDatabase, ranges: readonly SeqRange[], returnedAt: number): void {
  for (const { first, last } of joinRanges(ranges)) statements(orm).add.run({ first, last, returnedAt })
}

/**
 * Which final states are returned or leased: disjoint ranges of their sequence numbers. A state that becomes final later
 * has a greater number, so none is ever added within a range.
 */
export class Leases {
  /** In order; adjacent ranges are joined. */
  #returned: SeqRange[] = []
  #loading: Promise<void> | undefined
  #leased: SeqRange[] = []

  /**
   * Reads which of the stored final states were returned before this process began. Must resolve before the first lease.
   * Old ranges count too: the clock may be set back.
   */
  load(tables: Tables): Promise<void> {
    this.#loading ??= this.#load(tables)
    return this.#loading
  }

  async #load(tables: Tables): Promise<void> {
    try {
      let page = await tables.read((orm) => atOnce(() => firstReturned(orm)))
      while (page.length > 0) {
        this.#returned = joinRanges([...this.#returned, ...page])
        const first = (page.at(-1)?.last ?? 0) + 1
        await loopTurn.pause()
        page = await tables.read((orm) => atOnce(() => statements(orm).from.all({ first })))
      }
    } catch (error) {
      this.#loading = undefined
      throw error
    }
  }

  /**
   * Ranges that are neither returned nor leased, in order; the last one has no end.
   * @param after sequence number after which to begin
   */
  *free(now: number, after = 0): Generator<SeqRange> {
    let first = Math.max(firstOffered(now), after + 1)
    for (const taken of sortRanges([...this.#returned, ...this.#leased])) {
      if (taken.last < first) continue
      if (taken.first > first) yield { first, last: taken.first - 1 }
      first = taken.last + 1
    }
    yield { first, last: END }
  }

  lease(range: SeqRange): SeqRange {
    this.#leased.push(range)
    return range
  }

  release(ranges: readonly SeqRange[]): void {
    this.#leased = this.#leased.filter((leased) => !ranges.includes(leased))
  }

  /** Turns leased ranges into returned ones, once that is durable. */
  return(ranges: readonly SeqRange[]): void {
    this.release(ranges)
    this.#returned = joinRanges([...this.#returned, ...ranges])
  }
}

/** Returned ranges from the one that holds the oldest final state. */
function firstReturned(orm: BunSQLiteDatabase): readonly SeqRange[] {
  const { oldest, at, from } = statements(orm)
  const seq = oldest.get()?.seq ?? undefined
  return seq === undefined ? [] : from.all({ first: at.get({ seq })?.first ?? seq })
}
