import { signal } from '@preact/signals'
import type { TreeClient } from '../../shell/tree-client.ts'
import { Branch, type Page } from './branch.ts'
import type { Detail } from './detail.ts'
import { DetailLoader, readDetail } from './detail-loader.ts'
import { type Mark, Marks } from './marks.ts'
import { PageLoader } from './page-loader.ts'
import { type Row, rowIndexOf, rowsBetween } from './rows.ts'

/** Pages whose keys are kept; those that were shown the longest ago are dropped. */
const KEPT_PAGES = 40

/** The first row: the node that the view begins with. */
interface BaseRow {
  readonly kind: 'base'
}
export type ViewRow = BaseRow | Row

/** Text of a path, as a name for maps. */
export function nameOf(path: readonly string[]): string {
  return path.join('/')
}

/** Path of a row; `undefined` for one that is no known node. */
export function pathOf(model: TreeModel, row: ViewRow): readonly string[] | undefined {
  if (row.kind === 'base') return model.base
  return row.kind === 'child' ? [...row.branch.path, row.key] : undefined
}

/** What the tree view shows below one node: loaded by pages as they come into view, dropped when they are far from it. */
export class TreeModel {
  readonly client: TreeClient
  /** Path of the first row. */
  readonly base: readonly string[]
  readonly root: Branch
  /** What the first row is, once it is known. */
  baseDetail: Detail | undefined
  isBaseOpen = true
  /** Rises with every change that a view should draw; at most once a frame. */
  readonly version = signal(0)
  readonly #marks = new Marks(() => this.changed())
  /** Number of a row that shall come into view; `undefined` when it has. */
  readonly wantedRow = signal<number | undefined>(undefined)
  readonly #pages: PageLoader
  readonly #details: DetailLoader
  #isDrawing = false
  #uses = 0
  #isBaseAsked = false
  #isBaseOutdated = false
  #shown: readonly ViewRow[] = []

  constructor(client: TreeClient, base: readonly string[]) {
    this.client = client
    this.base = base
    this.root = new Branch(base)
    this.#pages = new PageLoader(client, () => this.changed())
    this.#details = new DetailLoader(client, () => this.changed())
    void this.#askBase()
  }

  get rowCount(): number {
    return 1 + (this.#hasChildren ? this.root.rowCount : 0)
  }

  get #hasChildren(): boolean {
    return this.isBaseOpen && (this.baseDetail === undefined || this.baseDetail.kind === 'object')
  }

  rows(from: number, to: number): readonly ViewRow[] {
    const below = this.#hasChildren ? rowsBetween(this.root, Math.max(0, from - 1), to - 1) : []
    return from === 0 ? [{ kind: 'base' }, ...below] : below
  }

  /** Number of the row of a path; `undefined` while it is not shown. */
  indexOf(path: readonly string[]): number | undefined {
    if (path.length === this.base.length) return 0
    const index = rowIndexOf(this.root, path.slice(this.base.length))
    return index === undefined ? undefined : index + 1
  }

