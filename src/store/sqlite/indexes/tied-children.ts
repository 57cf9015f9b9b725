import { DholeError } from '../../../error.ts'
import type { Range } from '../../../query/range.ts'
import { INDEXED_LENGTH } from '../../rows/chunked-text.ts'
import { isLong } from '../../rows/indexes/index-value.ts'
import type { EntryRow } from '../../rows/indexes/list-scan.ts'
import { type Budget, spend } from '../../rows/read-budget.ts'
import type { ChildRow } from '../../rows/slot.ts'
import type { Candidate, ExactOrder } from '../query/exact-order.ts'
import { TEXT_LIMIT } from './text-limit.ts'

/** Children above twice the limit of which the last ones are left out. */
const PRUNED_ABOVE = 512
/** Rows looked up between two pauses. */
const STEP_ROWS = 8

/** Children whose entries in an index have the same cut text, or a single child. */
export class TiedChildren {
  readonly #order: ExactOrder
  readonly #descending: boolean
  #first: EntryRow | undefined
  #candidates: readonly Candidate[] = []

  constructor(order: ExactOrder, descending: boolean) {
    this.#order = order
    this.#descending = descending
  }

  /** Whether an entry belongs to these children. */
  includes({ kind, sorted }: EntryRow): boolean {
    return this.#first === undefined || (isLong({ kind, value: sorted }, TEXT_LIMIT) && this.#first.sorted === sorted)
  }

  /**
   * Adds a child, if it lies in the range.
   * @param limit number of children that are wanted
   * @param room longest text of all that are wanted, in UTF-16 code units
   * @throws `read-too-big`
   */
  *add(entry: EntryRow, range: Range, limit: number, room: number): Generator<void, void> {
    this.#first ??= entry
    const candidate = this.#order.candidate(entry)
    if (!(yield* this.#order.contains(range, candidate))) return
    const all = this.#candidates as Candidate[]
    all.push(candidate)
    // Each of several has a long text, and as many as are wanted will be in the answer.
    if (all.length > 1 && Math.min(all.length, limit) * INDEXED_LENGTH > room) throw new DholeError('read-too-big')
    if (all.length > 2 * limit + PRUNED_ABOVE) this.#candidates = [...(yield* this.#chosen(limit))]
  }

  /** Adds the rows of the first children, in the direction of the scan. @throws `read-too-big` */
  *take(rows: ChildRow[], limit: number, budget: Budget): Generator<void, void> {
    const chosen = yield* this.#chosen(limit - rows.length)
    for (const candidate of this.#descending ? chosen.toReversed() : chosen) {
      const row = this.#order.rowOf(candidate)
      spend(budget, row.value ?? '')
      rows.push(row)
      if (rows.length % STEP_ROWS === STEP_ROWS - 1) yield
    }
  }

  /** In order. */
  *#chosen(limit: number): Generator<void, readonly Candidate[]> {
    const sorted = yield* this.#order.sort(this.#candidates)
    return this.#descending ? sorted.slice(Math.max(0, sorted.length - limit)) : sorted.slice(0, limit)
  }
}
