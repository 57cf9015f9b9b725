import {
  type IndexLimits,
  type IsWanted,
  type MadeRoom,
  roomInList,
  roomInTree,
} from '../../rows/indexes/index-capacity.ts'
import type { IndexName } from '../../rows/indexes/index-name.ts'
import type { IndexDefinition, IndexDefinitions } from './definitions.ts'
import type { IndexEntries } from './entries.ts'

/** Enforces the bounds inside the writer's transaction: it drops the least recently used indexes. */
export class IndexCapacity {
  readonly #definitions: IndexDefinitions
  readonly #entries: IndexEntries
  readonly #limits: IndexLimits<IndexDefinition>

  constructor(definitions: IndexDefinitions, entries: IndexEntries, limits: IndexLimits<IndexDefinition>) {
    this.#definitions = definitions
    this.#entries = entries
    this.#limits = limits
  }

  /** Whether an index is declared as covering. */
  isCovering(index: IndexName): boolean {
    return this.#limits.isCovering(index)
  }

  /** Makes room for one more index of a list. @returns `false` when no index can be dropped */
  admit(listId: number, isWanted: IsWanted<IndexDefinition>): boolean {
    return this.#drop(roomInList(this.#definitions.of(listId), this.#limits, isWanted))
  }

  /**
   * Drops indexes until the entries of a growing index fit.
   * @returns `false` when they do not fit although every other index that may be dropped is dropped
   */
  evictFor(growing: IndexDefinition, isWanted: IsWanted<IndexDefinition>): boolean {
    if (this.#definitions.countEntries() <= this.#limits.maxEntries || this.#limits.isKept(growing)) return true
    return this.#drop(roomInTree(growing, this.#definitions.all(), this.#limits, isWanted))
  }

  /** Whether an index alone exceeds the bound of all undeclared indexes. */
  isTooLarge({ entries }: IndexDefinition): boolean {
    return entries > this.#limits.maxEntries
  }

  #drop({ dropped, fits }: MadeRoom<IndexDefinition>): boolean {
    for (const definition of dropped) {
      this.#definitions.drop(definition)
      this.#entries.expectRemoval()
    }
    return fits
  }
}
