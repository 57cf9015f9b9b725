import { and, eq, gt, isNotNull, lt, sql } from 'drizzle-orm'
import type { Path } from '../../../tree/path.ts'
import { indexedPath } from '../../rows/indexes/index-name.ts'
import type { Connection } from '../file/connection.ts'
import { indexDefinition } from '../file/schema.ts'
import { defineStatements } from '../file/statements.ts'

/** An index on the writer's connection. */
export interface IndexDefinition {
  readonly id: number
  /** Interior node whose children it sorts. */
  readonly listId: number
  readonly name: string
  /** Child path below each child; `undefined` for the index over integer keys. */
  readonly path: Path | undefined
  /** `null` when it is complete, else the empty text; a key in files of versions that built in key order. */
  builtTo: string | null
  hasCut: boolean
  /** Entries that building it has written. */
  entries: number
  /** Whether entries hold the short texts of children. If not, entries of an index that was covering have old texts. */
  readonly covering: boolean
  /** Time of a query that used it, in milliseconds since 1970; not always the last one. */
  readonly usedAt: number
}

type Row = typeof indexDefinition.$inferSelect

/** Maximum indexes looked at in one step. */
const STEP_DEFINITIONS = 128
/** Maximum lists whose indexes are cached. */
const MAX_CACHED_LISTS = 1024
const NONE: readonly IndexDefinition[] = []

const BY_ID = eq(indexDefinition.id, sql.placeholder('id'))
const OF_LIST = eq(indexDefinition.listId, sql.placeholder('list'))
const IN_USE = gt(indexDefinition.listId, 0)
const DROPPED = { listId: sql`-${indexDefinition.id}` }

const statements = defineStatements({
  ofList: ({ orm }) => orm.select().from(indexDefinition).where(OF_LIST).prepare(),
  unfinished: ({ orm }) =>
    orm
      .select()
      .from(indexDefinition)
      .where(and(IN_USE, isNotNull(indexDefinition.builtTo)))
      .limit(1)
      .prepare(),
  some: ({ orm }) => orm.select({ id: indexDefinition.id }).from(indexDefinition).where(IN_USE).limit(1).prepare(),
  all: ({ orm }) => orm.select().from(indexDefinition).where(IN_USE).prepare(),
  countEntries: ({ orm }) =>
    orm
      .select({ entries: sql<number | null>`sum(${indexDefinition.entries})` })
      .from(indexDefinition)
      .where(IN_USE)
      .prepare(),
  insert: ({ orm }) =>
    orm
      .insert(indexDefinition)
      .values({
        listId: sql.placeholder('list'),
        path: sql.placeholder('name'),
        builtTo: '',
        hasCut: false,
        covering: sql.placeholder('covering'),
        usedAt: sql.placeholder('now'),
      })
      .onConflictDoNothing()
      .prepare(),
  progress: ({ orm }) =>
    orm
      .update(indexDefinition)
      .set({
        builtTo: sql`${sql.placeholder('builtTo')}`,
        entries: sql`${indexDefinition.entries} + ${sql.placeholder('added')}`,
      })
      .where(BY_ID)
      .prepare(),
  covering: ({ orm }) =>
    orm
      .select()
      .from(indexDefinition)
      .where(and(IN_USE, eq(indexDefinition.covering, true), gt(indexDefinition.id, sql.placeholder('after'))))
      .orderBy(indexDefinition.id)
      .limit(STEP_DEFINITIONS)
      .prepare(),
  uncover: ({ orm }) => orm.update(indexDefinition).set({ covering: false }).where(BY_ID).prepare(),
  markCut: ({ orm }) => orm.update(indexDefinition).set({ hasCut: true }).where(BY_ID).prepare(),
  drop: ({ orm }) => orm.update(indexDefinition).set(DROPPED).where(BY_ID).prepare(),
  dropList: ({ orm }) => orm.update(indexDefinition).set(DROPPED).where(OF_LIST).prepare(),
  touch: ({ orm }) =>
    orm
      .update(indexDefinition)
      .set({ usedAt: sql`${sql.placeholder('now')}` })
      .where(and(BY_ID, lt(indexDefinition.usedAt, sql.placeholder('before'))))
      .returning({ id: indexDefinition.id })
      .prepare(),
  unused: ({ orm }) =>
    orm
      .select()
      .from(indexDefinition)
      .where(and(IN_USE, lt(indexDefinition.usedAt, sql.placeholder('before'))))
      .orderBy(indexDefinition.usedAt)
      .limit(STEP_DEFINITIONS)
      .prepare(),
})

