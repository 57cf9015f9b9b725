import { DholeError } from '../../../error.ts'
import type { Query } from '../../../query/query.ts'
import { isStringText, type JsonText, print } from '../../../tree/json/print.ts'
import type { Path } from '../../../tree/path.ts'
import { type Branch, isBranch, leafOf } from '../../../tree/value.ts'
import { indexNameOf, KEY_INDEX } from '../../rows/indexes/index-name.ts'
import { INTEGER_KEYS } from '../../rows/indexes/scan-range.ts'
import { chunkedTextOf, type Interior } from '../../rows/slot.ts'
import type { Connection } from '../file/connection.ts'
import { defineStatements } from '../file/statements.ts'
import { type TreeReader, textValue } from '../tree/tree-reader.ts'
import { PAGE_ROWS, type RangeScanner } from './range-scan.ts'

/** A complete index. */
export interface ReadyIndex {
  readonly id: number
  /** Whether some entries hold only the beginning of their texts. */
  readonly hasCut: boolean
  /** Whether entries hold the short texts of the children. */
  readonly covering: boolean
}

/** How to reach the children that a query selects. */
export type AccessPath =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'leaf'; readonly text: JsonText }
  /** A leaf that is a text in chunks. */
  | { readonly kind: 'chunked'; readonly text: number }
  /** The list is part of one text. */
  | { readonly kind: 'text'; readonly branch: Branch }
  /** A scan of the table in key order. */
  | { readonly kind: 'keys'; readonly list: Interior }
  /** Lexicographic order: a scan of the table for text keys, merged with integer keys from an index or sorted in memory. */
  | { readonly kind: 'merge'; readonly list: Interior; readonly index: ReadyIndex | undefined }
  | { readonly kind: 'index'; readonly list: Interior; readonly index: ReadyIndex; readonly path: Path }
  /** A scan of all children, sorted in memory. */
  | { readonly kind: 'scan'; readonly list: Interior }
  /** The index must be built first. */
  | { readonly kind: 'missing'; readonly list: Interior; readonly name: string }

/** A path that needs no index to be built. */
export type UsableAccessPath = Exclude<AccessPath, { kind: 'missing' }>

/** An interior node with the requested index, if it is complete. */
interface ListRow {
  readonly childCount: number
  readonly traits: number
  readonly indexId: number | null
  readonly hasCut: number | null
  readonly covering: number | null
}

const statements = defineStatements({
  // Raw SQL: it runs for every query. A `+` keeps SQLite from preparing the statement again for each value.
  list: ({ client }) =>
    client.prepare<ListRow, [string, number]>(
      `SELECT interior.child_count AS childCount, traits, index_definition.id AS indexId, has_cut AS hasCut, covering
       FROM interior LEFT JOIN index_definition
       ON list_id = interior.id AND path = +? AND built_to IS NULL
       WHERE interior.id = +?`,
    ),
})

/** Chooses the access path of a query in one snapshot. */
export class AccessPathFinder {
  readonly #statements
  readonly #tree: TreeReader
  readonly #scanner: RangeScanner
  readonly #shortList: number

  /** @param shortList longest list that is sorted in memory, in children */
  constructor(connection: Connection, tree: TreeReader, scanner: RangeScanner, shortList: number) {
    this.#statements = statements(connection)
    this.#tree = tree
    this.#scanner = scanner
    this.#shortList = shortList
  }

  find({ path, query }: { readonly path: Path; readonly query: Query }): AccessPath {
    const { orderBy } = query
    const location = this.#tree.location(path)
    if (location === undefined) return { kind: 'nothing' }
    const chunked = location.kind === 'slot' ? chunkedTextOf(location.slot) : undefined
    if (chunked !== undefined) return { kind: 'chunked', text: chunked }
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

  /** As `find`; where an index is missing, a path that works without it. */
  findWithoutIndex(selection: { readonly path: Path; readonly query: Query }): UsableAccessPath {
    const access = this.find(selection)
    if (access.kind !== 'missing') return access
    const { list, name } = access
    return name === KEY_INDEX ? { kind: 'merge', list, index: undefined } : { kind: 'scan', list }
  }

  /** One row answers it for most lists, because integer keys sort first. */
  #hasManyIntegers({ id: list }: Interior): boolean {
    return this.#scanner.exceeds(
      { list, index: undefined, range: INTEGER_KEYS, descending: false, hasLongTexts: false, pageRows: PAGE_ROWS },
      this.#shortList,
    )
  }

  /** An interior node and its index of that name, if it is complete. */
  #listAt(id: number, name: string): { list: Interior; index: ReadyIndex | undefined } {
    const row = this.#statements.list.get(name, id)
    if (row === null) throw new DholeError('internal', undefined, { cause: `no interior row ${id}` })
    const { childCount, traits, indexId, hasCut, covering } = row
    const index = indexId === null ? undefined : { id: indexId, hasCut: hasCut === 1, covering: covering === 1 }
    return { list: { id, childCount, traits }, index }
  }
}
