import { NO_VALUE, SortKind } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import type { ScannedIndex } from '../../rows/indexes/list-scan.ts'
import { behind, fromKey, type ScanRange, WHOLE } from '../../rows/indexes/scan-range.ts'
import type { ChildRow } from '../../rows/slot.ts'
import { maxPageSize, type RangeScan, type RangeScanner } from '../query/range-scan.ts'
import type { TreeReader } from './tree-reader.ts'

/** Growth of the page size while pages end with a child without a value. */
const PAGE_GROWTH = 4
/** Children looked at between two pauses: long texts next to their values are read to find those. */
const STEP_LOOKED_AT = 16

/** A walk along the table past the children that an index has no rows for. */
export interface EmptyChildrenScan {
  /** A scan of the table. */
  readonly scan: RangeScan
  readonly index: ScannedIndex
  /** Child path that the index sorts by. */
  readonly path: Path
}

/**
 * Finds the children of an indexed list that have no value to be sorted by, in key order. Those stand in stretches; the
 * ends of a stretch that have a neighbor with a value are marked in the index, so that the walk leaps from one stretch
 * to the next.
 */
export class EmptyChildren {
  readonly #tree: TreeReader
  readonly #scanner: RangeScanner

  constructor(tree: TreeReader, scanner: RangeScanner) {
    this.#tree = tree
    this.#scanner = scanner
  }

  /** The children without a value, page by page; a page may be empty. */
  *pages({ scan, index, path }: EmptyChildrenScan): Generator<readonly ChildRow[]> {
    if (this.#allHaveValues(scan, index)) return
    const longest = maxPageSize(scan)
    let { range } = scan
    for (let size = 1; ; ) {
      const rows = this.#scanner.first({ ...scan, range }, size)
      for (let from = 0; from < rows.length; from += STEP_LOOKED_AT) {
        yield rows.slice(from, from + STEP_LOOKED_AT).filter((row) => this.#isEmpty(row, path))
      }
      const last = rows.at(-1)
      if (last === undefined || rows.length < size) return
      if (this.#isEmpty(last, path)) {
        range = behind(range, [last.key], scan.descending)
        size = Math.min(size * PAGE_GROWTH, longest)
        continue
      }
      const next = this.#scanner.firstKey(marksBehind(scan, index, last.key))
      if (next === undefined) return
      range = fromKey(range, next, scan.descending)
      size = 1
    }
  }

  *count(empty: EmptyChildrenScan): Generator<void, number> {
    let counted = 0
    for (const page of this.pages(empty)) {
      counted += page.length
      yield
    }
    return counted
  }

  /** Marks come first in an index. Where its first entry is none, no child is without a value. */
  #allHaveValues(scan: RangeScan, index: ScannedIndex): boolean {
    const kind = this.#scanner.firstKind({ ...scan, index, range: WHOLE, descending: false })
    return kind !== undefined && kind !== SortKind.none
  }

  #isEmpty(row: ChildRow, path: Path): boolean {
    return this.#tree.sortValueBelow(row, path).kind === SortKind.none
  }
}

/** The marks behind a key, in the direction of the scan. */
function marksBehind(scan: RangeScan, index: ScannedIndex, key: string): RangeScan {
  const { kind, value } = NO_VALUE
  const all: ScanRange = {
    start: { shape: 'value=', args: [kind, value] },
    end: { shape: 'value=', args: [kind, value] },
  }
  return { ...scan, index, range: behind(all, [kind, value, key], scan.descending) }
}
