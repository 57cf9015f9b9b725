import { DholeError } from '../../../error.ts'
import type { IndexName } from './index-name.ts'

/** What the capacity depends on. */
interface BoundedIndex extends IndexName {
  readonly id: number
  /** Entries that building it has written. */
  readonly entries: number
}

/** Bounds on the indexes that queries create, and what is declared. */
export interface IndexLimits<I extends BoundedIndex> {
  /** Maximum indexes of one list, declared ones included. */
  readonly maxPerList: number
  /** Maximum entries of all undeclared indexes of a tree together. */
  readonly maxEntries: number
  /** Whether an index is declared: it is never dropped and has no bounds. */
  isKept(definition: I): boolean
  /** Whether an index is declared as covering. */
  isCovering(index: IndexName): boolean
  /** Time of the last known use, in milliseconds since 1970. */
  usedAt(definition: I): number
}

/** Whether an index is requested and must not be dropped. */
export type IsWanted<I> = (definition: I) => boolean

/** What must be dropped, and whether that is enough. */
export interface MadeRoom<I> {
  readonly dropped: readonly I[]
  readonly fits: boolean
}

/** Makes room for one more index of a list. @param all the indexes of the list */
export function roomInList<I extends BoundedIndex>(
  all: readonly I[],
  limits: IndexLimits<I>,
  isWanted: IsWanted<I>,
): MadeRoom<I> {
  if (all.length < limits.maxPerList) return { dropped: [], fits: true }
  const [least] = leastUsed(all, limits, isWanted)
  return least === undefined ? { dropped: [], fits: false } : { dropped: [least], fits: true }
}

/** Makes room for the entries of a growing index, by the least recently used ones. @param all the indexes of the tree */
export function roomInTree<I extends BoundedIndex>(
  growing: I,
  all: readonly I[],
  limits: IndexLimits<I>,
  isWanted: IsWanted<I>,
): MadeRoom<I> {
  const { maxEntries } = limits
  const undeclared = all.filter((definition) => !limits.isKept(definition))
  let entries = undeclared.reduce((sum, definition) => sum + definition.entries, 0)
  const dropped: I[] = []
  for (const other of leastUsed(undeclared, limits, (each) => each.id === growing.id || isWanted(each))) {
    if (entries <= maxEntries) break
    dropped.push(other)
    entries -= other.entries
  }
  return { dropped, fits: entries <= maxEntries }
}

/** Those that may be dropped, the least recently used first. */
function leastUsed<I extends BoundedIndex>(
  definitions: readonly I[],
  limits: IndexLimits<I>,
  isWanted: IsWanted<I>,
): I[] {
  return definitions
    .filter((definition) => !isWanted(definition) && !limits.isKept(definition))
    .sort((left, right) => limits.usedAt(left) - limits.usedAt(right) || left.id - right.id)
}

export function noCapacityError(): DholeError {
  return new DholeError('unavailable', 'there is no capacity for the index')
}
