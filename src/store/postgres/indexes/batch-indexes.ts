import type { Write } from '../../../tree/write.ts'
import { AdjacentRow, LazyNeighbors } from '../../rows/indexes/adjacent-rows.ts'
import { type AfterWrite, IndexWriteHook } from '../../rows/indexes/index-write-hook.ts'
import type { PathSlot } from '../../rows/write-plan.ts'
import type { CommitPart } from '../batch.ts'
import { Journal } from '../commit/journal.ts'
import { type BatchIndexes, Missing, type OpenIndexes, type WorkingTree } from '../commit/working-tree.ts'
import { type IndexDefinition, isKeptUp } from './definition.ts'
import type { DefinitionCache } from './definition-cache.ts'
import { DefinitionChanges } from './definition-changes.ts'
import { EntryChanges } from './entry-changes.ts'

/** Opens the indexes of batches of one tree. @param cache the definitions as of the applied batch */
export function indexesOf(cache: DefinitionCache): OpenIndexes {
  return (tree, takeId, now) => new OpenBatchIndexes(cache, tree, takeId, now)
}

class OpenBatchIndexes implements BatchIndexes {
  readonly #journal = new Journal()
  readonly #definitions: DefinitionChanges
  readonly #entries: EntryChanges
  readonly #hook: IndexWriteHook<IndexDefinition>

  constructor(cache: DefinitionCache, tree: WorkingTree, takeId: () => number, now: number) {
    const before = { of: (listId: number) => known(cache, listId) }
    this.#definitions = new DefinitionChanges(before, this.#journal, takeId, now)
    this.#entries = new EntryChanges(this.#definitions, this.#journal)
    this.#hook = new IndexWriteHook(
      {
        definitions: this.#definitions,
        entries: this.#entries,
        adjacentTo: (listId, key) => new LazyNeighbors(neighborsIn(tree), listId, key),
        upkeepOf: (index, key) => (isKeptUp(index, key) ? 'entry' : 'none'),
        note: () => {},
      },
      tree,
    )
  }

  hasIndex(list: number): boolean {
    return this.#hook.hasIndex(list)
  }

  beforeWrite(write: Write, slotPath: readonly PathSlot[]): AfterWrite | undefined {
    return this.#hook.beforeWrite(write, slotPath)
  }

  knowNew(list: number): void {
    this.#definitions.knowNew(list)
  }

  inherit(from: number, to: number): void {
    this.#definitions.inherit(from, to)
  }

  dropAll(list: number): void {
    this.#definitions.dropAll(list)
  }

  savepoint(): number {
    return this.#journal.savepoint()
  }

  rollBackTo(savepoint: number): void {
    this.#journal.rollBackTo(savepoint)
  }

  parts(): readonly CommitPart[] {
    return [...this.#definitions.parts(), ...this.#entries.parts()]
  }

  get length(): number {
    return this.#entries.length
  }

  get hasChangedDefinitions(): boolean {
    return this.#definitions.hasChanged
  }
}

/** @throws `Missing` */
function known(cache: DefinitionCache, list: number): readonly IndexDefinition[] {
  const definitions = cache.of(list)
  if (definitions === undefined) throw new Missing({ kind: 'indexes', list })
  return definitions
}

function neighborsIn(tree: WorkingTree) {
  const neighbor = (listId: number, key: string, side: 'before' | 'after') => {
    const row = tree.neighbor(listId, key, side)
    return row && new AdjacentRow(row, tree)
  }
  return {
    before: (listId: number, key: string) => neighbor(listId, key, 'before'),
    after: (listId: number, key: string) => neighbor(listId, key, 'after'),
  }
}
