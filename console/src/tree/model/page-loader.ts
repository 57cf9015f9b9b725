import { mayPass, wordsOf } from '../../shell/call-error.ts'
import type { TreeClient } from '../../shell/tree-client.ts'
import { type Branch, emptyPage, PAGE_SIZE, type Page } from './branch.ts'
import { compareKeys } from './key-order.ts'
import { orderedMembers } from './ordered-members.ts'

/** A page that has grown to this length is split when it is loaded again. */
const MOST_KEYS = 2 * PAGE_SIZE
/** A view so many pages behind the last one is far. */
const FAR_PAGES = 3
/** Pages that are found with one request on the way there. */
const PAGES_AT_ONCE = 50
/** Shortest time between two questions for the same page, in ms: each change of a list may make it stale. */
const PAGE_EVERY_MS = 200
/** Time until a page is asked for again that the server could not answer, in ms. */
const RETRY_MS = 2000
/** Shortest time between two counts of the same children, in ms. */
const COUNT_EVERY_MS = 500

/** Loads keys and numbers of children; never the children themselves. */
export class PageLoader {
  readonly #client: TreeClient
  readonly #onChange: () => void

  /** @param onChange called whenever a branch has changed */
  constructor(client: TreeClient, onChange: () => void) {
    this.#client = client
    this.#onChange = onChange
  }

  /** Loads pages behind the last one, until as many children are known as the view wants. */
  async more(branch: Branch): Promise<void> {
    if (branch.isLoadingMore || branch.isComplete || branch.error !== undefined) return
    branch.isLoadingMore = true
    try {
      do await this.#next(branch)
      while (!branch.isComplete && branch.wantedCount > branch.loadedCount)
    } catch (thrown) {
      await failed(branch, thrown)
    } finally {
      branch.isLoadingMore = false
      this.#onChange()
    }
  }

