import { and, eq, gt, isNotNull, lt, sql } from 'drizzle-orm'
import type { Path } from '../../../tree/path.ts'
import { indexedPath } from '../../rows/index-name.ts'
import type { Connection } from '../file/connection.ts'
import { indexDefinition } from '../file/schema.ts'

/** An index on the writer's connection. */
export interface IndexDefinition {
  readonly id: number
  /** Interior node whose children it sorts. */
  readonly listId: number
  readonly name: string
  /** Child path below each child; `undefined` for the index over integer keys. */
  readonly path: Path | undefined
  /** Children up to this key have their entries; `null` when all have. */
  builtTo: string | null
  hasCut: boolean
  /** Entries that building it has written. */
  entries: number
  /** Time of a query that used it, in milliseconds since 1970; not always the last one. */
  readonly usedAt: number
}

type Row = typeof indexDefinition.$inferSelect

/** Maximum unused indexes found in one step. */
const STEP_DEFINITIONS = 128
/** Maximum lists whose indexes are cached. */
const MAX_CACHED_LISTS = 1024
const NONE: readonly IndexDefinition[] = []

/** The definitions of all indexes, read and changed inside the writer's transaction. */
export class IndexDefinitions {
  readonly #ofList
  readonly #unfinished
  readonly #some
  readonly #all
  readonly #countEntries
  readonly #insert
  readonly #progress
  readonly #markCut
  readonly #drop
  readonly #dropList
  readonly #touch
  readonly #unused
  readonly #byList = new Map<number, readonly IndexDefinition[]>()
  /** Most trees have no index: then the table is not read. */
  #isEmpty: boolean | undefined

  constructor({ orm }: Connection) {
    const id = eq(indexDefinition.id, sql.placeholder('id'))
    const ofList = eq(indexDefinition.listId, sql.placeholder('list'))
    const inUse = gt(indexDefinition.listId, 0)
    const select = () => orm.select().from(indexDefinition)
    this.#ofList = select().where(ofList).prepare()
    this.#unfinished = select()
      .where(and(inUse, isNotNull(indexDefinition.builtTo)))
      .limit(1)
      .prepare()
    this.#some = orm.select({ id: indexDefinition.id }).from(indexDefinition).where(inUse).limit(1).prepare()
    this.#all = select().where(inUse).prepare()
    this.#countEntries = orm
      .select({ entries: sql<number | null>`sum(${indexDefinition.entries})` })
      .from(indexDefinition)
      .where(inUse)
      .prepare()
    this.#insert = orm
      .insert(indexDefinition)
      .values({
        listId: sql.placeholder('list'),
        path: sql.placeholder('name'),
        builtTo: '',
        hasCut: false,
        usedAt: sql.placeholder('now'),
      })
      .onConflictDoNothing()
      .prepare()
    this.#progress = orm
      .update(indexDefinition)
      .set({
        builtTo: sql`${sql.placeholder('builtTo')}`,
        entries: sql`${indexDefinition.entries} + ${sql.placeholder('added')}`,
      })
      .where(id)
      .prepare()
    this.#markCut = orm.update(indexDefinition).set({ hasCut: true }).where(id).prepare()
    const dropped = { listId: sql`-${indexDefinition.id}` }
    this.#drop = orm.update(indexDefinition).set(dropped).where(id).prepare()
    this.#dropList = orm.update(indexDefinition).set(dropped).where(ofList).prepare()
    this.#touch = orm
      .update(indexDefinition)
      .set({ usedAt: sql`${sql.placeholder('now')}` })
      .where(and(id, lt(indexDefinition.usedAt, sql.placeholder('before'))))
      .returning({ id: indexDefinition.id })
      .prepare()
    this.#unused = select()
      .where(and(inUse, lt(indexDefinition.usedAt, sql.placeholder('before'))))
      .orderBy(indexDefinition.usedAt)
      .limit(STEP_DEFINITIONS)
      .prepare()
  }

  /** Whether no index exists. */
  get isEmpty(): boolean {
    this.#isEmpty ??= this.#some.get() === undefined
    return this.#isEmpty
  }

  /** The indexes of a list. */
  of(listId: number): readonly IndexDefinition[] {
    if (this.isEmpty) return NONE
    let definitions = this.#byList.get(listId)
    if (definitions === undefined) {
      if (this.#byList.size >= MAX_CACHED_LISTS) this.#byList.clear()
      definitions = this.#ofList.all({ list: listId }).map(definitionOf)
      this.#byList.set(listId, definitions)
    }
    return definitions
  }

  find(listId: number, name: string): IndexDefinition | undefined {
    return this.of(listId).find((definition) => definition.name === name)
  }

  /** The indexes of all lists. */
  all(): readonly IndexDefinition[] {
    return this.#all.all().map(definitionOf)
  }

  /** Number of entries that the builds of all indexes have written. */
  countEntries(): number {
    return this.#countEntries.get()?.entries ?? 0
  }

  /** An incomplete index. */
  unfinished(): IndexDefinition | undefined {
    if (this.isEmpty) return undefined
    const row = this.#unfinished.get()
    return row === undefined ? undefined : this.find(row.listId, row.path)
  }

  /** Adds an empty, incomplete index, unless the list has it. */
  define(listId: number, name: string, now: number): void {
    this.#insert.run({ list: listId, name, now })
    this.#isEmpty = false
    this.#byList.delete(listId)
  }

  /** Records the progress of a build. @param added entries written since the last call */
  progress(definition: IndexDefinition, builtTo: string | null, added: number): void {
    definition.builtTo = builtTo
    definition.entries += added
    this.#progress.run({ id: definition.id, builtTo, added })
  }

  markCut(definition: IndexDefinition): void {
    if (definition.hasCut) return
    definition.hasCut = true
    this.#markCut.run({ id: definition.id })
  }

  /** Hides an index at once; its entries are removed later. */
  drop({ id, listId }: IndexDefinition): void {
    this.#drop.run({ id })
    this.#byList.delete(listId)
  }

  /** As `drop`, for all indexes of a list. @returns whether there were any */
  dropAll(listId: number): boolean {
    if (this.of(listId).length === 0) return false
    this.#dropList.run({ list: listId })
    this.#byList.delete(listId)
    return true
  }

  /** Defines the indexes of a list for the list that replaces it. */
  inherit(from: number, to: number, now: number): void {
    for (const { name } of this.of(from)) this.define(to, name, now)
  }

  /** Records a use, unless a use after `before` is recorded. @returns whether it was written */
  touch(id: number, now: number, before: number): boolean {
    return this.#touch.get({ id, now, before }) !== undefined
  }

  /** Some indexes whose last recorded use is older. */
  unusedSince(before: number): readonly IndexDefinition[] {
    return this.isEmpty ? NONE : this.#unused.all({ before }).map(definitionOf)
  }

  /** The transaction was rolled back: clears the caches. */
  forget(): void {
    this.#byList.clear()
    this.#isEmpty = undefined
  }
}

function definitionOf({ path: name, ...row }: Row): IndexDefinition {
  return { ...row, name, path: indexedPath(name) }
}