  /** Says which rows are in view: what they lack is loaded. */
  show(rows: readonly ViewRow[]): void {
    for (const row of [...this.#shown, ...rows]) if (row.kind !== 'base') row.branch.wantedCount = 0
    this.#shown = rows
    const below = rows.filter((row) => row.kind !== 'base')
    for (const row of below) {
      if (row.branch.isCountStale) void this.#pages.count(row.branch)
      if (row.kind === 'end') {
        row.branch.wantedCount = Math.max(row.branch.wantedCount, row.place + 1)
        void this.#pages.more(row.branch)
      } else if (row.kind !== 'earlier') {
        row.page.usedAt = ++this.#uses
        if (row.page.keys === undefined || row.page.isStale) void this.#pages.again(row.branch, row.page)
      }
    }
    this.#details.show(below)
    if (this.#isBaseOutdated) void this.#askBase()
    this.#drop()
  }

  /** Forgets the keys of pages far from what is in view. */
  #drop(): void {
    const loaded: Page[] = []
    const gather = (branch: Branch) => {
      const below = branch.rowsBelowPages()
      // Of a page with something expanded below it the order of the keys must be known.
      for (const page of branch.pages) {
        if (page.keys !== undefined && !page.isLoading && !below.has(page)) loaded.push(page)
      }
      for (const expanded of branch.expanded.values()) gather(expanded)
    }
    gather(this.root)
    if (loaded.length <= KEPT_PAGES) return
    loaded.sort((left, right) => right.usedAt - left.usedAt)
    for (const page of loaded.slice(KEPT_PAGES)) {
      page.keys = undefined
      page.details.clear()
      page.outdated.clear()
    }
  }

  /** The expanded branch at a path. */
  branchAt(path: readonly string[]): Branch | undefined {
    let branch: Branch | undefined = this.root
    for (const key of path.slice(this.base.length)) branch = branch?.expanded.get(key)
    return branch
  }

  detailAt(path: readonly string[]): Detail | undefined {
    if (path.length === this.base.length) return this.baseDetail
    const key = path.at(-1) ?? ''
    return this.branchAt(path.slice(0, -1))?.pageOf(key)?.details.get(key)
  }

  isOpen(path: readonly string[]): boolean {
    return path.length === this.base.length ? this.isBaseOpen : this.branchAt(path) !== undefined
  }

  /** Shows or hides the children of a node. */
  setOpen(path: readonly string[], isOpen: boolean): void {
    if (path.length === this.base.length) this.isBaseOpen = isOpen
    else {
      const key = path.at(-1) ?? ''
      const parent = this.branchAt(path.slice(0, -1))
      if (isOpen) parent?.expanded.set(key, parent.expanded.get(key) ?? new Branch(path))
      else parent?.expanded.delete(key)
    }
    this.changed()
  }

  /**
   * Shows the children of a node from a key on; `undefined` shows its last ones.
   * @throws CallError
   */
  async enter(path: readonly string[], key: string | undefined): Promise<void> {
    this.setOpen(path, true)
    const branch = this.branchAt(path)
    if (branch === undefined) return
    await this.#pages.enter(branch, key)
    const own = this.indexOf(path)
    if (own !== undefined) this.wantedRow.value = own + (key === undefined ? branch.rowCount : 1)
  }

  /** Shows more of the children before the first that is shown. @throws CallError */
  earlier(branch: Branch): Promise<void> {
    return this.#pages.earlier(branch)
  }

  /** Makes everything that is in view be asked for again. */
  refresh(): void {
    this.#isBaseOutdated = true
    this.outdate(this.root)
    this.changed()
  }

  /** What the first row is may have changed. */
  outdateBase(): void {
    this.#isBaseOutdated = true
  }

  /** All that is known below a branch may have changed. */
  outdate(branch: Branch): void {
    branch.isCountStale = true
    branch.error = undefined
    if (branch.loadedCount === 0) branch.isComplete = false
    for (const page of branch.pages) {
      page.isStale = true
      for (const key of page.details.keys()) page.outdated.add(key)
    }
    for (const expanded of branch.expanded.values()) this.outdate(expanded)
  }

  /** Marks a row as changed for a moment. */
  mark(path: readonly string[]): void {
    this.#marks.add(nameOf(path))
  }

  markOf(name: string): Mark {
    return this.#marks.of(name)
  }

  /** Draws with the next frame, however many changes come until then. */
  changed(): void {
    if (this.#isDrawing) return
    this.#isDrawing = true
    requestAnimationFrame(() => {
      this.#isDrawing = false
      this.version.value++
    })
  }

  /** Loads what the rows in view lack, after a change. */
  again(): void {
    this.show(this.#shown)
  }

  stop(): void {
    this.#marks.stop()
    this.#details.stop()
  }

  async #askBase(): Promise<void> {
    if (this.#isBaseAsked) return
    this.#isBaseAsked = true
    this.#isBaseOutdated = false
    this.baseDetail = await readDetail(this.client, this.base)
    this.#isBaseAsked = false
    this.changed()
  }
}
