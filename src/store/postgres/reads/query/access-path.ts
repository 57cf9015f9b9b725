import type { Query } from '../../../../query/query.ts'
import { isStringText, type JsonText, print } from '../../../../tree/json/print.ts'
import type { Path } from '../../../../tree/path.ts'
import { type Branch, isBranch, leafOf } from '../../../../tree/value.ts'
import { indexedPath, indexNameOf } from '../../../rows/indexes/index-name.ts'
import { INTEGER_KEYS } from '../../../rows/indexes/scan-range.ts'
import type { Interior } from '../../../rows/slot.ts'
import { valueInText } from '../../../rows/value-in-text.ts'
import { locate } from '../location.ts'
import type { Reading, ReadyIndex } from '../reading.ts'
import type { RangeScanner } from './range-scanner.ts'

/** How to reach the children that a query selects. */
export type AccessPath =
  | { readonly kind: 'nothing' }
  /** `null` for a string that is so long that it was not read. */
  | { readonly kind: 'leaf'; readonly text: JsonText | null }
  /** The list is part of one text. */
  | { readonly kind: 'text'; readonly branch: Branch }
  | ListAccessPath

export type IndexAccessPath = {
  readonly kind: 'index'
  readonly list: Interior
  readonly index: ReadyIndex
  readonly path: Path
}

export type ListAccessPath =
  /** A scan of the table in key order. */
  | { readonly kind: 'keys'; readonly list: Interior }
  /** Lexicographic order: a scan of the table for text keys, merged with integer keys from an index or sorted in memory. */
  | { readonly kind: 'merge'; readonly list: Interior; readonly index: ReadyIndex | undefined }
  | IndexAccessPath
  /** A scan of all children, sorted in memory. */
  | { readonly kind: 'scan'; readonly list: Interior; readonly path: Path }

/** The index must be built first. */
export interface MissingPath {
  readonly kind: 'missing'
  readonly list: Interior
  readonly name: string
}

/** A requested selection of children. */
export interface Selection {
  readonly path: Path
  readonly query: Query
}

/**
 * Chooses the access path of a query whose list was walked to, with the index that it needs.
 * @param shortList longest list that is sorted in memory, in children
 */
export async function findAccess(
  reading: Reading,
  scanner: RangeScanner,
  { path, query: { orderBy } }: Selection,
  shortList: number,
): Promise<AccessPath | MissingPath> {
  const location = locate(reading.known, path)
  if (location === undefined) return { kind: 'nothing' }
  if (location.kind !== 'interior') {
    const text = location.kind === 'text' ? location.text : undefined
    if (text === null || (text !== undefined && isStringText(text))) return { kind: 'leaf', text }
    const value = location.kind === 'inside' ? location.value : valueInText(text ?? '', [])
    const leaf = value === undefined ? undefined : leafOf(value)
    if (leaf !== undefined) return { kind: 'leaf', text: print(leaf, 'stored') }
    return isBranch(value) ? { kind: 'text', branch: value } : { kind: 'nothing' }
  }
  const list = location.interior
  const { index } = reading
  if (orderBy.kind === 'key') {
    if (!orderBy.lexicographic) return { kind: 'keys', list }
    const integers = { list: list.id, index: undefined, range: INTEGER_KEYS, descending: false }
    // One row answers it for most lists, because integer keys sort first.
    if (index !== undefined || !(await scanner.exceeds(integers, shortList))) return { kind: 'merge', list, index }
  } else {
    if (index !== undefined) return { kind: 'index', list, index, path: orderBy.path }
    if (list.childCount <= shortList) return { kind: 'scan', list, path: orderBy.path }
  }
  return { kind: 'missing', list, name: indexNameOf(orderBy) }
}

/** A path that works without the index. */
export function withoutIndex({ list, name }: MissingPath): ListAccessPath {
  const path = indexedPath(name)
  return path === undefined ? { kind: 'merge', list, index: undefined } : { kind: 'scan', list, path }
}
