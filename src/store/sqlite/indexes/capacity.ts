import type { IndexName } from './building/requests.ts'
import type { IndexDefinition, IndexDefinitions } from './definitions.ts'
import type { IndexEntries } from './entries.ts'

/** Bounds on the indexes that queries create, and what is declared. */
export interface IndexLimits {
  /** Maximum indexes of one list, declared ones included. */
  readonly maxPerList: number
  /** Maximum entries of all undeclared indexes of a file together. */
  readonly maxEntries: number
  /** Whether an index is declared: it is never dropped and has no bounds. */
  isKept(definition: IndexDefinition): boolean
  /** Whether an index is declared as covering. */
  isCovering(index: IndexName): boolean
  /** Time of the last known use, in milliseconds since 1970. */
  usedAt(definition: IndexDefinition): number
}

/** Whether an index is requested and must not be dropped. */
type IsWanted = (definition: IndexDefinition) => boolean

/** Enforces the bounds inside the writer's transaction: it drops the least recently used indexes. */
export class IndexCapacity {
  readonly #definitions: IndexDefinitions
  readonly #entries: IndexEntries
  readonly #limits: IndexLimits

  constructor(definitions: IndexDefinitions, entries: IndexEntries, limits: IndexLimits) {
    this.#definitions = definitions
    this.#entries = entries
    this.#limits = limits
  }

  /** Whether an index is declared as covering. */
  isCovering(index: IndexName): boolean {
    return this.#limits.isCovering(index)
  }

  /** Makes room for one more index of a list. @returns `false` when no index can be dropped */
  admit(listId: number, isWanted: IsWanted): boolean {
    const all = this.#definitions.of(listId)
    if (all.length < this.#limits.maxPerList) return true
    const [least] = this.#leastUsed(all.filter((definition) => !isWanted(definition)))
    if (least === undefined) return false
    this.#drop(least)
    return true
  }

  /**
   * Drops indexes until the entries of a growing index fit.
   * @returns `false` when they do not fit although every other index that may be dropped is dropped
   */
  evictFor(growing: IndexDefinition, isWanted: IsWanted): boolean {
    const { maxEntries } = this.#limits
    if (this.#definitions.countEntries() <= maxEntries || this.#limits.isKept(growing)) return true
    const undeclared = this.#definitions.all().filter((definition) => !this.#limits.isKept(definition))
    let entries = undeclared.reduce((sum, definition) => sum + definition.entries, 0)
    const others = undeclared.filter((definition) => definition.id !== growing.id && !isWanted(definition))
    for (const other of this.#leastUsed(others)) {
      if (entries <= maxEntries) break
      this.#drop(other)
      entries -= other.entries
    }
    return entries <= maxEntries
  }

  /** Whether an index alone exceeds the bound of all undeclared indexes. */
  isTooLarge({ entries }: IndexDefinition): boolean {
    return entries > this.#limits.maxEntries
  }

  /** Those that may be dropped, the least recently used first. */
  #leastUsed(definitions: readonly IndexDefinition[]): IndexDefinition[] {
    return definitions
      .filter((definition) => !this.#limits.isKept(definition))
      .sort((left, right) => this.#limits.usedAt(left) - this.#limits.usedAt(right) || left.id - right.id)
  }

  #drop(definition: IndexDefinition): void {
    this.#definitions.drop(definition)
    this.#entries.expectRemoval()
  }
}
