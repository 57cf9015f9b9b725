import type { CommitPart } from '../batch.ts'
import type { Journal } from '../commit/journal.ts'
import { arrayOf } from '../connection/arrays.ts'
import type { IndexDefinition } from './definition.ts'

/** Reads definitions as of the batch before. */
export interface DefinitionSource {
  /** The indexes of a list. @throws `Missing` when they are not known */
  of(listId: number): readonly IndexDefinition[]
}

const NONE: readonly IndexDefinition[] = []

/** The definitions of lists in an open batch: those of the batch before, with what this one has changed so far. */
export class DefinitionChanges implements DefinitionSource {
  readonly #before: DefinitionSource
  readonly #takeId: () => number
  readonly #now: number
  /** Lists whose definitions differ from those of the batch before. */
  readonly #changed = new Map<number, readonly IndexDefinition[]>()
  /** What these lists had before. */
  readonly #old = new Map<number, readonly IndexDefinition[]>()
  /** Lists that the batch has made. */
  readonly #new = new Set<number>()
  readonly #journal: Journal

  /**
   * @param takeId takes an id of the tree
   * @param now time of the batch, in milliseconds since 1970
   */
  constructor(before: DefinitionSource, journal: Journal, takeId: () => number, now: number) {
    this.#journal = journal
    this.#before = before
    this.#takeId = takeId
    this.#now = now
  }

  of(listId: number): readonly IndexDefinition[] {
    return this.#changed.get(listId) ?? this.#before.of(listId)
  }

  /** A new interior node has no index until `inherit` gives it some. */
  knowNew(listId: number): void {
    this.#new.add(listId)
    this.#set(listId, NONE)
  }

  /** Defines the indexes of a list for the new list that replaces it. Call it before `dropAll` of the old one. */
  inherit(from: number, to: number): void {
    const inherited = this.of(from).map((definition) => ({
      ...definition,
      id: this.#takeId(),
      listId: to,
      builtTo: '',
      hasCut: false,
      entries: 0,
      usedAt: this.#now,
    }))
    this.#new.add(to)
    this.#set(to, inherited)
  }

  /** The list is not part of the tree any more. Its definitions are hidden at once, the entries are removed later. */
  dropAll(listId: number): void {
    if (this.of(listId).length > 0) this.#set(listId, NONE)
  }

  /** An entry holds only the beginning of its text. */
  markCut({ id, listId, hasCut }: IndexDefinition): void {
    if (hasCut) return
    this.#set(
      listId,
      this.of(listId).map((each) => (each.id === id ? { ...each, hasCut: true } : each)),
    )
  }

  /** Whether the batch writes definitions: then it has the flag `LogFlag.indexes`. */
  get hasChanged(): boolean {
    return this.parts().length > 0
  }

  /** What the batch writes. */
  parts(): readonly CommitPart[] {
    const before: IndexDefinition[] = []
    const after: IndexDefinition[] = []
    for (const [listId, definitions] of this.#changed) {
      before.push(...(this.#old.get(listId) ?? NONE))
      after.push(...definitions)
    }
    const [old, now] = [byId(before), byId(after)]
    const added = after.filter(({ id }) => !old.has(id))
    const dropped = before.filter(({ id }) => !now.has(id))
    const cut = before.filter(({ id, hasCut }) => !hasCut && now.get(id)?.hasCut === true)
    return [
      ...(added.length > 0 ? [insertion(added)] : []),
      ...(dropped.length > 0 ? [update('index_drop', 'list_id = -d.id', dropped)] : []),
      ...(cut.length > 0 ? [update('index_cut', 'has_cut = true', cut)] : []),
    ]
  }

  #set(listId: number, definitions: readonly IndexDefinition[]): void {
    if (!this.#new.has(listId) && !this.#old.has(listId)) this.#old.set(listId, this.#before.of(listId))
    this.#journal.set(this.#changed, listId, definitions)
  }
}

function byId(definitions: readonly IndexDefinition[]): ReadonlyMap<number, IndexDefinition> {
  return new Map(definitions.map((definition) => [definition.id, definition]))
}

function insertion(added: readonly IndexDefinition[]): CommitPart {
  return {
    name: 'index_in',
    sql: ({ tree, guard, add }) =>
      'INSERT INTO index_definition (tree, id, list_id, path, built_to, has_cut, covering, used_at) ' +
      `SELECT ${tree}, s.id, s.list, s.name, s.built, s.cut, s.covering, s.used FROM unnest(` +
      [
        add(arrayOf(added.map(({ id }) => id)), 'bigint[]'),
        add(arrayOf(added.map(({ listId }) => listId)), 'bigint[]'),
        add(arrayOf(added.map(({ name }) => name)), 'text[]'),
        add(arrayOf(added.map(({ builtTo }) => builtTo)), 'text[]'),
        add(arrayOf(added.map(({ hasCut }) => hasCut)), 'boolean[]'),
        add(arrayOf(added.map(({ covering }) => covering)), 'boolean[]'),
        add(arrayOf(added.map(({ usedAt }) => usedAt)), 'bigint[]'),
      ].join(', ') +
      `) AS s(id, list, name, built, cut, covering, used) WHERE ${guard}`,
  }
}

function update(name: string, change: string, definitions: readonly IndexDefinition[]): CommitPart {
  return {
    name,
    sql: ({ tree, guard, add }) =>
      `UPDATE index_definition d SET ${change} WHERE d.tree = ${tree} ` +
      `AND d.id = ANY(${add(arrayOf(definitions.map(({ id }) => id)), 'bigint[]')}) AND ${guard}`,
  }
}
