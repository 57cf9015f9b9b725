import { DholeError } from '../../../../error.ts'
import { comparePositions, contains, type Position, type Range } from '../../../../query/range.ts'
import { sortInSteps } from '../../../../tree/json/sort-steps.ts'
import type { SortValue } from '../../../../tree/order.ts'
import type { Path } from '../../../../tree/path.ts'
import type { ChildRow } from '../../../rows/slot.ts'
import { valuesBelow } from '../../indexes/child-values.ts'
import type { Reading } from '../reading.ts'
import type { RangeScanner } from './range-scanner.ts'
import { own, sortTied } from './tied-strings.ts'

/** A child with its position in an order. Only the beginning of a long string is held. */
export interface Candidate extends Position {
  /** `undefined` where it is looked up again by its key, because its text is long. */
  readonly row: ChildRow | undefined
}

/** Longest text of a child that a candidate holds, and longest beginning of a string, in UTF-16 code units. */
const HELD_LENGTH = 8192
const HEAD_LENGTH = 1024
/** Length of values below interior children that is read in one step, in bytes. */
const STEP_BYTES = 512 * 1024

/** The exact order of children that are sorted by a child path. Long strings are read again where it depends on them. */
export class ExactOrder {
  readonly #reading: Reading
  readonly #scanner: RangeScanner
  readonly #list: number
  readonly #path: Path
  #last: SortValue | undefined

  constructor(reading: Reading, scanner: RangeScanner, list: number, path: Path) {
    this.#reading = reading
    this.#scanner = scanner
    this.#list = list
    this.#path = path
  }

  /** What each of some children is sorted by. It is called with some of them at a time, in their order. */
  async eachValue<R extends ChildRow>(rows: readonly R[], use: (row: R, value: SortValue) => void): Promise<void> {
    for (let from = 0; from < rows.length; ) {
      const rest = rows.slice(from)
      const values = await valuesBelow(this.#reading, this.#reading.tree, rest, this.#path, STEP_BYTES)
      for (const [index, value] of values.entries()) use(rest[index] as R, value)
      from += values.length
    }
  }

  /** The children that lie within a range, in their order. */
  async within(range: Range, rows: readonly ChildRow[]): Promise<readonly Candidate[]> {
    const candidates: Candidate[] = []
    await this.eachValue(rows, (row, value) => {
      if (contains(range, { ...value, key: row.key })) candidates.push(this.#candidate(row, value))
    })
    return candidates
  }

  /** The children in their order. */
  async sort(candidates: readonly Candidate[]): Promise<readonly Candidate[]> {
    if (candidates.length < 2) return candidates
    const sorted = await this.#reading.run(sortInSteps(candidates, comparePositions))
    for (let start = 0; start < sorted.length; ) {
      const value = sorted[start]?.value
      let end = start + 1
      while (end < sorted.length && sorted[end]?.value === value) end++
      if (end - start > 1 && isCut(value)) {
        const each = (keys: readonly string[], use: (key: string, text: string) => void) => this.#eachString(keys, use)
        const tied = await sortTied(this.#reading, each, sorted.slice(start, end), HEAD_LENGTH)
        for (const [index, candidate] of tied.entries()) sorted[start + index] = candidate
      }
      start = end
    }
    return sorted
  }

  /** The rows of some children, in their order. @param maxLength of their texts together @throws `read-too-big` */
  async rowsOf(candidates: readonly Candidate[], maxLength: number): Promise<readonly ChildRow[]> {
    const looked = new Map<string, ChildRow>()
    const keys = candidates.flatMap(({ key, row }) => (row === undefined ? [key] : []))
    let left = maxLength
    for await (const page of this.#scanner.lookUp(this.#list, keys)) {
      for (const row of page) {
        left -= row.value?.length ?? 0
        if (left < 0) throw new DholeError('read-too-big')
        looked.set(row.key, row)
      }
    }
    return candidates.map(({ key, row }) => row ?? looked.get(key) ?? { key, value: null, id: null })
  }

  async #eachString(keys: readonly string[], use: (key: string, text: string) => void): Promise<void> {
    for await (const page of this.#scanner.lookUp(this.#list, keys)) {
      await this.eachValue(page, (row, { value }) => use(row.key, String(value)))
    }
  }

  #candidate(row: ChildRow, sorted: SortValue): Candidate {
    const isShort = row.value === null || row.value.length <= HELD_LENGTH
    const { kind, value } = this.#held(sorted)
    return { kind, value, key: row.key, row: isShort ? row : undefined }
  }

  /** Equal beginnings share one text. */
  #held(sorted: SortValue): SortValue {
    const { kind, value } = sorted
    if (typeof value !== 'string' || value.length < HEAD_LENGTH) return sorted
    const beginning = value.slice(0, HEAD_LENGTH)
    if (this.#last?.value !== beginning) this.#last = { kind, value: own(beginning) }
    return this.#last
  }
}

/** Whether a string may have more characters. */
function isCut(value: string | number | undefined): value is string {
  return typeof value === 'string' && value.length >= HEAD_LENGTH
}
