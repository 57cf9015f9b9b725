import { Database as Client } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { indexProblems } from './index-integrity.ts'

/** Queries that must find nothing, and what it means when they do. `{ancestors}` stands for the true closure. */
const VIOLATIONS: Readonly<Record<string, string>> = {
  'closure row without meaning': 'SELECT ancestor, descendant, depth FROM closure EXCEPT SELECT * FROM chain',
  'closure row missing': 'SELECT * FROM chain EXCEPT SELECT ancestor, descendant, depth FROM closure',
  'interior node without its node row':
    'SELECT i.* FROM interior i LEFT JOIN node n ON n.id = i.id AND n.parent_id = i.parent_id AND n.key = i.key ' +
    'AND (n.value IS NULL) = (i.traits & 8 = 0) WHERE n.id IS NULL',
  'node row of an interior node without that':
    'SELECT * FROM node WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM interior)',
  'interior node with several node rows': 'SELECT id FROM node WHERE id IS NOT NULL GROUP BY id HAVING count(*) > 1',
  'kind, value and id that do not fit':
    'SELECT * FROM node WHERE (kind = 5) <> (value IS NULL) OR iif(kind IN (4, 6), 0, (kind = 5) <> (id IS NOT NULL))',
  'wrong number of children':
    "SELECT i.id, i.child_count, count(n.key) FROM interior i LEFT JOIN node n ON n.parent_id = i.id AND n.key <> '.priority' " +
    'GROUP BY i.id HAVING i.child_count <> count(n.key)',
  'interior node without children': 'SELECT * FROM interior WHERE (child_count < 1) <> (traits & 8 <> 0)',
  'chunk of no text': 'SELECT id FROM text_chunk WHERE id >> 13 NOT IN (SELECT id FROM interior WHERE traits & 8)',
  'node row without parent': 'SELECT * FROM node WHERE parent_id <> 0 AND parent_id NOT IN (SELECT id FROM interior)',
  'second root': "SELECT * FROM node WHERE parent_id = 0 AND key <> ''",
  'index of no list': 'SELECT * FROM index_definition WHERE list_id NOT IN (SELECT id FROM interior)',
  'index entry without index': 'SELECT * FROM index_entry WHERE index_id NOT IN (SELECT id FROM index_definition)',
  'cut-off subtree not swept': 'SELECT * FROM detached',
}

const CHAIN =
  'WITH RECURSIVE chain(ancestor, descendant, depth) AS (SELECT id, id, 0 FROM interior UNION ALL ' +
  'SELECT i.parent_id, c.descendant, c.depth + 1 FROM chain c JOIN interior i ON i.id = c.ancestor WHERE i.parent_id > 0) '

const LONG_TEXT = 8192
const SHORT_TEXT = 1024
const TINY_TEXT = 256
const LENGTHS_KNOWN = 64
/** What a key in the table cannot hold if it is to stand in JSON as it is. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the mark of integer keys is one
const CAREFUL_KEY = /["\\\u0001]|\u{10FFFF}/u

interface Row {
  readonly parent_id: number
  readonly key: string
  readonly value: string | null
  readonly traits: number | null
}

/**
 * What is wrong with a closed file of the SQLite engine, its sweep done; empty when nothing is. Knows the tables, not
 * the code that fills them.
 */
export function integrityProblems(file: string): string[] {
  const problems: string[] = []
  if (existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0) problems.push('the log was not folded in')
  const client = new Client(file, { readonly: true })
  try {
    const check = client.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all()
    problems.push(...check.map((row) => row.integrity_check).filter((text) => text !== 'ok'))
    for (const [name, query] of Object.entries(VIOLATIONS)) {
      for (const row of client.query((query.includes('chain') ? CHAIN : '') + query).all()) {
        problems.push(`${name}: ${JSON.stringify(row)}`)
      }
    }
    problems.push(...traitProblems(client), ...chunkProblems(client), ...indexProblems(client))
  } finally {
    client.close()
  }
  return problems
}

function traitProblems(client: Client): string[] {
  const rows = client
    .query<Row, []>(
      'SELECT node.parent_id, node.key, value, traits FROM node LEFT JOIN interior ON interior.id = node.parent_id',
    )
    .all()
  return rows
    .filter(({ parent_id, key, value, traits }) => {
      if (parent_id === 0 || traits === null) return false
      // A leaf that is a string holds no priority, whatever it says.
      const isString = value?.startsWith('"') === true
      const priority = key === '.priority' || (!isString && value?.includes('".priority"') === true)
      const length = value?.length ?? 0
      const lengths = (length > LONG_TEXT ? 2 : 0) | (length > TINY_TEXT ? 16 : 0) | (length > SHORT_TEXT ? 32 : 0)
      const needed = LENGTHS_KNOWN | lengths | (CAREFUL_KEY.test(key) ? 1 : 0) | (priority ? 4 : 0)
      return (traits & needed) !== needed
    })
    .map(({ parent_id, key, traits }) => `traits ${traits} of ${parent_id} do not tell of ${JSON.stringify(key)}`)
}

/** Texts in chunks whose chunks are no JSON, or do not begin as their slots say. */
function chunkProblems(client: Client): string[] {
  const texts = client.query<{ id: number; value: string }, []>(
    'SELECT id, value FROM node WHERE id IS NOT NULL AND value IS NOT NULL',
  )
  const chunks = client.query<{ id: number; text: string }, [number]>(
    'SELECT id, text FROM text_chunk WHERE id >> 13 = ? ORDER BY id',
  )
  return texts.all().flatMap(({ id, value }) => {
    const found = chunks.all(id)
    const isGapless = found.every((chunk, number) => chunk.id === id * 2 ** 13 + number)
    try {
      const [leaf, head] = [found.map(({ text }) => text).join(''), value].map((text) => JSON.parse(text))
      const parts = [leaf, head].map((json) => (typeof json === 'string' ? { '.value': json } : json))
      const fits =
        parts[0]['.value'].startsWith(parts[1]['.value']) &&
        parts[0]['.priority'] === parts[1]['.priority'] &&
        isGapless
      return fits ? [] : [`chunks of ${id} that do not fit`]
    } catch (error) {
      return [`chunks of ${id}: ${error}`]
    }
  })
}

/** Number of rows in a table of a closed file. */
export function rowsOf(
  file: string,
  table: 'node' | 'interior' | 'closure' | 'detached' | 'change' | 'text_chunk' | 'index_definition' | 'index_entry',
): number {
  const client = new Client(file, { readonly: true })
  try {
    return client.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${table}`).get()?.rows ?? 0
  } finally {
    client.close()
  }
}