/** The definitions of all indexes, read and changed inside the writer's transaction. */
export class IndexDefinitions {
  readonly #statements
  readonly #byList = new Map<number, readonly IndexDefinition[]>()
  /** Most trees have no index: then the table is not read. */
  #isEmpty: boolean | undefined

  constructor(connection: Connection) {
    this.#statements = statements(connection)
  }

  /** Whether no index exists. */
  get isEmpty(): boolean {
    this.#isEmpty ??= this.#statements.some.get() === undefined
    return this.#isEmpty
  }

  /** The indexes of a list. */
  of(listId: number): readonly IndexDefinition[] {
    if (this.isEmpty) return NONE
    let definitions = this.#byList.get(listId)
    if (definitions === undefined) {
      if (this.#byList.size >= MAX_CACHED_LISTS) this.#byList.clear()
      definitions = this.#statements.ofList.all({ list: listId }).map(definitionOf)
      this.#byList.set(listId, definitions)
    }
    return definitions
  }

  find(listId: number, name: string): IndexDefinition | undefined {
    return this.of(listId).find((definition) => definition.name === name)
  }

  /** The indexes of all lists. */
  all(): readonly IndexDefinition[] {
    return this.#statements.all.all().map(definitionOf)
  }

  /** Number of entries that the builds of all indexes have written. */
  countEntries(): number {
    return this.#statements.countEntries.get()?.entries ?? 0
  }

  /** An incomplete index. */
  unfinished(): IndexDefinition | undefined {
    if (this.isEmpty) return undefined
    const row = this.#statements.unfinished.get()
    return row === undefined ? undefined : this.find(row.listId, row.path)
  }

  /** Adds an empty, incomplete index, unless the list has it. */
  define(listId: number, name: string, covering: boolean, now: number): void {
    this.#statements.insert.run({ list: listId, name, covering: Number(covering), now })
    this.#isEmpty = false
    this.#byList.delete(listId)
  }

  /** Records the progress of a build. @param added entries written since the last call */
  progress(definition: IndexDefinition, builtTo: string | null, added: number): void {
    definition.builtTo = builtTo
    definition.entries += added
    this.#statements.progress.run({ id: definition.id, builtTo, added })
  }

  markCut(definition: IndexDefinition): void {
    if (definition.hasCut) return
    definition.hasCut = true
    this.#statements.markCut.run({ id: definition.id })
  }

  /** The next covering indexes after an id. */
  covering(after: number): readonly IndexDefinition[] {
    return this.isEmpty ? NONE : this.#statements.covering.all({ after }).map(definitionOf)
  }

  /** Writes and reads no texts in the entries of an index from now on. Those that are there stay, and grow old. */
  uncover({ id, listId }: IndexDefinition): void {
    this.#statements.uncover.run({ id })
    this.#byList.delete(listId)
  }

  /** Hides an index at once; its entries are removed later. */
  drop({ id, listId }: IndexDefinition): void {
    this.#statements.drop.run({ id })
    this.#byList.delete(listId)
  }

  /** As `drop`, for all indexes of a list. @returns whether there were any */
  dropAll(listId: number): boolean {
    if (this.of(listId).length === 0) return false
    this.#statements.dropList.run({ list: listId })
    this.#byList.delete(listId)
    return true
  }

  /** Defines the indexes of a list for the list that replaces it. */
  inherit(from: number, to: number, now: number): void {
    for (const { name, covering } of this.of(from)) this.define(to, name, covering, now)
  }

  /** Records a use, unless a use after `before` is recorded. @returns whether it was written */
  touch(id: number, now: number, before: number): boolean {
    return this.#statements.touch.get({ id, now, before }) !== undefined
  }

  /** Some indexes whose last recorded use is older. */
  unusedSince(before: number): readonly IndexDefinition[] {
    return this.isEmpty ? NONE : this.#statements.unused.all({ before }).map(definitionOf)
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
