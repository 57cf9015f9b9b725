import type { Branch, Page } from './branch.ts'

/** One line of the tree view. */
export type Row =
  | {
      readonly kind: 'child'
      readonly branch: Branch
      readonly page: Page
      readonly key: string
      readonly place: number
    }
  /** A child whose key is not loaded. */
  | { readonly kind: 'unknown'; readonly branch: Branch; readonly page: Page; readonly place: number }
  /** Before the first child that is shown: earlier ones are there. */
  | { readonly kind: 'earlier'; readonly branch: Branch }
  /** Behind the last loaded child: more are there, or they cannot be read. */
  | { readonly kind: 'end'; readonly branch: Branch; readonly place: number }

/** Rows `from` to `to`, without the last, of what is below a branch. */
export function rowsBetween(branch: Branch, from: number, to: number): readonly Row[] {
  const rows: Row[] = []
  collect(branch, from, to, rows)
  return rows
}

/** @returns the number of rows of the branch */
function collect(branch: Branch, from: number, to: number, rows: Row[]): number {
  const below = branch.rowsBelowPages()
  let at = 0
  let place = 0
  if (branch.hasEarlier) {
    if (from <= 0 && to > 0) rows.push({ kind: 'earlier', branch })
    at = 1
  }
  for (const page of branch.pages) {
    const length = page.size + (below.get(page) ?? 0)
    if (at + length > from && at < to) collectPage({ branch, page, place }, from - at, to - at, rows)
    at += length
    place += page.size
  }
  const end = at + branch.endCount(place)
  for (let index = Math.max(at, from); index < Math.min(end, to); index++) {
    rows.push({ kind: 'end', branch, place: place + index - at })
  }
  return end
}

interface PlacedPage {
  readonly branch: Branch
  readonly page: Page
  /** Number of children before the page. */
  readonly place: number
}

function collectPage({ branch, page, place }: PlacedPage, from: number, to: number, rows: Row[]): void {
  const { keys } = page
  if (keys === undefined) {
    for (let index = Math.max(0, from); index < Math.min(page.size, to); index++) {
      rows.push({ kind: 'unknown', branch, page, place: place + index })
    }
    return
  }
  let at = 0
  for (const [index, key] of keys.entries()) {
    if (at >= to) return
    if (at >= from) rows.push({ kind: 'child', branch, page, key, place: place + index })
    at++
    const below = branch.expanded.get(key)
    if (below === undefined) continue
    const length = below.rowCount
    if (at + length > from) collect(below, from - at, to - at, rows)
    at += length
  }
}

/** Number of the row of a path below a branch; `undefined` while it is not shown. */
export function rowIndexOf(branch: Branch, keys: readonly string[]): number | undefined {
  const [key, ...rest] = keys
  if (key === undefined) return undefined
  const below = branch.rowsBelowPages()
  let at = branch.hasEarlier ? 1 : 0
  const target = branch.pageOf(key)
  for (const page of branch.pages) {
    if (page !== target) {
      at += page.size + (below.get(page) ?? 0)
      continue
    }
    for (const candidate of page.keys ?? []) {
      const expanded = branch.expanded.get(candidate)
      if (candidate === key) {
        if (rest.length === 0) return at
        const inner = expanded === undefined ? undefined : rowIndexOf(expanded, rest)
        return inner === undefined ? undefined : at + 1 + inner
      }
      at += 1 + (expanded?.rowCount ?? 0)
    }
    return undefined
  }
  return undefined
}
