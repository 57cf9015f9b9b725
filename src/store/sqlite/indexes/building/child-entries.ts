import { FIRST_TEXT_KEY, NO_VALUE } from '../../../../tree/order.ts'
import type { Path } from '../../../../tree/path.ts'
import { isValued } from '../../../rows/index-entries.ts'
import { indexValue, keyEntry } from '../../../rows/index-value.ts'
import { type ChildRow, isChild, LAST_KEY } from '../../../rows/slot.ts'
import type { Connection } from '../../file/connection.ts'
import { defineStatements } from '../../file/statements.ts'
import type { TreeReader } from '../../tree/tree-reader.ts'

/** An entry as its table has it. */
export interface StoredEntry {
  readonly kind: number
  readonly value: number | string
  /** Encoded by `sortKey`. */
  readonly key: string
}

/** The entries of some consecutive children of a list, in key order. */
export interface EntryPage {
  readonly entries: readonly StoredEntry[]
  /** Whether an entry holds only the beginning of its text. */
  readonly hasCut: boolean
  /** Rows that were read. */
  readonly rows: number
}

/** Some entries of a list, in the order of their table. */
export interface EntryBatch {
  /** Kind, value and key of each entry, one after the other. */
  readonly columns: readonly (number | string)[]
  /** Whether all entries were handed out. */
  readonly isLast: boolean
  /** Whether an entry of the list holds only the beginning of its text. */
  readonly hasCut: boolean
  /** Rows of the list that were read. */
  readonly rows: number
}

/** A list and what its children are sorted by. */
export interface IndexedList {
  readonly listId: number
  /** Child path below each child; `undefined` for the index over integer keys. */
  readonly path: Path | undefined
}

const PAGE_CHILDREN = 256

const statements = defineStatements({
  // Raw SQL: it reads every row of a build.
  children: ({ client }) =>
    client.prepare<ChildRow, [number, string, string, number]>(
      'SELECT key, value, id FROM node WHERE parent_id = ? AND key > ? AND key < ? ORDER BY key LIMIT +?',
    ),
})

/** The entries of all children of a list. Where only one of two adjacent children has a value, the other one gets a mark. */
export function* entryPages(
  connection: Connection,
  reader: TreeReader,
  { listId, path }: IndexedList,
): Generator<EntryPage, void> {
  const { children } = statements(connection)
  const end = path === undefined ? FIRST_TEXT_KEY : LAST_KEY
  let last: { readonly key: string; readonly isEmpty: boolean; readonly isMarked: boolean } | undefined
  for (let after = ''; ; ) {
    const rows = children.all(listId, after, end, PAGE_CHILDREN)
    const entries: StoredEntry[] = []
    let hasCut = false
    for (const row of rows) {
      const { key } = row
      if (!isChild(key)) continue
      const value = path === undefined ? keyEntry(key) : reader.sortValueBelow(row, path)
      const isEmpty = !isValued(value)
      if (isValued(value)) {
        const stored = indexValue(value)
        hasCut ||= stored.cut
        entries.push({ kind: stored.kind, value: stored.value, key })
      }
      if (path === undefined) continue
      const changes = last !== undefined && last.isEmpty !== isEmpty
      if (changes && isEmpty) entries.push(markOf(key))
      else if (changes && last !== undefined && !last.isMarked) entries.push(markOf(last.key))
      last = { key, isEmpty, isMarked: changes && isEmpty }
    }
    yield { entries, hasCut, rows: rows.length }
    const lastRow = rows.at(-1)
    if (lastRow === undefined || rows.length < PAGE_CHILDREN) return
    after = lastRow.key
  }
}

function markOf(key: string): StoredEntry {
  return { kind: NO_VALUE.kind, value: NO_VALUE.value, key }
}

/** Kind, value and key of each entry, one after the other. */
export function columnsOf(entries: readonly StoredEntry[]): (number | string)[] {
  const columns: (number | string)[] = []
  for (const { kind, value, key } of entries) columns.push(kind, value, key)
  return columns
}
