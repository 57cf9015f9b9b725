import { DholeError } from '../../../error.ts'
import type { Query } from '../../../query/query.ts'
import { isStringText, type JsonText, print } from '../../../tree/json/print.ts'
import type { Path } from '../../../tree/path.ts'
import { type Branch, isBranch, leafOf } from '../../../tree/value.ts'
import { indexNameOf, KEY_INDEX } from '../../rows/index-name.ts'
import { INTEGER_KEYS } from '../../rows/scan-range.ts'
import type { Interior } from '../../rows/slot.ts'
import type { Connection } from '../file/connection.ts'
import { type TreeReader, textValue } from '../tree/tree-reader.ts'
import type { RangeScanner } from './range-scan.ts'

/** A complete index. */
export interface ReadyIndex {
  readonly id: number
  /** Whether some entries stand for longer texts than they hold. */
  readonly hasCut: boolean
}

/** The way to the children that a query chooses. */
export type AccessPath =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'leaf'; readonly text: JsonText }
  /** They lie within one text. */
  | { readonly kind: 'text'; readonly branch: Branch }
  /** In key order, along the table. */
  | { readonly kind: 'keys'; readonly list: Interior }
  /** In lexicographic order: text keys along the table, integers along an index, or sorted in memory without one. */
  | { readonly kind: 'merge'; readonly list: Interior; readonly index: ReadyIndex | undefined }
  | { readonly kind: 'index'; readonly list: Interior; readonly index: ReadyIndex; readonly path: Path }
  /** Sorted in memory. */
  | { readonly kind: 'scan'; readonly list: Interior }
  /** An index must be made first. */
  | { readonly kind: 'missing'; readonly list: Interior; readonly name: string }

/** A way that leads somewhere without waiting. */
export type UsableAccessPath = Exclude<AccessPath, { kind: 'missing' }>

/** An interior node, and its index if it has that one. */
interface ListRow {
  readonly childCount: number
  readonly traits: number
  readonly indexId: number | null
  readonly hasCut: number | null
}

/** Finds the way for a query in one snapshot. */
export class AccessPathFinder {
  readonly #tree: TreeReader
  readonly #scanner: RangeScanner
  readonly #shortList: number
  readonly #list

  /** @param shortList children up to which a list is sorted in memory */
  constructor({ client }: Connection, tree: TreeReader, scanner: RangeScanner, shortList: number) {
    this.#tree = tree
    this.#scanner = scanner
    this.#shortList = shortList
    // Raw, because it runs for every query. A `+` keeps SQLite from preparing it anew for every value.
    this.#list = client.prepare<ListRow, [string, number]>(
      `SELECT interior.child_count AS childCount, traits, index_definition.id AS indexId, has_cut AS hasCut
       FROM interior LEFT JOIN index_definition
       ON list_id = interior.id AND path = +? AND built_to IS NULL
       WHERE interior.id = +?`,
    )
  }

  find({ path, query }: { readonly path: Path; readonly query: Query }): AccessPath {
    const { orderBy } = query
    const location = this.#tree.location(path)
    if (location === undefined) return { kind: 'nothing' }
    if (location.kind === 'inside' || location.slot.id === null) {
      const text = location.kind === 'slot' ? location.slot.value : null
      if (text !== null && isStringText(text)) return { kind: 'leaf', text }
      const value = textValue(location)
      const leaf = leafOf(value)
      if (leaf !== undefined) return { kind: 'leaf', text: print(leaf, 'stored') }
      return isBranch(value) ? { kind: 'text', branch: value } : { kind: 'nothing' }
    }
    const name = indexNameOf(orderBy)
    const { list, index } = this.#listAt(location.slot.id, name)
    if (orderBy.kind === 'key') {
      if (!orderBy.lexicographic) return { kind: 'keys', list }
      if (index !== undefined || !this.#hasManyIntegers(list)) return { kind: 'merge', list, index }
    } else {
      if (index !== undefined) return { kind: 'index', list, index, path: orderBy.path }
      if (list.childCount <= this.#shortList) return { kind: 'scan', list }
    }
    return { kind: 'missing', list, name }
  }

  /** The way that needs no index where one is missing. */
  findWithoutIndex(selection: { readonly path: Path; readonly query: Query }): UsableAccessPath {
    const access = this.find(selection)
    if (access.kind !== 'missing') return access
    const { list, name } = access
    return name === KEY_INDEX ? { kind: 'merge', list, index: undefined } : { kind: 'scan', list }
  }

  /** One look tells for most lists: integers stand first. */
  #hasManyIntegers({ id: list }: Interior): boolean {
    return this.#scanner.exceeds(
      { list, index: undefined, range: INTEGER_KEYS, descending: false, hasLongTexts: false },
      this.#shortList,
    )
  }

  /** An interior node and its complete index of that name. */
  #listAt(id: number, name: string): { list: Interior; index: ReadyIndex | undefined } {
    const row = this.#list.get(name, id)
    if (row === null) throw new DholeError('internal', undefined, { cause: `no interior row ${id}` })
    const { childCount, traits, indexId, hasCut } = row
    const index = indexId === null ? undefined : { id: indexId, hasCut: hasCut === 1 }
    return { list: { id, childCount, traits }, index }
  }
}
