import type { Path } from '../../../../tree/path.ts'
import { type IndexLimits, type IsWanted, roomInList, roomInTree } from '../../../rows/indexes/index-capacity.ts'
import { type IndexName, indexOf } from '../../../rows/indexes/index-name.ts'
import type { BatchTransaction } from '../../batch.ts'
import type { IndexDefinition } from '../definition.ts'
import { DefinitionWriter } from '../definition-table.ts'
import { pathsOf } from '../list-paths.ts'
import { type PageSize, readPage } from './child-page.ts'
import { entriesOf, insertEntries } from './page-entries.ts'

/** An index that is wanted. */
export interface WantedIndex extends IndexName {
  /** Whether it is declared, and so exempt from the capacity. It replaces an index that should cover and does not. */
  readonly isDeclared: boolean
}

/** What a step needs to know. */
export interface StepPlan {
  readonly wanted: readonly WantedIndex[]
  readonly size: PageSize
  /** Names, by `indexOf`, of indexes that exceed the capacity by themselves. */
  readonly tooLarge: ReadonlySet<string>
  /** The bounds, once the paths of lists are known. */
  limits(paths: ReadonlyMap<number, Path>): IndexLimits<IndexDefinition>
}

/** What a step did. It counts once the batch is applied. */
export interface StepOutcome {
  /** The index of which a page was written. */
  readonly built: IndexDefinition | undefined
  /** Children that were read for it. */
  readonly rows: number
  /** Whether it is complete. */
  readonly isComplete: boolean
  /** Wanted indexes that exist, or whose list does not. */
  readonly ready: readonly IndexName[]
  readonly refused: readonly IndexName[]
  /** The index that exceeds the capacity by itself. */
  readonly tooLarge: IndexName | undefined
  /** Whether nothing is left to do. */
  readonly isIdle: boolean
}

/** Defines what is wanted and writes a page of one index, in the transaction of a batch. */
export async function buildStep(transaction: BatchTransaction, plan: StepPlan): Promise<StepOutcome> {
  return new BuildStep(transaction, plan).run()
}

class BuildStep {
  readonly #transaction: BatchTransaction
  readonly #plan: StepPlan
  readonly #definitions: DefinitionWriter
  readonly #isWanted: IsWanted<IndexDefinition>
  readonly #refused: IndexName[] = []
  #tooLarge: IndexName | undefined

  constructor(transaction: BatchTransaction, plan: StepPlan) {
    this.#transaction = transaction
    this.#plan = plan
    this.#definitions = new DefinitionWriter(transaction)
    const names = new Set(plan.wanted.map(indexOf))
    this.#isWanted = (definition) => names.has(indexOf(definition))
  }

  async run(): Promise<StepOutcome> {
    const definitions = await this.#defined()
    const unfinished = definitions.filter((each) => each.builtTo !== null && this.#isWanted(each))
    const target = leastBuilt(unfinished) ?? (await this.#definitions.unfinished())
    const page = target && (await this.#buildPage(target))
    const built = page?.definition
    const isLeft = (index: IndexName) => unfinished.some((each) => indexOf(each) === indexOf(index))
    const isDone = (index: IndexName) =>
      page?.isComplete === true && target !== undefined && indexOf(index) === indexOf(target)
    const isRefused = (index: IndexName) => this.#refused.some((each) => indexOf(each) === indexOf(index))
    return {
      built,
      rows: page?.rows ?? 0,
      isComplete: page?.isComplete === true,
      ready: this.#plan.wanted.filter((index) => !isRefused(index) && (!isLeft(index) || isDone(index))),
      refused: this.#refused,
      tooLarge: this.#tooLarge,
      isIdle: target === undefined,
    }
  }

  /** The indexes of the lists, with those that were wanted and not there. */
  async #defined(): Promise<readonly IndexDefinition[]> {
    const { wanted } = this.#plan
    if (wanted.length === 0) return []
    const { statements, tree } = this.#transaction
    const lists = wanted.map(({ listId }) => listId)
    const [definitions, paths] = await Promise.all([this.#definitions.ofLists(lists), pathsOf(statements, tree, lists)])
    const limits = this.#plan.limits(paths)
    let changes = false
    for (const index of wanted) {
      if (paths.has(index.listId)) changes = (await this.#define(index, definitions, limits)) || changes
    }
    return changes ? this.#definitions.ofLists(lists) : definitions
  }

  /** @returns whether definitions have changed */
  async #define(
    index: WantedIndex,
    definitions: readonly IndexDefinition[],
    limits: IndexLimits<IndexDefinition>,
  ): Promise<boolean> {
    const { listId, name, isDeclared } = index
    const found = definitions.find((each) => indexOf(each) === indexOf(index))
    const covering = limits.isCovering(index)
    if (found !== undefined && (!isDeclared || found.covering || !covering)) return false
    if (found !== undefined) await this.#definitions.drop([found])
    else if (!covering && !isDeclared && !(await this.#admit(index, limits))) {
      this.#refused.push(index)
      return false
    }
    await this.#definitions.define(listId, name, covering)
    return true
  }

  async #admit(index: IndexName, limits: IndexLimits<IndexDefinition>): Promise<boolean> {
    if (this.#plan.tooLarge.has(indexOf(index))) return false
    const { dropped, fits } = roomInList(await this.#definitions.ofLists([index.listId]), limits, this.#isWanted)
    await this.#definitions.drop(dropped)
    return fits
  }

  async #buildPage(
    target: IndexDefinition,
  ): Promise<
    { readonly definition: IndexDefinition; readonly rows: number; readonly isComplete: boolean } | undefined
  > {
    const { statements, tree } = this.#transaction
    const definition = await this.#definitions.locked(target.id)
    if (definition === undefined || definition.builtTo === null) return undefined
    const page = await readPage(statements, tree, definition, this.#plan.size)
    const { entries, hasCut } = entriesOf(definition, page)
    await insertEntries(statements, tree, definition.id, entries)
    await this.#definitions.progress(definition.id, page.end ?? null, entries.length, hasCut)
    const fits = await this.#fit({ ...definition, entries: definition.entries + entries.length })
    return { definition, rows: page.children.length, isComplete: fits && page.end === undefined }
  }

  /** Drops undeclared indexes that exceed the capacity. @returns whether the growing one fits */
  async #fit(growing: IndexDefinition): Promise<boolean> {
    const { statements, tree } = this.#transaction
    const bound = this.#plan.limits(new Map()).maxEntries
    if ((await this.#definitions.countEntries()) <= bound) return true
    const all = await this.#definitions.all()
    const limits = this.#plan.limits(
      await pathsOf(
        statements,
        tree,
        all.map(({ listId }) => listId),
      ),
    )
    if (limits.isKept(growing)) return true
    const { dropped, fits } = roomInTree(growing, all, limits, this.#isWanted)
    await this.#definitions.drop(dropped)
    if (fits) return true
    await this.#definitions.drop([growing])
    this.#refused.push(growing)
    if (growing.entries > bound) this.#tooLarge = growing
    return false
  }
}

/** Long builds and short ones take turns. */
function leastBuilt(definitions: readonly IndexDefinition[]): IndexDefinition | undefined {
  return definitions.reduce<IndexDefinition | undefined>(
    (least, each) => (least !== undefined && least.entries <= each.entries ? least : each),
    undefined,
  )
}
