import type { IndexDefinition, IndexDefinitions } from './definitions.ts'
import type { IndexEntries } from './entries.ts'

/** How much queries may fill with indexes that nobody has declared. */
export interface IndexLimits {
  /** Indexes of one list, declared ones counted. */
  readonly maxPerList: number
  /** Entries of all undeclared indexes of a file together. */
  readonly maxEntries: number
  /** Whether an index is declared: it stays, and does not count as one of queries. */
  isKept(definition: IndexDefinition): boolean
  /** Time of the last use that is known, in milliseconds since 1970. */
  usedAt(definition: IndexDefinition): number
}

/** Whether somebody waits for an index, so that it must not go. */
type IsWanted = (definition: IndexDefinition) => boolean

/** Makes room for indexes inside the writer's transaction: those that were not used for the longest time go. */
export class IndexCapacity {
  readonly #definitions: IndexDefinitions
  readonly #entries: IndexEntries
  readonly #limits: IndexLimits

  constructor(definitions: IndexDefinitions, entries: IndexEntries, limits: IndexLimits) {
    this.#definitions = definitions
    this.#entries = entries
    this.#limits = limits
  }

  /** Makes a place for one more index of a list. @returns `false` when none can go */
  admit(listId: number, isWanted: IsWanted): boolean {
    const all = this.#definitions.of(listId)
    if (all.length < this.#limits.maxPerList) return true
    const [least] = this.#leastUsed(all.filter((definition) => !isWanted(definition)))
    if (least === undefined) return false
    this.#drop(least)
    return true
  }

  /**
   * Makes room for the entries of an index that is being built.
   * @returns `false` when there is not enough for it, though all others have gone that could
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

  /** Whether an index has more entries than all that are not declared may have together. */
  isTooLarge({ entries }: IndexDefinition): boolean {
    return entries > this.#limits.maxEntries
  }

  /** Those that may go, the least recently used first. */
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
