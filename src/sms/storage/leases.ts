import { asc, gte, lte, max, min, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { firstOffered } from '../model/final-seq.ts'
import type { Stretch } from './finals.ts'
import { final, handover } from './schema.ts'
import { bound, perConnection, type Tables } from './tables.ts'

/** Stretches read at once. */
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

/** Keeps for good what was handed over at once. */
export function addHandovers(orm: BunSQLiteDatabase, stretches: readonly Stretch[], returnedAt: number): void {
  for (const { first, last } of joined(stretches)) statements(orm).add.run({ first, last, returnedAt })
}

/**
 * Which final states have been handed over, or are on their way: disjoint stretches of their numbers. A state that
 * becomes known later has a greater number, so nothing comes to stand within a stretch.
 */
export class Leases {
  /** In order; those that touch are one. */
  #returned: Stretch[] = []
  #loading: Promise<void> | undefined
  #leased: Stretch[] = []

  /**
   * Learns which of the final states that are there were handed over before this process began. Nothing is leased before
   * that. Age does not matter: the clock may be put back.
   */
  load(tables: Tables): Promise<void> {
    this.#loading ??= this.#load(tables)
    return this.#loading
  }

  async #load(tables: Tables): Promise<void> {
    try {
      let page = await tables.read(firstHandedOver)
      while (page.length > 0) {
        this.#returned = joined([...this.#returned, ...page])
        const first = (page.at(-1)?.last ?? 0) + 1
        await new Promise(setImmediate)
        page = await tables.read((orm) => handedOver(orm, first))
      }
    } catch (error) {
      this.#loading = undefined
      throw error
    }
  }

  /**
   * Stretches that nobody has been given, in order; the last one has no end.
   * @param after the number behind which to begin
   */
  *free(now: number, after = 0): Generator<Stretch> {
    let first = Math.max(firstOffered(now), after + 1)
    for (const taken of this.#taken()) {
      if (taken.last < first) continue
      if (taken.first > first) yield { first, last: taken.first - 1 }
      first = taken.last + 1
    }
    yield { first, last: END }
  }

  /** From now on nobody else is given it. */
  lease(stretch: Stretch): Stretch {
    this.#leased.push(stretch)
    return stretch
  }

  release(stretches: readonly Stretch[]): void {
    this.#leased = this.#leased.filter((leased) => !stretches.includes(leased))
  }

  /** They have been handed over, durably. */
  return(stretches: readonly Stretch[]): void {
    this.release(stretches)
    this.#returned = joined([...this.#returned, ...stretches])
  }

  #taken(): readonly Stretch[] {
    return inOrder([...this.#returned, ...this.#leased])
  }
}

/** From the one on that has the oldest final state. */
// biome-ignore lint/correctness/useYield: three looks
function* firstHandedOver(orm: BunSQLiteDatabase): Generator<void, readonly Stretch[]> {
  const { oldest, at, from } = statements(orm)
  const seq = oldest.get()?.seq ?? undefined
  return seq === undefined ? [] : from.all({ first: at.get({ seq })?.first ?? seq })
}

// biome-ignore lint/correctness/useYield: a page is one look
function* handedOver(orm: BunSQLiteDatabase, first: number): Generator<void, readonly Stretch[]> {
  return statements(orm).from.all({ first })
}

function inOrder(stretches: readonly Stretch[]): readonly Stretch[] {
  return stretches.toSorted((left, right) => left.first - right.first)
}

/** The same numbers in as few stretches as possible. */
function joined(stretches: readonly Stretch[]): Stretch[] {
  const few: Stretch[] = []
  for (const { first, last } of inOrder(stretches)) {
    const before = few.at(-1)
    if (before !== undefined && before.last + 1 >= first)
      few[few.length - 1] = { first: before.first, last: Math.max(before.last, last) }
    else few.push({ first, last })
  }
  return few
}
