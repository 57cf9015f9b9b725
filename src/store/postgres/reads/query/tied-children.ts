import { DholeError } from '../../../../error.ts'
import { isLong } from '../../../rows/indexes/index-value.ts'
import type { EntryRow } from '../../../rows/indexes/list-scan.ts'
import { TEXT_LIMIT } from '../../indexes/stored-value.ts'
import type { Candidate, ExactOrder } from './exact-order.ts'

/** Children above twice the limit of which the last ones are left out. */
const PRUNED_ABOVE = 512
/** Least length of a string whose entry is cut, in UTF-16 code units. */
const LEAST_CUT = 128

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
   * Adds a child.
   * @param candidate `undefined` when it lies outside the range
   * @param limit number of children that are wanted
   * @param room longest text of all that are wanted, in UTF-16 code units
   * @throws `read-too-big`
   */
  async add(entry: EntryRow, candidate: Candidate | undefined, limit: number, room: number): Promise<void> {
    this.#first ??= entry
    if (candidate === undefined) return
    const all = this.#candidates as Candidate[]
    all.push(candidate)
    // Each of several has a long text, and as many as are wanted will be in the answer.
    if (all.length > 1 && Math.min(all.length, limit) * LEAST_CUT > room) throw new DholeError('read-too-big')
    if (all.length > 2 * limit + PRUNED_ABOVE) this.#candidates = [...(await this.#chosen(limit))]
  }

  /** Adds the first children, in the direction of the scan. */
  async take(chosen: Candidate[], limit: number): Promise<void> {
    const own = await this.#chosen(limit - chosen.length)
    for (const candidate of this.#descending ? own.toReversed() : own) chosen.push(candidate)
  }

  /** In order. */
  async #chosen(limit: number): Promise<readonly Candidate[]> {
    const sorted = await this.#order.sort(this.#candidates)
    return this.#descending ? sorted.slice(Math.max(0, sorted.length - limit)) : sorted.slice(0, limit)
  }
}
