import type { ChildRow } from '../slot.ts'
import type { ScanRange } from './scan-range.ts'

/** A child with its entry in an index. */
export interface EntryRow extends ChildRow {
  readonly kind: number
  readonly sorted: string | number
}

/** An index that is read. */
export interface ScannedIndex {
  readonly id: number
  /** Whether entries hold the short texts of the children. */
  readonly covering: boolean
}

/** A range of a list in key order or in the order of an index, and the direction to read it in. */
export interface ListScan {
  readonly list: number
  /** Index to read; `undefined` reads the table in key order. */
  readonly index: ScannedIndex | undefined
  readonly range: ScanRange
  readonly descending: boolean
}
