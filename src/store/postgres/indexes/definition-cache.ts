import { LogFlag } from '../batch.ts'
import type { IndexDefinition } from './definition.ts'

/** Maximum lists whose indexes are cached. */
const MAX_CACHED_LISTS = 16_384

/**
 * The indexes of lists of one tree, as of the applied batch. Code that reads the definitions of a list at that batch adds
 * them; a batch that changes definitions clears it.
 */
export class DefinitionCache {
  readonly #byList = new Map<number, readonly IndexDefinition[]>()

  /** The indexes of a list; `undefined` when they are not known. */
  of(listId: number): readonly IndexDefinition[] | undefined {
    return this.#byList.get(listId)
  }

  /** Call it only with what the applied batch has. */
  know(listId: number, definitions: readonly IndexDefinition[]): void {
    if (this.#byList.size >= MAX_CACHED_LISTS) this.#byList.clear()
    this.#byList.set(listId, definitions)
  }

  /** A batch is applied. @param flags those of its row in the log */
  applied(flags: number): void {
    if ((flags & LogFlag.indexes) !== 0) this.#byList.clear()
  }

  /** Nothing is known any more. */
  clear(): void {
    this.#byList.clear()
  }
}
