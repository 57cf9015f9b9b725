import { NO_VALUE, SortKind, type SortValue } from '../../../tree/order.ts'
import { indexedPath } from '../../rows/indexes/index-name.ts'
import { type EntryValue, entryOf, indexValue } from '../../rows/indexes/index-value.ts'
import { type ChildRow, ownText } from '../../rows/slot.ts'
import type { Connection } from '../file/connection.ts'
import { TEXT_LIMIT } from '../indexes/text-limit.ts'
import { TreeReader } from '../tree/tree-reader.ts'
import { MAX_REPORTED, type Problem, problem } from './problem.ts'

interface Definition {
  readonly id: number
  readonly list_id: number
  readonly path: string
  readonly has_cut: number
  readonly covering: number
}

/** An entry that a child must or may have. */
interface WantedEntry {
  readonly key: string
  readonly sorted: EntryValue
  /** Whether it may be missing. */
  readonly isOptional: boolean
}

/** Ids of indexes with entries but without a definition. It finds each id with one step in the primary key. */
const ENTRIES_OF_NOTHING =
  'WITH RECURSIVE ids(id) AS (SELECT min(index_id) FROM index_entry UNION ALL ' +
  'SELECT (SELECT min(index_id) FROM index_entry WHERE index_id > ids.id) FROM ids WHERE id IS NOT NULL) ' +
  'SELECT id FROM ids WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM index_definition)'

/** Computes the entries of every complete index again and compares them with the stored ones. No query uses another one. */
export function* indexProblems(connection: Connection): Generator<Problem, void> {
  const { client } = connection
  const without = client
    .prepare<Record<string, unknown>, []>(
      'SELECT * FROM index_definition WHERE list_id > 0 AND list_id NOT IN (SELECT id FROM interior)',
    )
    .all()
  for (const row of without.slice(0, MAX_REPORTED)) yield problem('an index has no list', row)
  const strays = client.prepare<{ id: number }, []>(ENTRIES_OF_NOTHING).all()
  for (const row of strays.slice(0, MAX_REPORTED)) yield problem('entries have no index', row)
  const definitions = client.prepare<Definition, []>(
    'SELECT id, list_id, path, has_cut, covering FROM index_definition WHERE list_id > 0 AND built_to IS NULL',
  )
  const checker = new IndexChecker(connection)
  for (const definition of definitions.all()) yield* checker.problemsOf(definition)
}

class IndexChecker {
  readonly #children
  readonly #find
  readonly #count
  readonly #reader: TreeReader

  constructor(connection: Connection) {
    const { client } = connection
    this.#reader = new TreeReader(connection)
    this.#children = client.prepare<ChildRow, [number]>(
      "SELECT key, value, id FROM node WHERE parent_id = ? AND key <> '.priority' ORDER BY key",
    )
    this.#find = client.prepare<{ text: string | null }, [number, number, string | number, string]>(
      'SELECT text FROM index_entry WHERE index_id = ? AND kind = ? AND value = ? AND key = ?',
    )
    this.#count = client.prepare<{ entries: number }, [number]>(
      'SELECT count(*) AS entries FROM index_entry WHERE index_id = ?',
    )
  }

  *problemsOf(definition: Definition): Generator<Problem, void> {
    const { id, list_id, path: name } = definition
    let wanted = 0
    let tellsOfCuts = definition.has_cut !== 0
    let missing = 0
    let wrong = 0
    for (const { key, sorted, isOptional } of this.#wanted(definition)) {
      const entry = indexValue(sorted, TEXT_LIMIT)
      if (entry.cut && !tellsOfCuts) {
        yield problem('an index does not tell of texts that it cut', { id, name, key })
        tellsOfCuts = true
      }
      const found = this.#find.get(id, entry.kind, entry.value, key)
      if (found !== null) wanted++
      // Entries of an index that does not cover may have texts of earlier times.
      if (found !== null && definition.covering !== 0 && found.text !== (sorted.text ?? null)) {
        yield problem('an index has another text than its child', { id, name, list: list_id, key })
        if (++wrong === MAX_REPORTED) return
      } else if (found === null && !isOptional) {
        yield problem('an index lacks an entry', { id, name, list: list_id, key })
        if (++missing === MAX_REPORTED) return
      }
    }
    const entries = this.#count.get(id)?.entries ?? 0
    if (entries !== wanted) {
      yield problem('an index has entries too many', { id, name, list: list_id, entries, wanted: wanted + missing })
    }
  }

  /**
   * The entries that a list may have, in key order. The mark of a child without a value is optional, except next to a
   * child with a value.
   */
  *#wanted({ list_id, path: name, covering }: Definition): Generator<WantedEntry, void> {
    const index = { path: indexedPath(name), covering: covering !== 0 }
    let last: WantedEntry | undefined
    for (const row of this.#children.iterate(list_id)) {
      const found = entryOf(index, row.key, ownText(row), (path) => this.#reader.sortValueBelow(row, path))
      if (found === undefined) continue
      // A mark has no text.
      const sorted = isWithoutValue(found) ? NO_VALUE : found
      const isEmpty = isWithoutValue(sorted)
      const changes = last !== undefined && isWithoutValue(last.sorted) !== isEmpty
      if (last !== undefined) yield changes ? { ...last, isOptional: false } : last
      last = { key: row.key, sorted, isOptional: isEmpty && !changes }
    }
    if (last !== undefined) yield last
  }
}

function isWithoutValue({ kind }: SortValue): boolean {
  return kind === SortKind.none
}
