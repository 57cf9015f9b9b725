import { NO_VALUE, type SortValue } from '../../../tree/order.ts'
import type { EntryTable } from '../../rows/indexes/index-entries.ts'
import { type EntryValue, indexValue } from '../../rows/indexes/index-value.ts'
import type { CommitPart } from '../batch.ts'
import type { Journal } from '../commit/journal.ts'
import { arrayOf, byteArrays } from '../connection/arrays.ts'
import { type IndexDefinition, isKeptUp } from './definition.ts'
import type { DefinitionChanges } from './definition-changes.ts'
import { entryBytes, TEXT_LIMIT } from './stored-value.ts'

/** Maximum entries that one part of a statement writes. */
const PART_ENTRIES = 1024

/** A row of the table and what becomes of it. */
interface EntryChange {
  readonly index: number
  readonly kind: number
  readonly value: Uint8Array
  readonly key: string
  /** Its text in a covering index; `undefined` when the row is removed. */
  readonly text: string | null | undefined
}

/** What an open batch changes in the entries of indexes. Each row is written once, however often it changes. */
export class EntryChanges implements EntryTable<IndexDefinition> {
  readonly #definitions: Pick<DefinitionChanges, 'markCut'>
  readonly #changes = new Map<string, EntryChange>()
  readonly #journal: Journal
  #length = 0

  constructor(definitions: Pick<DefinitionChanges, 'markCut'>, journal: Journal) {
    this.#definitions = definitions
    this.#journal = journal
  }

  insert(index: IndexDefinition, value: EntryValue, key: string): void {
    this.#set(index, value, key, value.text ?? null)
  }

  setText(index: IndexDefinition, value: EntryValue, key: string): void {
    this.#set(index, value, key, value.text ?? null)
  }

  remove(index: IndexDefinition, value: SortValue, key: string): void {
    this.#set(index, value, key, undefined)
  }

  mark(index: IndexDefinition, key: string): void {
    // A build marks the children that it has not reached, as they are then.
    if (isKeptUp(index, key)) this.#set(index, NO_VALUE, key, null)
  }

  unmark(index: IndexDefinition, key: string): void {
    this.#set(index, NO_VALUE, key, undefined)
  }

  /** Approximate length of what was written, in UTF-16 code units. */
  get length(): number {
    return this.#length
  }

  /** What the batch writes. The parts touch different rows. */
  parts(): readonly CommitPart[] {
    const all = [...this.#changes.values()]
    return [
      ...inParts(all.filter(({ text }) => text !== undefined)).map(insertion),
      ...inParts(all.filter(({ text }) => text === undefined)).map(removal),
    ]
  }

  #set(index: IndexDefinition, value: SortValue, key: string, text: string | null | undefined): void {
    const stored = indexValue(value, TEXT_LIMIT)
    if (stored.cut && text !== undefined) this.#definitions.markCut(index)
    // A key has no character 0.
    const name = `${index.id} ${key}\u0000${stored.kind} ${stored.value}`
    const bytes = entryBytes(stored)
    // Two digits for each byte.
    this.#length += 2 * bytes.length + key.length + (text?.length ?? 0)
    this.#journal.set(this.#changes, name, { index: index.id, kind: stored.kind, value: bytes, key, text })
  }
}

function inParts<T>(items: readonly T[]): T[][] {
  const parts: T[][] = []
  for (let from = 0; from < items.length; from += PART_ENTRIES) parts.push(items.slice(from, from + PART_ENTRIES))
  return parts
}

const KEY_COLUMNS = 'index_id, kind, value, key'

function insertion(entries: readonly EntryChange[], part: number): CommitPart {
  return {
    name: `entry_in_${part}`,
    sql: ({ tree, guard, add }) =>
      `INSERT INTO index_entry (tree, ${KEY_COLUMNS}, text) SELECT ${tree}, s.* FROM unnest(` +
      `${keyArrays(entries, add)}, ${add(arrayOf(entries.map(({ text }) => text ?? null)), 'text[]')}` +
      `) AS s(${KEY_COLUMNS}, text) WHERE ${guard} ` +
      `ON CONFLICT (tree, ${KEY_COLUMNS}) DO UPDATE SET text = excluded.text ` +
      'WHERE index_entry.text IS DISTINCT FROM excluded.text',
  }
}

function removal(entries: readonly EntryChange[], part: number): CommitPart {
  return {
    name: `entry_out_${part}`,
    sql: ({ tree, guard, add }) =>
      `DELETE FROM index_entry e USING unnest(${keyArrays(entries, add)}) AS s(${KEY_COLUMNS}) ` +
      `WHERE e.tree = ${tree} AND e.index_id = s.index_id AND e.kind = s.kind AND e.value = s.value ` +
      `AND e.key = s.key AND ${guard}`,
  }
}

function keyArrays(entries: readonly EntryChange[], add: (value: string, type: string) => string): string {
  return [
    add(arrayOf(entries.map(({ index }) => index)), 'bigint[]'),
    add(arrayOf(entries.map(({ kind }) => kind)), 'smallint[]'),
    add(byteArrays(entries.map(({ value }) => value)), 'bytea[]'),
    add(arrayOf(entries.map(({ key }) => key)), 'text[]'),
  ].join(', ')
}
