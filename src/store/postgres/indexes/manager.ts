import { type IndexDeclaration, isDeclared } from '../../../query/index-declarations.ts'
import type { Path } from '../../../tree/path.ts'
import type { IndexLimits } from '../../rows/indexes/index-capacity.ts'
import { type IndexName, indexedPath, indexName, KEY_INDEX } from '../../rows/indexes/index-name.ts'
import { IndexUses } from '../../rows/indexes/index-uses.ts'
import type { DropOutcome, IndexAdministration, IndexInfo, StoredIndex } from '../../store.ts'
import { LogFlag, type RunBatch } from '../batch.ts'
import type { OpenIndexes } from '../commit/working-tree.ts'
import type { Statements } from '../connection/lane.ts'
import type { StorageClock } from '../database-clock.ts'
import { indexesOf } from './batch-indexes.ts'
import { type BuildEvents, IndexBuilder } from './building/builder.ts'
import type { PageSize } from './building/child-page.ts'
import type { IndexDefinition } from './definition.ts'
import { DefinitionCache } from './definition-cache.ts'
import { DefinitionTable, DefinitionWriter } from './definition-table.ts'
import { EntryRemoval } from './entry-removal.ts'
import { pathsOf } from './list-paths.ts'
import { LongLists } from './long-lists.ts'

/** How often uses are recorded and unused indexes dropped within `indexIdleMs`. */
const LOOKS = 16
const LONGEST_PAUSE_MS = 60_000
/** Maximum indexes of one list: a caller that may read it can order it by anything, which must not fill the disk. */
const MAX_PER_LIST = 32
/** A use is recorded again when the last record is older than `indexIdleMs` divided by this. */
const NOTED_SHARE = 8

/** Parts and settings of an `IndexManager`. */
export interface IndexManagerParts {
  /** Each statement runs on its own. */
  readonly statements: Statements
  readonly tree: number
  readonly clock: Pick<StorageClock, 'now'>
  readonly run: RunBatch
  readonly events: BuildEvents
  /** Time without a use after which an index is dropped, in milliseconds. */
  readonly indexIdleMs: number
  /** Longest list that needs no index, in children. */
  readonly shortList: number
  /** Maximum entries of all undeclared indexes together. */
  readonly maxIndexEntries: number
  /** Size of one step of a build. */
  readonly buildSize?: PageSize
}

/** The indexes of one tree: those that queries and declarations need are built, unused ones are dropped. */
export class IndexManager implements IndexAdministration {
  /** Definitions as of the applied batch. */
  readonly cache = new DefinitionCache()
  /** Opens the indexes of a batch. */
  readonly openBatch: OpenIndexes = indexesOf(this.cache)
  readonly #parts: IndexManagerParts
  readonly #table: DefinitionTable
  readonly #builder: IndexBuilder
  readonly #removal: EntryRemoval
  readonly #uses: IndexUses
  readonly #timer: ReturnType<typeof setInterval>
  #declarations: readonly IndexDeclaration[] = []
  #covering: readonly IndexDeclaration[] = []
  /** Whether covering indexes may be left that are not declared as such. */
  #hasNewDeclarations = true
  #ageing: Promise<void> | undefined

