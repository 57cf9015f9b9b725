import { type IndexDeclaration, isDeclared, isWildcard } from '../../../query/index-declarations.ts'
import type { Awaitable } from '../../../scheduling/awaitable.ts'
import { loopTurn } from '../../../scheduling/loop-turn.ts'
import type { Path } from '../../../tree/path.ts'
import { TRUSTED } from '../../../tree/read-program.ts'
import { type IndexName, indexedPath, indexName, KEY_INDEX } from '../../rows/indexes/index-name.ts'
import { IndexUses } from '../../rows/indexes/index-uses.ts'
import type { DropOutcome, IndexAdministration, StoredIndex } from '../../store.ts'
import type { GroupCommit } from '../commit/group-commit.ts'
import type { Snapshot } from '../commit/snapshots.ts'
import { type ReadScheduler, UNLIMITED } from '../query/read-scheduler.ts'
import type { TreeReader } from '../tree/tree-reader.ts'
import type { IndexMaintenance } from './maintenance.ts'

/** How often uses are recorded and unused indexes dropped within `indexIdleMs`. */
const LOOKS = 16
const LONGEST_PAUSE_MS = 60_000
/** Maximum indexes of one list: a caller that may read it can order it by anything, which must not fill the disk. */
const MAX_PER_LIST = 32

/** The keys of a path that names one list are no wildcards. */
const isNoPattern = () => false

/** Parts and settings of an `IndexManager`. */
export interface IndexManagerParts {
  readonly maintenance: IndexMaintenance
  /** The reader of the writer's connection. */
  readonly reader: TreeReader
  readonly commits: Pick<GroupCommit, 'wake' | 'write'>
  readonly reads: ReadScheduler
  /** Time without a use after which an index is dropped, in milliseconds. */
  readonly indexIdleMs: number
  /** Longest list that needs no index, in children. */
  readonly shortList: number
  /** Maximum entries of all undeclared indexes together. */
  readonly maxIndexEntries: number
}

/** Requests the indexes that queries and declarations need, and has unused ones dropped. */
export class IndexManager implements IndexAdministration {
  readonly #parts: IndexManagerParts
  readonly #timer: ReturnType<typeof setInterval>
  #declarations: readonly IndexDeclaration[] = []
  #covering: readonly IndexDeclaration[] = []
  /** Whether covering indexes may be left that are not declared as such. */
  #hasNewDeclarations = true
  readonly #uses = new IndexUses()

  constructor(parts: IndexManagerParts) {
    this.#parts = parts
    this.#timer = setInterval(() => this.#age(), Math.min(parts.indexIdleMs / LOOKS, LONGEST_PAUSE_MS))
    this.#timer.unref()
    parts.maintenance.builder.wakeWith(() => this.#wake())
    parts.maintenance.limit({
      maxPerList: MAX_PER_LIST,
      maxEntries: parts.maxIndexEntries,
      isKept: (definition) => this.#isDeclared(this.#declarations, definition),
      isCovering: (index) => this.#isDeclared(this.#covering, index),
      usedAt: (definition) => this.#uses.of(definition),
    })
  }

  /**
   * Resolves when the next snapshot has the index, or the list no longer exists.
   * @throws when it cannot be built, or the capacity is exhausted
   */
  want(listId: number, name: string, isDeclared = false): Promise<void> {
    const { maintenance, commits } = this.#parts
    const built = maintenance.builder.request(listId, name, isDeclared)
    try {
      commits.wake()
    } catch (error) {
      maintenance.builder.rejectAll(error)
    }
    return built
  }

  /** Records that a query has used an index. */
  recordUse(id: number): void {
    this.#uses.record(id)
  }

  /** Replaces the declared indexes, which are kept whether used or not. Resolves when every existing list has its own. */
  async declare(declarations: readonly IndexDeclaration[]): Promise<void> {
    this.#declarations = declarations
    this.#covering = declarations.filter(({ covering }) => covering)
    this.#hasNewDeclarations = true
    for (const { list, path } of declarations) {
      if (loopTurn.isOver) await loopTurn.pause()
      const lists = await this.#parts.reads.run(UNLIMITED, TRUSTED, (snapshot) => this.#longLists(snapshot.tree, list))
      for (const id of lists) await this.want(id, indexName(path), true)
    }
  }

  list(limit: number): Awaitable<readonly StoredIndex[]> {
    return this.#parts.reads.run(UNLIMITED, TRUSTED, (snapshot) => this.#listed(snapshot, limit))
  }

  async drop(list: Path, path: Path | undefined): Promise<DropOutcome> {
    const { maintenance, reader, commits } = this.#parts
    const { definitions, entries } = maintenance
    const name = path === undefined ? KEY_INDEX : indexName(path)
    const declarations = this.#declarations
    return await commits.write(function* () {
      const [listId] = yield* reader.interiorNodes(list, isNoPattern)
      const found = listId === undefined ? undefined : definitions.find(listId, name)
      if (found === undefined) return 'unknown'
      if (path !== undefined && isDeclared(declarations, list, path)) return 'declared'
      definitions.drop(found)
      entries.expectRemoval()
      return 'dropped'
    })
  }

  /** Resolves when no build reads the file any more. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#parts.maintenance.builder.close()
  }

  #age(): void {
    const { maintenance, indexIdleMs: idleMs } = this.#parts
    maintenance.age({
      used: this.#uses.take(),
      idleMs,
      isKept: (definition) => this.#isDeclared(this.#declarations, definition),
      coveringAfter: this.#hasNewDeclarations ? 0 : undefined,
      isCovering: (definition) => this.#isDeclared(this.#covering, definition),
    })
    this.#hasNewDeclarations = false
    this.#wake()
  }

  #wake(): void {
    try {
      this.#parts.commits.wake()
    } catch {
      // The store cannot write any more, so no index is built or dropped.
    }
  }

  #isDeclared(declarations: readonly IndexDeclaration[], { listId, name }: IndexName): boolean {
    if (declarations.length === 0) return false
    const path = indexedPath(name)
    const list = path && this.#parts.reader.pathOf(listId)
    return path !== undefined && list !== undefined && isDeclared(declarations, list, path)
  }

  *#listed({ queries, tree }: Snapshot, limit: number): Generator<void, readonly StoredIndex[]> {
    const listed: StoredIndex[] = []
    for (const { id, listId, path: name, builtTo, covering, entries, usedAt } of queries.definitions(limit)) {
      const list = tree.pathOf(listId)
      const path = indexedPath(name)
      yield
      if (list === undefined) continue
      const declared = path !== undefined && isDeclared(this.#declarations, list, path)
      const used = this.#uses.of({ id, usedAt })
      listed.push({ list, path, ready: builtTo === null, covering, isDeclared: declared, entries, usedAt: used })
    }
    return listed
  }

  /** Ids of the lists that match a pattern and are long enough to need an index. */
  *#longLists(tree: TreeReader, pattern: Path): Generator<void, number[]> {
    const long: number[] = []
    for (const id of yield* tree.interiorNodes(pattern, isWildcard)) {
      if (tree.subtrees.interior(id).childCount > this.#parts.shortList) long.push(id)
      yield
    }
    return long
  }
}
