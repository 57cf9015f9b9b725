import { and, eq, sql } from 'drizzle-orm'
import type { Query } from '../../query/query.ts'
import type { Path } from '../../tree/path.ts'
import { type Branch, isBranch, type Leaf, ownMember, VALUE } from '../../tree/value.ts'
import type { Connection } from './connection.ts'
import { indexNameOf, KEY_INDEX } from './index-path.ts'
import { INTEGER_KEYS } from './range-sql.ts'
import { type TreeReader, textValue } from './read.ts'
import { indexDefinition } from './schema.ts'
import type { Interior } from './subtree.ts'
import type { Walks } from './walk.ts'

/** A complete index. */
export interface ReadyIndex {
  readonly id: number
  /** Whether some entries stand for longer texts than they hold. */
  readonly hasCut: boolean
}

/** The way to the children that a query chooses. */
export type Access =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'leaf'; readonly leaf: Leaf }
  /** They lie within one text. */
  | { readonly kind: 'text'; readonly branch: Branch }
  /** In key order, along the table. */
  | { readonly kind: 'keys'; readonly list: Interior }
  /** In lexicographic order: text keys along the table, integers along an index, or sorted in memory without one. */
  | { readonly kind: 'merge'; readonly list: Interior; readonly index: ReadyIndex | undefined }
  | { readonly kind: 'index'; readonly list: Interior; readonly index: ReadyIndex }
  /** Sorted in memory. */
  | { readonly kind: 'scan'; readonly list: Interior }
  /** An index must be made first. */
  | { readonly kind: 'missing'; readonly list: Interior; readonly name: string }

/** Finds the way for a query in one snapshot. */
export class AccessFinder {
  readonly #tree: TreeReader
  readonly #walks: Walks
  readonly #shortList: number
  readonly #definition

  /** @param shortList children up to which a list is sorted in memory */
  constructor({ orm }: Connection, tree: TreeReader, walks: Walks, shortList: number) {
    this.#tree = tree
    this.#walks = walks
    this.#shortList = shortList
    this.#definition = orm
      .select({ id: indexDefinition.id, builtTo: indexDefinition.builtTo, hasCut: indexDefinition.hasCut })
      .from(indexDefinition)
      .where(
        and(eq(indexDefinition.listId, sql.placeholder('list')), eq(indexDefinition.path, sql.placeholder('name'))),
      )
      .prepare()
  }

  find(path: Path, { orderBy }: Query): Access {
    const place = this.#tree.place(path)
    if (place === undefined) return { kind: 'nothing' }
    if (place.kind === 'inside' || place.slot.id === null) {
      const value = textValue(place)
      const leaf = isBranch(value) ? ownMember(value, VALUE) : value
      if (isBranch(value) && leaf === undefined) return { kind: 'text', branch: value }
      return isBranch(leaf) || leaf === undefined ? { kind: 'nothing' } : { kind: 'leaf', leaf }
    }
    const list = this.#tree.subtrees.interior(place.slot.id)
    if (orderBy.kind === 'key') return orderBy.lexicographic ? this.#lexicographic(list) : { kind: 'keys', list }
    const name = indexNameOf(orderBy)
    const index = this.#ready(list, name)
    if (index !== undefined) return { kind: 'index', list, index }
    return list.childCount <= this.#shortList ? { kind: 'scan', list } : { kind: 'missing', list, name }
  }

  /** The way without an index that could not be made. */
  withoutIndex({ list, name }: Access & { kind: 'missing' }): Exclude<Access, { kind: 'missing' }> {
    return name === KEY_INDEX ? { kind: 'merge', list, index: undefined } : { kind: 'scan', list }
  }

  #lexicographic(list: Interior): Access {
    const index = this.#ready(list, KEY_INDEX)
    if (index !== undefined) return { kind: 'merge', list, index }
    // One look tells for most lists: integers stand first.
    const integers = { list: list.id, index: undefined, range: INTEGER_KEYS, descending: false }
    const many = this.#walks.exceeds(integers, this.#shortList)
    return many ? { kind: 'missing', list, name: KEY_INDEX } : { kind: 'merge', list, index: undefined }
  }

  #ready({ id: list }: Interior, name: string): ReadyIndex | undefined {
    const definition = this.#definition.get({ list, name })
    return definition === undefined || definition.builtTo !== null ? undefined : definition
  }
}
