import type { Branch } from './branch.ts'
import { detailOf } from './detail.ts'
import type { TreeModel } from './tree-model.ts'

/** A change of one place, as an event tells it. */
export interface Change {
  /** Absolute path. */
  readonly path: readonly string[]
  /** As `format=export` shows it; `undefined` where only the place is known. */
  readonly data: unknown
}

const PRIORITY = '.priority'

/** Takes a change into what is shown: a value that is told is shown at once, all else is asked for when it is in view. */
export function applyChange(model: TreeModel, { path, data }: Change): void {
  const below = path.slice(model.base.length)
  const isPriority = below.at(-1) === PRIORITY
  const keys = isPriority ? below.slice(0, -1) : below
  const value = isPriority ? undefined : data
  if (keys.length <= 1) model.outdateBase()
  if (keys.length === 0) {
    model.mark(model.base)
    model.outdate(model.root)
  } else descend(model, model.root, keys, value)
  model.changed()
}

function descend(model: TreeModel, branch: Branch, keys: readonly string[], value: unknown): void {
  const [key = '', ...rest] = keys
  const expanded = branch.expanded.get(key)
  if (expanded !== undefined && rest.length > 0) {
    outdateCount(branch, key)
    descend(model, expanded, rest, value)
    return
  }
  if (expanded !== undefined) model.outdate(expanded)
  const page = branch.pageOf(key)
  model.mark([...branch.path, key])
  // Without a row it is loaded as what comes behind the last child.
  if (page === undefined || page.size === 0) {
    branch.changesBehind++
    branch.isComplete = false
    branch.isCountStale = true
    return
  }
  // Keys of a dropped page are loaded when it comes into view again.
  const isKnown = page.keys?.includes(key) === true
  if (!isKnown || (rest.length === 0 && value === null)) {
    page.isStale = true
    branch.isCountStale = true
    if (page === branch.pages.at(-1)) branch.error = undefined
  }
  if (!isKnown) return
  if (rest.length === 0 && value !== undefined && value !== null) page.details.set(key, detailOf(value))
  else page.outdated.add(key)
}

/** Number of children that the row of an expanded child shows. */
function outdateCount(branch: Branch, key: string): void {
  const page = branch.pageOf(key)
  if (page?.details.has(key) === true) page.outdated.add(key)
}
