import { type IndexDeclaration, isDeclared, isWildcard } from '../../../query/index-declarations.ts'
import { pauser } from '../../../scheduling/turns.ts'
import type { Path } from '../../../tree/path.ts'
import { indexName } from '../../rows/index-name.ts'
import { type ReadScheduler, UNLIMITED } from '../query/read-scheduler.ts'
import type { TreeReader } from '../tree/tree-reader.ts'
import type { IndexDefinition } from './definitions.ts'
import type { IndexMaintenance } from './maintenance.ts'

/** Uses are noted, and unused indexes looked for, so often in the time after which one is dropped. */
const LOOKS = 16
const LONGEST_PAUSE_MS = 60_000
/** Whoever may read a list can have it sorted by anything: that must not fill the disk. */
const MAX_PER_LIST = 32
/** Indexes whose last use is remembered. */
const MAX_CACHED_USES = 65_536

/** What an index keeper needs of its surroundings. */
export interface IndexManagerParts {
  readonly maintenance: IndexMaintenance
  /** The reader of the writer's connection. */
  readonly reader: TreeReader
  /** Has a transaction run soon. Throws `unavailable` when none can be any more. */
  readonly wake: () => void
  readonly reads: ReadScheduler
  /** An index not used for so long is dropped, in milliseconds. */
  readonly indexIdleMs: number
  /** Lists of no more children need no index. */
  readonly shortList: number
  /** Entries that all indexes together may have that are not declared. */
  readonly maxIndexEntries: number
}

/** Knows which indexes are wanted and which are used, and sees to it that those are there and no others. */
export class IndexManager {
  readonly #parts: IndexManagerParts
  readonly #timer: ReturnType<typeof setInterval>
  #declarations: readonly IndexDeclaration[] = []
  /** Time of the last use of indexes by id, in milliseconds since 1970: since the last look, and before it. */
  #used = new Map<number, number>()
  readonly #usedBefore = new Map<number, number>()

  constructor(parts: IndexManagerParts) {
    this.#parts = parts
    this.#timer = setInterval(() => this.#age(), Math.min(parts.indexIdleMs / LOOKS, LONGEST_PAUSE_MS))
    this.#timer.unref()
    parts.maintenance.limit({
      maxPerList: MAX_PER_LIST,
      maxEntries: parts.maxIndexEntries,
      isKept: (definition) => this.#isDeclared(definition),
      usedAt: (definition) => this.#usedAt(definition),
    })
  }

  /**
   * Resolves when the next snapshot has the index, or the list is gone.
   * @throws when it cannot be built, or there is no room for it though those that are used less have gone
   */
  want(listId: number, name: string): Promise<void> {
    return this.#request(listId, name, false)
  }

  #request(listId: number, name: string, isDeclared: boolean): Promise<void> {
    const { maintenance, wake } = this.#parts
    const built = maintenance.request(listId, name, isDeclared)
    try {
      wake()
    } catch (error) {
      maintenance.rejectAll(error)
    }
    return built
  }

  /** A query has gone along an index. */
  recordUse(id: number): void {
    this.#used.set(id, Date.now())
  }

  /** Not written down each time, so what this process has seen is newer. */
  #usedAt({ id, usedAt }: IndexDefinition): number {
    return this.#used.get(id) ?? this.#usedBefore.get(id) ?? usedAt
  }

  /** From now on these are kept, whether used or not. Resolves when the lists there are have them. */
  async declare(declarations: readonly IndexDeclaration[]): Promise<void> {
    this.#declarations = declarations
    const pause = pauser()
    for (const { list, path } of declarations) {
      const pausing = pause()
      if (pausing !== undefined) await pausing
      const lists = await this.#parts.reads.run(UNLIMITED, undefined, (snapshot) =>
        this.#longLists(snapshot.tree, list),
      )
      for (const id of lists) await this.#request(id, indexName(path), true)
    }
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #age(): void {
    const used = this.#used
    this.#used = new Map()
    if (this.#usedBefore.size + used.size > MAX_CACHED_USES) this.#usedBefore.clear()
    for (const [id, at] of used) this.#usedBefore.set(id, at)
    const { maintenance, indexIdleMs: idleMs, wake } = this.#parts
    maintenance.age({ used, idleMs, isKept: (definition) => this.#isDeclared(definition) })
    try {
      wake()
    } catch {
      // Nothing can be written any more: nothing is dropped either.
    }
  }

  #isDeclared({ listId, path }: IndexDefinition): boolean {
    if (path === undefined) return false
    const list = this.#declarations.length === 0 ? undefined : this.#parts.reader.pathOf(listId)
    return list !== undefined && isDeclared(this.#declarations, list, path)
  }

  /** Ids of the lists that a pattern is about and that need an index. */
  *#longLists(tree: TreeReader, pattern: Path): Generator<void, number[]> {
    const long: number[] = []
    for (const id of yield* tree.interiorNodes(pattern, isWildcard)) {
      if (tree.subtrees.interior(id).childCount > this.#parts.shortList) long.push(id)
      yield
    }
    return long
  }
}