  /** Loads the page behind the last one, or the beginnings of many where the view is far behind it. */
  async #next(branch: Branch): Promise<void> {
    const last = branch.pages.at(-1)
    // The last page may be dropped, or stale; then it is loaded up to its end first.
    if (last !== undefined && last.keys === undefined) await this.#fill(branch, last)
    if (branch.isComplete) return
    const isFar = branch.wantedCount - branch.loadedCount > FAR_PAGES * PAGE_SIZE
    const limit = isFar ? PAGES_AT_ONCE * PAGE_SIZE : PAGE_SIZE
    const lastPage = branch.pages.at(-1)
    const { changesBehind } = branch
    const keys = await this.#keys(branch, { ...boundBehind(lastPage), limitToFirst: String(limit + 1) })
    // The list may have been entered elsewhere meanwhile.
    if (branch.pages.at(-1) !== lastPage) return
    const isOutdated = branch.changesBehind !== changesBehind
    branch.isComplete = keys.length <= limit && !(isOutdated && keys.length === 0)
    const shown = keys.slice(0, limit)
    for (let from = 0; from < shown.length; from += PAGE_SIZE) {
      const page = loadedPage(branch.pages.length === 0 ? undefined : shown[from], shown.slice(from))
      // Of the pages between only the places are needed.
      if (from + PAGE_SIZE < shown.length) page.keys = undefined
      page.isStale = isOutdated
      branch.pages.push(page)
    }
    if (isFar) this.#onChange()
  }

  /** Begins the list at a key, or with its last page; what is before is left out. @throws CallError */
  async enter(branch: Branch, key: string | undefined): Promise<void> {
    const bounds: Readonly<Record<string, string>> =
      key === undefined
        ? { limitToLast: String(PAGE_SIZE) }
        : { startAt: JSON.stringify(key), limitToFirst: String(PAGE_SIZE + 1) }
    const keys = await this.#keys(branch, bounds)
    branch.isComplete = keys.length <= PAGE_SIZE
    branch.hasEarlier = key !== undefined || keys.length === PAGE_SIZE
    branch.expanded.clear()
    branch.pages.splice(0, branch.pages.length, loadedPage(branch.hasEarlier ? (key ?? keys[0]) : undefined, keys))
    this.#onChange()
  }

  /** Loads the page before the first one. @throws CallError */
  async earlier(branch: Branch): Promise<void> {
    const first = branch.pages[0]?.first
    if (!branch.hasEarlier || first === undefined) return
    const keys = await this.#keys(branch, { endBefore: JSON.stringify(first), limitToLast: String(PAGE_SIZE) })
    // Another call may have been faster.
    if (branch.pages[0]?.first !== first) return
    branch.hasEarlier = keys.length === PAGE_SIZE
    branch.pages.unshift(loadedPage(branch.hasEarlier ? keys[0] : undefined, keys))
    this.#onChange()
  }

  /** Loads a page again whose keys were dropped or are stale. */
  async again(branch: Branch, page: Page): Promise<void> {
    if (page.isLoading) return
    page.isLoading = true
    const wait = page.askedAt + PAGE_EVERY_MS - performance.now()
    if (page.keys !== undefined && wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    try {
      await this.#fill(branch, page)
    } catch (thrown) {
      page.isStale = true
      await failed(branch, thrown)
    } finally {
      page.isLoading = false
      this.#onChange()
    }
  }

  async #fill(branch: Branch, page: Page): Promise<void> {
    page.askedAt = performance.now()
    // What changes from here on makes it stale again.
    page.isStale = false
    const next = branch.pages[branch.pages.indexOf(page) + 1]
    const keys = await this.#keys(branch, {
      ...(page.first === undefined ? {} : { startAt: JSON.stringify(page.first) }),
      ...(next?.first === undefined ? {} : { endBefore: JSON.stringify(next.first) }),
      limitToFirst: String(MOST_KEYS + 1),
    })
    this.#take(branch, page, keys)
  }

  #take(branch: Branch, page: Page, found: readonly string[]): void {
    const index = branch.pages.indexOf(page)
    if (index === -1) return
    // Another page may have been loaded behind it meanwhile.
    const bound = branch.pages[index + 1]?.first
    const keys = bound === undefined ? found : found.filter((key) => compareKeys(key, bound) < 0)
    const isLast = index === branch.pages.length - 1
    const taken = keys.length > MOST_KEYS ? keys.slice(0, PAGE_SIZE) : keys
    if (taken.length < keys.length) {
      if (isLast) branch.isComplete = false
      else {
        const rest = emptyPage(keys[PAGE_SIZE])
        rest.size = keys.length - PAGE_SIZE
        branch.pages.splice(index + 1, 0, rest)
      }
    } else if (isLast) branch.isComplete = true
    page.keys = taken
    page.size = taken.length
    const present = new Set(taken)
    for (const key of page.details.keys()) if (!present.has(key)) page.details.delete(key)
    for (const key of page.outdated) if (!present.has(key)) page.outdated.delete(key)
    for (const key of branch.expanded.keys()) {
      if (branch.pageOf(key) === page && !present.has(key)) branch.expanded.delete(key)
    }
    if (taken.length === 0 && (index > 0 || isLast)) branch.pages.splice(index, 1)
  }

  async #keys(branch: Branch, parameters: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const reply = await this.#client.ask(branch.path, { parameters: { shallow: 'true', ...parameters } })
    return orderedMembers(await reply.text()).map(([key]) => key)
  }

  /** Counts the children, at most so often. */
  async count(branch: Branch): Promise<void> {
    if (branch.isCounting || !branch.isCountStale) return
    branch.isCounting = true
    branch.isCountStale = false
    try {
      const reply = await this.#client.ask(branch.path, { parameters: { count: 'true' } })
      branch.count = Number(await reply.text())
    } catch {
      branch.count = undefined
    }
    setTimeout(() => {
      branch.isCounting = false
      if (branch.isCountStale) void this.count(branch)
    }, COUNT_EVERY_MS)
    this.#onChange()
  }
}

/** Bound of the keys behind a page: from its beginning where it holds none. */
function boundBehind(page: Page | undefined): Readonly<Record<string, string>> {
  const last = page?.keys?.at(-1)
  if (last !== undefined) return { startAfter: JSON.stringify(last) }
  return page?.first === undefined ? {} : { startAt: JSON.stringify(page.first) }
}

/** A page of the first of some keys. */
function loadedPage(first: string | undefined, keys: readonly string[]): Page {
  const page = emptyPage(first)
  page.keys = keys.slice(0, PAGE_SIZE)
  page.size = page.keys.length
  return page
}

/** Notes why children cannot be read; waits where the next question may be answered: the view asks again when it is drawn. */
async function failed(branch: Branch, thrown: unknown): Promise<void> {
  if (mayPass(thrown)) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  else branch.error = wordsOf(thrown)
}
