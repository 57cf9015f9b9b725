import { asc, gte, lte, max, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { firstOffered } from './final-seq.ts'
import type { Stretch } from './finals.ts'
import { handover } from './schema.ts'
import { bound, perConnection, type Tables } from './tables.ts'

/** Stretches read at once. */
const PAGE = 1000
const END = Number.MAX_SAFE_INTEGER

const statements = perConnection((orm) => ({
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

/** Keeps for good that a stretch was handed over. */
export function addHandover(orm: BunSQLiteDatabase, { first, last }: Stretch, returnedAt: number): void {
  statements(orm).add.run({ first, last, returnedAt })
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

  /** Learns what was handed over before this process began. Nothing is leased before that. */
  load(tables: Tables): Promise<void> {
    this.#loading ??= this.#load(tables)
    return this.#loading
  }

  async #load(tables: Tables): Promise<void> {
    try {
      const from = firstOffered(Date.now())
      let page = await tables.read((orm) => handedOver(orm, statements(orm).at.get({ seq: from })?.first ?? from))
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

  /** Stretches that nobody has been given, in order; the last one has no end. */
  *free(now: number): Generator<Stretch> {
    let first = firstOffered(now)
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

  /** Less was found than was asked for. */
  shrink(stretch: Stretch, last: number): Stretch {
    this.release(stretch)
    return this.lease({ first: stretch.first, last })
  }

  release(stretch: Stretch): void {
    this.#leased = this.#leased.filter((leased) => leased !== stretch)
  }

  /** It has been handed over, durably. */
  return(stretch: Stretch): void {
    this.release(stretch)
    const oldest = firstOffered(Date.now())
    const young = this.#returned.filter(({ last }) => last >= oldest)
    this.#returned = joined([...young, stretch])
  }

  #taken(): readonly Stretch[] {
    return inOrder([...this.#returned, ...this.#leased])
  }
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
