import { comparePositions, contains, type Edge, type Position, type Range } from '../../../query/range.ts'
import { sortInSteps } from '../../../tree/json/sort-steps.ts'
import type { SortValue } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import { HEAD_LENGTH } from '../../rows/chunked-text.ts'
import type { ChildRow } from '../../rows/slot.ts'
import type { TreeReader } from '../tree/tree-reader.ts'
import { ChildStrings } from './child-strings.ts'
import { sortTied } from './tied-strings.ts'

/** A child with its position in an order. Only the beginning of a long string is held. */
export interface Candidate extends Position {
  /** `undefined` where it is looked up again by its key, because its text is long. */
  readonly row: ChildRow | undefined
}

/** Longest text of a child that a candidate holds, in UTF-16 code units. */
const HELD_LENGTH = 8192

/** The exact order of children that are sorted by a child path. Long strings are read again where it depends on them. */
export class ExactOrder {
  readonly #tree: TreeReader
  readonly #list: number
  readonly #path: Path
  readonly #strings: ChildStrings
  #last: SortValue | undefined

  constructor(tree: TreeReader, list: number, path: Path) {
    this.#tree = tree
    this.#list = list
    this.#path = path
    this.#strings = new ChildStrings(tree, list, path)
  }

  candidate(row: ChildRow): Candidate {
    const { kind, value } = this.#held(this.#tree.sortValueBelow(row, this.#path))
    const isShort = row.value === null || row.value.length <= HELD_LENGTH
    return { kind, value, key: row.key, row: isShort ? row : undefined }
  }

  /** Equal beginnings share one text. */
  #held(sorted: SortValue): SortValue {
    const { kind, value } = sorted
    if (typeof value !== 'string' || value.length < HEAD_LENGTH) return sorted
    const beginning = value.slice(0, HEAD_LENGTH)
    if (this.#last?.value !== beginning) this.#last = { kind, value: JSON.parse(JSON.stringify(beginning)) }
    return this.#last
  }

  /** Whether a child lies within a range. */
  *contains(range: Range, candidate: Candidate): Generator<void, boolean> {
    const { value } = candidate
    if (!isCut(value)) return contains(range, candidate)
    const length = Math.max(decidingLength(range.start, value), decidingLength(range.end, value))
    if (length === 0) return contains(range, candidate)
    yield
    return contains(range, {
      ...candidate,
      value: this.#strings.read(candidate.key, { chunk: 0, at: 0 }, length),
    })
  }

  /** The children in their order. */
  *sort(candidates: readonly Candidate[]): Generator<void, readonly Candidate[]> {
    if (candidates.length < 2) return candidates
    const sorted = yield* sortInSteps(candidates, comparePositions)
    for (let start = 0; start < sorted.length; ) {
      const value = sorted[start]?.value
      let end = start + 1
      while (end < sorted.length && sorted[end]?.value === value) end++
      if (end - start > 1 && isCut(value)) {
        const tied = yield* sortTied(this.#strings, sorted.slice(start, end), HEAD_LENGTH)
        for (const [index, candidate] of tied.entries()) sorted[start + index] = candidate
      }
      start = end
    }
    return sorted
  }

  /** The row of a child. */
  rowOf({ row, key }: Candidate): ChildRow {
    return row ?? { key, value: null, id: null, ...this.#tree.slot(this.#list, key) }
  }
}

/** Whether a string may have more characters. */
function isCut(value: string | number | undefined): value is string {
  return typeof value === 'string' && value.length >= HEAD_LENGTH
}

/** Length of the beginning that decides on which side of an edge a string lies; 0 when `value` decides. */
function decidingLength(edge: Edge | undefined, value: string): number {
  if (typeof edge?.value !== 'string' || !edge.value.startsWith(value)) return 0
  return edge.value.length + 1
}
