import { NO_VALUE, type SortValue } from '../../../../tree/order.ts'
import { isValued } from '../../../rows/indexes/index-entries.ts'
import { coveredText, indexValue } from '../../../rows/indexes/index-value.ts'
import { arrayOf, byteArrays } from '../../connection/arrays.ts'
import type { Statements } from '../../connection/lane.ts'
import type { IndexDefinition } from '../definition.ts'
import { entryBytes, TEXT_LIMIT } from '../stored-value.ts'
import type { ChildPage, SortedChild } from './child-page.ts'

interface Entry {
  readonly kind: number
  readonly value: Uint8Array
  /** Encoded by `sortKey`. */
  readonly key: string
  readonly text: string | null
}

/** The entries of a page. */
interface PageEntries {
  readonly entries: readonly Entry[]
  /** Whether an entry holds only the beginning of its text. */
  readonly hasCut: boolean
}

/** Entries of the children with a value, and marks of those without one that stand next to one with a value. */
export function entriesOf({ path, covering }: IndexDefinition, { children, last }: ChildPage): PageEntries {
  const entries: Entry[] = []
  let hasCut = false
  let before: SortedChild | undefined = last
  for (const child of children) {
    const { key, text, value } = child
    if (isValued(value)) {
      const stored = indexValue(value, TEXT_LIMIT)
      hasCut ||= stored.cut
      entries.push({ kind: stored.kind, value: entryBytes(stored), key, text: covering ? coveredText(text) : null })
    }
    if (path === undefined) continue
    if (before !== undefined && isValued(before.value) !== isValued(value)) {
      entries.push(markOf(isValued(value) ? before.key : key))
    }
    before = child
  }
  return { entries, hasCut }
}

function markOf(key: string): Entry {
  return { ...rowOf(NO_VALUE), key, text: null }
}

function rowOf(value: SortValue): Pick<Entry, 'kind' | 'value'> {
  return { kind: value.kind, value: entryBytes(value) }
}

/** A mark may be there already. */
const INSERT = `INSERT INTO index_entry (tree, index_id, kind, value, key, text)
SELECT $1::int, $2::bigint, s.* FROM unnest($3::smallint[], $4::bytea[], $5::text[], $6::text[]) AS s
ON CONFLICT DO NOTHING`

/** Writes entries in the transaction of a batch. */
export async function insertEntries(
  statements: Statements,
  tree: number,
  id: number,
  entries: readonly Entry[],
): Promise<void> {
  if (entries.length === 0) return
  await statements.query(INSERT, [
    tree,
    id,
    arrayOf(entries.map(({ kind }) => kind)),
    byteArrays(entries.map(({ value }) => value)),
    arrayOf(entries.map(({ key }) => key)),
    arrayOf(entries.map(({ text }) => text)),
  ])
}
