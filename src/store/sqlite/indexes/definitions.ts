import { and, eq, gt, isNotNull, lt, sql } from 'drizzle-orm'
import type { Path } from '../../../tree/path.ts'
import { indexedPath } from '../../rows/index-name.ts'
import type { Connection } from '../file/connection.ts'
import { indexDefinition } from '../file/schema.ts'

/** An index as the writer knows it. */
export interface IndexDefinition {
  readonly id: number
  /** The interior node whose children it sorts. */
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

/** Indexes looked at in one step. */
const STEP_DEFINITIONS = 128
/** Lists whose indexes are remembered. */
const MAX_CACHED_LISTS = 1024
const NONE: readonly IndexDefinition[] = []

/** The indexes there are, seen and changed inside the writer's transaction. */
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
  /** Most trees have none: then nobody looks. */
  #isEmpty: boolean | undefined

  constructor({ orm }: Connection) {
    const id = eq(indexDefinition.id, sql.placeholder('id'))
    const ofList = eq(indexDefinition.listId, sql.placeholder('list'))
    const inUse = gt(indexDefinition.listId, 0)
    this.#ofList = orm.select().from(indexDefinition).where(ofList).prepare()
    this.#unfinished = orm
      .select()
      .from(indexDefinition)
      .where(and(inUse, isNotNull(indexDefinition.builtTo)))
      .limit(1)
      .prepare()
    this.#some = orm.select({ id: indexDefinition.id }).from(indexDefinition).where(inUse).limit(1).prepare()
    this.#all = orm.select().from(indexDefinition).where(inUse).prepare()
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
    this.#unused = orm
      .select()
      .from(indexDefinition)
      .where(and(inUse, lt(indexDefinition.usedAt, sql.placeholder('before'))))
      .orderBy(indexDefinition.usedAt)
      .limit(STEP_DEFINITIONS)
      .prepare()
  }

  /** Whether there is none at all. */
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

  /** How many entries building all of them has written. */
  countEntries(): number {
    return this.#countEntries.get()?.entries ?? 0
  }

  /** One that is not built yet. */
  unfinished(): IndexDefinition | undefined {
    if (this.isEmpty) return undefined
    const row = this.#unfinished.get()
    return row === undefined ? undefined : this.find(row.listId, row.path)
  }

  /** Adds an index that is still to be built, unless the list has it. */
  define(listId: number, name: string, now: number): void {
    this.#insert.run({ list: listId, name, now })
    this.#isEmpty = false
    this.#byList.delete(listId)
  }

  /** @param added entries written since the last progress */
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

  /** From now on nobody sees the index; its entries go later. */
  drop({ id, listId }: IndexDefinition): void {
    this.#drop.run({ id })
    this.#byList.delete(listId)
  }

  /** The same for all indexes of a list. @returns whether there were any */
  dropAll(listId: number): boolean {
    if (this.of(listId).length === 0) return false
    this.#dropList.run({ list: listId })
    this.#byList.delete(listId)
    return true
  }

  /** A list stands where another one stood: it is to be sorted by the same. */
  inherit(from: number, to: number, now: number): void {
    for (const { name } of this.of(from)) this.define(to, name, now)
  }

  /** Notes a use, unless one not much older is noted. @returns whether it was news */
  touch(id: number, now: number, before: number): boolean {
    return this.#touch.get({ id, now, before }) !== undefined
  }

  /** Some indexes whose last noted use is older. */
  unusedSince(before: number): readonly IndexDefinition[] {
    return this.isEmpty ? NONE : this.#unused.all({ before }).map(definitionOf)
  }

  /** A transaction was taken back: what is remembered may be wrong. */
  forget(): void {
    this.#byList.clear()
    this.#isEmpty = undefined
  }
}

function definitionOf({ path: name, ...row }: Row): IndexDefinition {
  return { ...row, name, path: indexedPath(name) }
}
