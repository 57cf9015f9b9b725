import { FIRST_TEXT_KEY, NO_VALUE } from '../../../../tree/order.ts'
import type { Path } from '../../../../tree/path.ts'
import { isValued } from '../../../rows/indexes/index-entries.ts'
import { coveredText, indexValue, keyEntry } from '../../../rows/indexes/index-value.ts'
import { pageSizes, ROWS_MEASURED } from '../../../rows/page-sizes.ts'
import { type ChildRow, interiorOf, isChild, LAST_KEY, ownText, Trait } from '../../../rows/slot.ts'
import type { Connection } from '../../file/connection.ts'
import { defineStatements } from '../../file/statements.ts'
import type { TreeReader } from '../../tree/tree-reader.ts'
import type { Columns } from '../entries.ts'
import { TEXT_LIMIT } from '../text-limit.ts'

/** An entry as its table has it. */
export interface StoredEntry {
  readonly kind: number
  readonly value: number | string
  /** Encoded by `sortKey`. */
  readonly key: string
  /** Only in a covering index: the text of the child, if it is short. */
  readonly text?: string | null
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
  /** Those of each entry, one after the other. */
  readonly columns: Columns
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
  /** Whether the entries hold the short texts of the children. */
  readonly covering: boolean
}

const PAGE_CHILDREN = 256
/** Most text below the children of one page, in UTF-16 code units. */
const PAGE_TEXT = 256 * 1024
/** What finding a value below a child counts as, in the same unit: long texts beside the value are read to find it. */
const LOOK_UP = PAGE_TEXT / 16

const statements = defineStatements({
  // Raw SQL: it reads every row of a build.
  children: ({ client }) =>
    client.prepare<ChildRow, [number, string, string, number]>(
      'SELECT key, value, id FROM node WHERE parent_id = ? AND key > ? AND key < ? ORDER BY key LIMIT +?',
    ),
  lengths: ({ client }) =>
    client.prepare<{ length: number }, [number, string, string, number]>(
      'SELECT coalesce(octet_length(value), 0) AS length FROM node ' +
        'WHERE parent_id = ? AND key > ? AND key < ? ORDER BY key LIMIT +?',
    ),
  traits: ({ client }) => client.prepare<{ traits: number }, [number]>('SELECT traits FROM interior WHERE id = ?'),
})

/** The entries of all children of a list. Where only one of two adjacent children has a value, the other one gets a mark. */
export function* entryPages(connection: Connection, reader: TreeReader, list: IndexedList): Generator<EntryPage, void> {
  const collector = new EntryCollector(reader, list)
  for (const rows of rowPages(connection, list)) {
    for (const row of rows) if (collector.add(row)) yield collector.page()
    yield collector.page()
  }
}

/** The children of a list, and its priority, in key order. Few of them at a time where their texts are long. */
function* rowPages(connection: Connection, { listId, path }: IndexedList): Generator<readonly ChildRow[], void> {
  const { children, lengths, traits } = statements(connection)
  const end = path === undefined ? FIRST_TEXT_KEY : LAST_KEY
  const isLong = ((traits.get(listId)?.traits ?? 0) & Trait.longTexts) !== 0
  const sizes = (after: string) =>
    isLong ? pageSizes(lengths.all(listId, after, end, ROWS_MEASURED).map(({ length }) => length)) : [PAGE_CHILDREN]
  for (let after = '', page = sizes(after); page.length > 0; page = sizes(after)) {
    for (const size of page) {
      const rows = children.all(listId, after, end, size)
      yield rows
      if (rows.length < size) return
      after = rows.at(-1)?.key ?? after
    }
  }
}

/** Makes entries of the children of a list, in key order. */
class EntryCollector {
  readonly #reader: TreeReader
  readonly #path: Path | undefined
  readonly #covering: boolean
  #last: { readonly key: string; readonly isEmpty: boolean; readonly isMarked: boolean } | undefined
  #entries: StoredEntry[] = []
  #hasCut = false
  #rows = 0
  #read = 0

  constructor(reader: TreeReader, { path, covering }: IndexedList) {
    this.#reader = reader
    this.#path = path
    this.#covering = covering
  }

  /** @returns whether so much text was read that the page must end */
  add(row: ChildRow): boolean {
    const { key } = row
    this.#rows++
    if (!isChild(key)) return false
    if (interiorOf(row) !== undefined) this.#read += LOOK_UP
    const value = this.#path === undefined ? keyEntry(key) : this.#reader.sortValueBelow(row, this.#path)
    if (isValued(value)) {
      const stored = indexValue(value, TEXT_LIMIT)
      this.#hasCut ||= stored.cut
      const entry = { kind: stored.kind, value: stored.value, key }
      this.#entries.push(this.#covering ? { ...entry, text: coveredText(ownText(row)) } : entry)
      if (typeof value.value === 'string') this.#read += value.value.length
    }
    if (this.#path !== undefined) this.#mark(key, !isValued(value))
    return this.#read >= PAGE_TEXT
  }

  #mark(key: string, isEmpty: boolean): void {
    const last = this.#last
    const changes = last !== undefined && last.isEmpty !== isEmpty
    if (changes && isEmpty) this.#entries.push(markOf(key))
    else if (changes && !last.isMarked) this.#entries.push(markOf(last.key))
    this.#last = { key, isEmpty, isMarked: changes && isEmpty }
  }

  /** What was added since the last call. */
  page(): EntryPage {
    const page = { entries: withOwnTexts(this.#entries), hasCut: this.#hasCut, rows: this.#rows }
    this.#entries = []
    this.#hasCut = false
    this.#rows = 0
    this.#read = 0
    return page
  }
}

/** Copies the texts together. Each may be a part of the text of its row, which would stay in memory with it. */
function withOwnTexts(entries: readonly StoredEntry[]): readonly StoredEntry[] {
  const texts = entries.map(({ value }) => (typeof value === 'string' ? value : '')).join('')
  let at = 0
  return entries.map((entry) => {
    const { kind, value, key, text } = entry
    if (typeof value !== 'string') return entry
    const start = at
    at += value.length
    const own = { kind, value: texts.slice(start, at), key }
    return text === undefined ? own : { ...own, text }
  })
}

function markOf(key: string): StoredEntry {
  return { kind: NO_VALUE.kind, value: NO_VALUE.value, key }
}

/** The columns of each entry, one after the other. */
export function columnsOf(entries: readonly StoredEntry[], covering: boolean): Columns {
  const columns: Columns = []
  for (const { kind, value, key, text = null } of entries) {
    if (covering) columns.push(kind, value, key, text)
    else columns.push(kind, value, key)
  }
  return columns
}
