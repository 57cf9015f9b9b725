import { NO_VALUE, SortKind } from '../../../../tree/order.ts'
import type { ListScan, ScannedIndex } from '../../../rows/indexes/list-scan.ts'
import { behind, fromKey, type ScanRange, WHOLE } from '../../../rows/indexes/scan-range.ts'
import type { ChildRow } from '../../../rows/slot.ts'
import type { ExactOrder } from './exact-order.ts'
import type { RangeScanner } from './range-scanner.ts'

/** Growth of the page size while pages end with a child without a value, and greatest size. */
const PAGE_GROWTH = 4
const MOST_ROWS = 1024

/** A walk along the table past the children that an index has no rows for. */
interface EmptyChildrenScan {
  /** A scan of the table. */
  readonly scan: ListScan
  readonly index: ScannedIndex
  /** Order of the index. */
  readonly order: ExactOrder
}

/**
 * The children of an indexed list that have no value to be sorted by, in key order, page by page; a page may be empty. They
 * stand in stretches; the ends of a stretch that have a neighbor with a value are marked in the index, so that the walk
 * leaps from one stretch to the next.
 * @param expected how many may be enough
 */
export async function* emptyChildren(
  scanner: RangeScanner,
  { scan, index, order }: EmptyChildrenScan,
  expected: number,
): AsyncGenerator<readonly ChildRow[], void> {
  // Marks come first in an index. Where its first entry is none, no child is without a value.
  const first = await scanner.firstEntry({ ...scan, index, range: WHOLE, descending: false })
  if (first !== undefined && first.kind !== SortKind.none) return
  const longest = Math.min(MOST_ROWS, Math.max(expected, 1))
  // Without entries all children are without a value.
  let size = first === undefined ? longest : 1
  for (let { range } = scan; ; ) {
    const { rows, isAll } = await scanner.first({ ...scan, range }, size)
    const empty: ChildRow[] = []
    await order.eachValue(rows, (row, { kind }) => {
      if (kind === SortKind.none) empty.push(row)
    })
    yield empty
    const last = rows.at(-1)
    if (last === undefined || isAll) return
    if (empty.at(-1) === last) {
      range = behind(range, [last.key], scan.descending)
      size = Math.min(size * PAGE_GROWTH, longest)
      continue
    }
    const next = await scanner.firstEntry(marksBehind(scan, index, last.key))
    if (next === undefined) return
    range = fromKey(range, next.key, scan.descending)
    size = 1
  }
}

/** The marks behind a key, in the direction of the scan. */
function marksBehind(scan: ListScan, index: ScannedIndex, key: string): ListScan {
  const { kind, value } = NO_VALUE
  const all: ScanRange = {
    start: { shape: 'value=', args: [kind, value] },
    end: { shape: 'value=', args: [kind, value] },
  }
  return { ...scan, index, range: behind(all, [kind, value, key], scan.descending) }
}
