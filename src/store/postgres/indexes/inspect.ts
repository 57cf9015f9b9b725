import { NO_VALUE } from '../../../tree/order.ts'
import { isValued } from '../../rows/indexes/index-entries.ts'
import { coveredText, type IndexValue, indexValue } from '../../rows/indexes/index-value.ts'
import { arrayOf, byteArrays } from '../connection/arrays.ts'
import type { Statements } from '../connection/lane.ts'
import { readPage, type SortedChild } from './building/child-page.ts'
import { type IndexDefinition, isKeptUp } from './definition.ts'
import { DefinitionTable } from './definition-table.ts'
import { pathsOf } from './list-paths.ts'
import { entryBytes, TEXT_LIMIT } from './stored-value.ts'

/** Something wrong with an index. */
export interface IndexProblem {
  readonly problem: string
  readonly index: number
  readonly name: string
  /** Encoded by `sortKey`. */
  readonly key?: string
}

/** Children looked at in one step. */
const PAGE = { rows: 512, bytes: 1024 * 1024 }

const FIND = `SELECT s.n::int AS n, e.text FROM
unnest($3::smallint[], $4::bytea[], $5::text[]) WITH ORDINALITY AS s(kind, value, key, n) JOIN index_entry e
ON e.tree = $1::int AND e.index_id = $2::bigint AND e.kind = s.kind AND e.value = s.value AND e.key = s.key`
const COUNT = 'SELECT count(*)::float8 AS count FROM index_entry WHERE tree = $1::int AND index_id = $2::bigint'
const STRAYS = `SELECT DISTINCT e.index_id::float8 AS id FROM index_entry e WHERE e.tree = $1::int
AND NOT EXISTS (SELECT FROM index_definition d WHERE d.tree = $1::int AND d.id = e.index_id)`

/** An entry that a child must or may have. */
interface WantedEntry {
  readonly key: string
  readonly stored: IndexValue
  readonly text: string | null
  /** Whether it may be missing. */
  readonly isOptional: boolean
}

/**
 * Computes the entries of every index again, of one that is being built those up to its last key, and compares them with
 * the stored ones. All statements must see the same snapshot.
 */
export async function* indexProblems(statements: Statements, tree: number): AsyncGenerator<IndexProblem, void> {
  for (const { id } of await statements.query<{ id: number }>(STRAYS, [tree])) {
    yield { problem: 'entries have no index', index: id, name: '' }
  }
  const definitions = await new DefinitionTable(statements, tree).all()
  const paths = await pathsOf(
    statements,
    tree,
    definitions.map(({ listId }) => listId),
  )
  for (const definition of definitions) {
    const { id: index, listId, name } = definition
    if (paths.has(listId)) yield* problemsOf(statements, tree, definition)
    else yield { problem: 'an index has no list', index, name }
  }
}

async function* problemsOf(
  statements: Statements,
  tree: number,
  definition: IndexDefinition,
): AsyncGenerator<IndexProblem, void> {
  const { id: index, name } = definition
  let rows = 0
  let isReported = definition.hasCut
  for await (const wanted of wantedPages(statements, tree, definition)) {
    const found = await findAll(statements, tree, index, wanted)
    for (const [at, { key, stored, text, isOptional }] of wanted.entries()) {
      if (stored.cut && !isReported) {
        isReported = true
        yield { problem: 'an index does not tell of texts that it cut', index, name, key }
      }
      const foundText = found.get(at + 1)
      if (foundText !== undefined) rows++
      if (foundText === undefined && !isOptional) yield { problem: 'an index lacks an entry', index, name, key }
      // Entries of an index that does not cover may have texts of earlier times.
      if (foundText !== undefined && definition.covering && foundText !== text) {
        yield { problem: 'an index has another text than its child', index, name, key }
      }
    }
  }
  const [all] = await statements.query<{ count: number }>(COUNT, [tree, index])
  if (all?.count !== rows) yield { problem: 'an index has entries too many', index, name }
}

async function findAll(
  statements: Statements,
  tree: number,
  index: number,
  wanted: readonly WantedEntry[],
): Promise<ReadonlyMap<number, string | null>> {
  const found = await statements.query<{ n: number; text: string | null }>(FIND, [
    tree,
    index,
    arrayOf(wanted.map(({ stored }) => stored.kind)),
    byteArrays(wanted.map(({ stored }) => entryBytes(stored))),
    arrayOf(wanted.map(({ key }) => key)),
  ])
  return new Map(found.map(({ n, text }) => [n, text]))
}

/** The entries that a list may have, in key order. The mark of a child without a value is optional, except next to a child with one. */
async function* wantedPages(
  statements: Statements,
  tree: number,
  definition: IndexDefinition,
): AsyncGenerator<readonly WantedEntry[], void> {
  let last: WantedEntry | undefined
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await readPage(statements, tree, { ...definition, builtTo: after }, PAGE)
    const wanted: WantedEntry[] = []
    for (const child of page.children) {
      if (child.value === undefined || !isKeptUp(definition, child.key)) continue
      const next = entryFor(definition, child)
      const changes = last !== undefined && isValued(last.stored) !== isValued(next.stored)
      if (last !== undefined) wanted.push(changes ? { ...last, isOptional: false } : last)
      last = { ...next, isOptional: !isValued(next.stored) && !changes }
    }
    after = page.end
    if (after === undefined && last !== undefined) wanted.push(last)
    yield wanted
  }
}

function entryFor({ covering }: IndexDefinition, { key, text, value = NO_VALUE }: SortedChild): WantedEntry {
  const isMark = !isValued(value)
  const stored = indexValue(isMark ? NO_VALUE : value, TEXT_LIMIT)
  return { key, stored, text: covering && !isMark ? coveredText(text) : null, isOptional: false }
}
