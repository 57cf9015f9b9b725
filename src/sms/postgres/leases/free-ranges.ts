import { firstOffered, joinRanges, type SeqRange, sortRanges } from '../../model/final-seq.ts'
import type { Statements, Tables } from '../tables.ts'

/** Rows read, and ranges looked at, with one statement. */
const PAGE = 1000
const END = Number.MAX_SAFE_INTEGER
/** Separate returned ranges that are kept; nearly always there is one. */
const MAX_RANGES = 10_000

const RETURNED =
  'SELECT h.first_seq::float8 AS first, h.last_seq::float8 AS last FROM sms_handover h WHERE h.tree = $1::int ' +
  'AND h.first_seq >= coalesce((SELECT p.first_seq FROM sms_handover p WHERE p.tree = $1::int AND p.first_seq <= $2::bigint ' +
  `ORDER BY p.first_seq DESC LIMIT 1), $2::bigint) ORDER BY h.first_seq LIMIT ${PAGE}`

const WITH_STATES =
  'SELECT s.first::float8 AS first, s.last::float8 AS last ' +
  'FROM unnest($2::bigint[], $3::bigint[]) WITH ORDINALITY AS s(first, last, n) ' +
  'WHERE (SELECT f.seq FROM sms_final f WHERE f.tree = $1::int AND f.seq >= s.first AND f.seq <= s.last ' +
  'ORDER BY f.seq LIMIT 1) IS NOT NULL ORDER BY s.n LIMIT 1'

/**
 * Finds final states that are neither returned nor leased. A state that becomes final later has a greater number, so none is ever
 * added within a range that is taken. What was returned once stays so: it is remembered, and read once.
 */
export class FreeRanges {
  readonly #tree: number
  readonly #leased: string
  readonly #clock: Tables['clock']
  /** In order; adjacent ranges are joined. */
  #returned: SeqRange[] = []

  constructor({ tree, clock, isAlive }: Tables) {
    this.#tree = tree
    this.#clock = clock
    this.#leased =
      'SELECT l.first_seq::float8 AS first, l.last_seq::float8 AS last FROM sms_lease l ' +
      `WHERE l.tree = $1::int AND l.last_seq >= $2::bigint AND ${isAlive('l.process')} ORDER BY l.first_seq`
  }

  /**
   * The first free range that holds a final state, of the last 24 hours of the clock of the database.
   * @param after sequence number after which to begin
   * @returns the last range has no end
   */
  async first({ query }: Statements, after = 0): Promise<SeqRange | undefined> {
    let from = Math.max(firstOffered(this.#clock.now), after + 1)
    const leased = await query<SeqRange>(this.#leased, [this.#tree, from])
    for (;;) {
      from = this.#skipReturned(from)
      const page = await query<SeqRange>(RETURNED, [this.#tree, from])
      this.#remember(page)
      const end = page.length < PAGE ? END : (page.at(-1)?.last ?? END)
      const free = [...freeWithin(from, end, [...this.#returned, ...page, ...leased])]
      const found = await this.#firstWithState({ query }, free)
      if (found !== undefined || end === END) return found
      from = end + 1
    }
  }

  #skipReturned(from: number): number {
    const known = this.#returned.find(({ first, last }) => first <= from && from <= last)
    return known === undefined ? from : known.last + 1
  }

  #remember(page: readonly SeqRange[]): void {
    this.#returned = joinRanges([...this.#returned, ...page]).slice(-MAX_RANGES)
  }

  async #firstWithState({ query }: Statements, free: readonly SeqRange[]): Promise<SeqRange | undefined> {
    for (let from = 0; from < free.length; from += PAGE) {
      const some = free.slice(from, from + PAGE)
      const columns = [some.map(({ first }) => first), some.map(({ last }) => last)]
      const [found] = await query<SeqRange>(WITH_STATES, [this.#tree, ...columns])
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** Ranges from `from` to `end` without those that are taken, in order. */
function* freeWithin(from: number, end: number, taken: readonly SeqRange[]): Generator<SeqRange> {
  let first = from
  for (const range of sortRanges(taken)) {
    if (range.last < first) continue
    if (range.first > end) break
    if (range.first > first) yield { first, last: range.first - 1 }
    first = range.last + 1
  }
  if (first <= end) yield { first, last: end }
}