  constructor(parts: IndexManagerParts) {
    const { statements, tree, run, events, buildSize } = parts
    this.#parts = parts
    this.#uses = new IndexUses(parts.clock)
    this.#table = new DefinitionTable(statements, tree)
    this.#removal = new EntryRemoval(statements, tree, events.onFailed)
    this.#builder = new IndexBuilder({
      run,
      events,
      limits: (paths) => this.#limits(paths),
      hasUnfinished: async () => (await this.#table.unfinished()) !== undefined,
      ...(buildSize === undefined ? {} : { size: buildSize }),
    })
    this.#timer = setInterval(() => this.#age(), Math.min(parts.indexIdleMs / LOOKS, LONGEST_PAUSE_MS))
    this.#timer.unref()
    // Another process may have left work.
    this.#removal.expect()
    this.#builder.expectWork()
  }

  /** Reads the definitions of lists as of the applied batch into the cache. */
  async learn(statements: Statements, lists: readonly number[]): Promise<void> {
    const found = Map.groupBy(
      await new DefinitionTable(statements, this.#parts.tree).ofLists(lists),
      ({ listId }) => listId,
    )
    for (const list of lists) this.cache.know(list, found.get(list) ?? [])
  }

  /** A batch is applied. Call it in that turn. @param flags those of its row in the log */
  applied(flags: number): void {
    this.cache.applied(flags)
    if ((flags & LogFlag.indexes) === 0) return
    this.#removal.expect()
    this.#builder.expectWork()
  }

  /** A sweep has dropped indexes with `DROP_LISTS`. */
  swept(): void {
    this.#removal.expect()
  }

  /**
   * Resolves when the applied batch has the index, or the list no longer exists.
   * @throws when it cannot be built, or the capacity is exhausted
   */
  want(listId: number, name: string, isDeclared = false): Promise<void> {
    return this.#builder.request(listId, name, isDeclared)
  }

  /** Records that a query has used an index. */
  recordUse(id: number): void {
    this.#uses.record(id)
  }

  /** Replaces the declared indexes, which are kept whether used or not. Resolves when every long list has its own. */
  async declare(declarations: readonly IndexDeclaration[]): Promise<void> {
    this.#declarations = declarations
    this.#covering = declarations.filter(({ covering }) => covering)
    this.#hasNewDeclarations = true
    const { statements, tree, shortList } = this.#parts
    const lists = new LongLists(statements, tree)
    for (const { list, path } of declarations) {
      const ids = await lists.find(list, shortList)
      for (const id of ids) await this.want(id, indexName(path), true)
    }
  }

  /** Every index. */
  async indexes(): Promise<readonly IndexInfo[]> {
    const { statements, tree } = this.#parts
    const definitions = await this.#table.all()
    const paths = await pathsOf(
      statements,
      tree,
      definitions.map(({ listId }) => listId),
    )
    return definitions.flatMap(({ listId, path, builtTo, covering }) => {
      const list = paths.get(listId)
      return list === undefined ? [] : [{ list, path, ready: builtTo === null, covering }]
    })
  }

  async list(limit: number): Promise<readonly StoredIndex[]> {
    const definitions = await this.#table.all(limit)
    const paths = await this.#pathsOf(definitions)
    const limits = this.#limits(paths)
    return definitions.flatMap((definition) => {
      const { listId, path, builtTo, covering, entries } = definition
      const list = paths.get(listId)
      if (list === undefined) return []
      const facts = { isDeclared: limits.isKept(definition), entries, usedAt: limits.usedAt(definition) }
      return [{ list, path, ready: builtTo === null, covering, ...facts }]
    })
  }

  async drop(list: Path, path: Path | undefined): Promise<DropOutcome> {
    const name = path === undefined ? KEY_INDEX : indexName(path)
    return await this.#parts.run(async (transaction) => {
      const definitions = new DefinitionWriter(transaction)
      const listId = await new LongLists(transaction.statements, transaction.tree).at(list)
      const all = listId === undefined ? [] : await definitions.ofLists([listId])
      const found = all.find((definition) => definition.name === name)
      if (found === undefined) return 'unknown'
      if (path !== undefined && isDeclared(this.#declarations, list, path)) return 'declared'
      await definitions.drop([found])
      return 'dropped'
    })
  }

  /** Resolves when no entries of dropped indexes are left. */
  removed(): Promise<void> {
    return this.#removal.idle()
  }

  /** Builds and removes nothing any more. Resolves when no step runs. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all([this.#builder.close(), this.#removal.close(), this.#ageing])
  }

  #age(): void {
    this.#ageing ??= this.#dropUnused()
      .catch((error: unknown) => this.#parts.events.onFailed(error))
      .finally(() => {
        this.#ageing = undefined
      })
  }

  /** Records uses, which no reader sees, and drops what was not used, or need not cover any more. */
  async #dropUnused(): Promise<void> {
    const { indexIdleMs: idleMs, run, clock } = this.#parts
    await this.#table.touch(this.#uses.take(), idleMs / NOTED_SHARE)
    const hasNewDeclarations = this.#hasNewDeclarations
    this.#hasNewDeclarations = false
    if (hasNewDeclarations && (await this.#uncovered(this.#table)).length > 0) {
      await run(async (transaction) => {
        const definitions = new DefinitionWriter(transaction)
        await definitions.uncover(await this.#uncovered(definitions))
      })
    }
    const unused = await this.#table.unusedSince(clock.now - idleMs)
    if (unused.length === 0) return
    const limits = this.#limits(await this.#pathsOf(unused))
    const kept = unused.filter((definition) => limits.isKept(definition))
    await this.#table.touch(new Map(kept.map(({ id }) => [id, clock.now])), 0)
    if (kept.length === unused.length) return
    await run(async (transaction) => {
      const definitions = new DefinitionWriter(transaction)
      const still = await definitions.unusedSince(transaction.now - idleMs)
      await definitions.drop(still.filter((definition) => !limits.isKept(definition)))
    })
  }

  async #uncovered(table: DefinitionTable): Promise<readonly IndexDefinition[]> {
    const covering = await table.covering()
    const limits = this.#limits(await this.#pathsOf(covering))
    return covering.filter((definition) => !limits.isCovering(definition))
  }

  #pathsOf(definitions: readonly IndexDefinition[]): Promise<ReadonlyMap<number, Path>> {
    const { statements, tree } = this.#parts
    return pathsOf(
      statements,
      tree,
      definitions.map(({ listId }) => listId),
    )
  }

  #limits(paths: ReadonlyMap<number, Path>): IndexLimits<IndexDefinition> {
    const isAmong = (declarations: readonly IndexDeclaration[], { listId, name }: IndexName) => {
      const path = indexedPath(name)
      const list = paths.get(listId)
      return path !== undefined && list !== undefined && isDeclared(declarations, list, path)
    }
    return {
      maxPerList: MAX_PER_LIST,
      maxEntries: this.#parts.maxIndexEntries,
      isKept: (definition) => isAmong(this.#declarations, definition),
      isCovering: (index) => isAmong(this.#covering, index),
      usedAt: (definition) => this.#uses.of(definition),
    }
  }
}
