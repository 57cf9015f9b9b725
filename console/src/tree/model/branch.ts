import type { Detail } from './detail.ts'
import { compareKeys } from './key-order.ts'

/** Children that are loaded with one request. */
export const PAGE_SIZE = 200

/** Neighbouring children of a branch. */
export interface Page {
  /** No key of the page is before it; `undefined` for the first page. */
  readonly first: string | undefined
  /** Number of children when it was last loaded. */
  size: number
  /** Keys in order; `undefined` while they are dropped or not loaded. */
  keys: readonly string[] | undefined
  /** What is known of some of its children. */
  readonly details: Map<string, Detail>
  /** Children whose details may have changed since they were asked for. */
  readonly outdated: Set<string>
  /** Whether children may have come or gone since it was loaded. */
  isStale: boolean
  isLoading: boolean
  /** When it was last asked for, on the clock of `performance.now`. */
  askedAt: number
  /** When a view last showed a part of it: larger is later. */
  usedAt: number
}

/** An expanded node: its children by pages, and those of them that are expanded too. */
export class Branch {
  readonly path: readonly string[]
  /** Row number of nothing: where its children stand is computed from the pages. */
  readonly pages: Page[] = []
  readonly expanded = new Map<string, Branch>()
  /** Number of children, once it is known. */
  count: number | undefined
  isCountStale = true
  isCounting = false
  /** Whether children before the first page are not shown: the list was entered behind them. */
  hasEarlier = false
  /** Whether the last page ends with the last child. */
  isComplete = false
  isLoadingMore = false
  /** Rises when a child changes that is on no page. */
  changesBehind = 0
  /** Number of children that a view has to know of: one behind what is loaded is in view. */
  wantedCount = 0
  /** Why the children cannot be read. */
  error: string | undefined

  constructor(path: readonly string[]) {
    this.path = path
  }

  /** Index of the page that holds a key, or would; -1 without pages. */
  pageIndexOf(key: string): number {
    let low = 0
    let high = this.pages.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      const first = this.pages[middle]?.first
      if (first === undefined || compareKeys(first, key) <= 0) low = middle
      else high = middle - 1
    }
    return high
  }

  pageOf(key: string): Page | undefined {
    return this.pages[this.pageIndexOf(key)]
  }

  /** Number of children on the pages. */
  get loadedCount(): number {
    let count = 0
    for (const page of this.pages) count += page.size
    return count
  }

  /** Rows behind the last page: one for each child that is known to be there, or one that says that there may be more. */
  endCount(loaded: number): number {
    if (this.error !== undefined) return 1
    if (this.isComplete) return 0
    return this.hasEarlier || this.count === undefined ? 1 : Math.max(1, this.count - loaded)
  }

  /** Rows of all children, and of what is expanded below them. */
  get rowCount(): number {
    const loaded = this.loadedCount
    let rows = loaded + this.endCount(loaded) + (this.hasEarlier ? 1 : 0)
    for (const branch of this.expanded.values()) rows += branch.rowCount
    return rows
  }

  /** Expanded children by the page they are in, as numbers of rows. */
  rowsBelowPages(): ReadonlyMap<Page, number> {
    const rows = new Map<Page, number>()
    for (const [key, branch] of this.expanded) {
      const page = this.pageOf(key)
      if (page !== undefined) rows.set(page, (rows.get(page) ?? 0) + branch.rowCount)
    }
    return rows
  }
}

export function emptyPage(first: string | undefined): Page {
  return {
    first,
    size: 0,
    keys: undefined,
    details: new Map(),
    outdated: new Set(),
    isStale: false,
    isLoading: false,
    askedAt: Number.NEGATIVE_INFINITY,
    usedAt: 0,
  }
}
