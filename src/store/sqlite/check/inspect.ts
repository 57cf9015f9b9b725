import { type Connection, connectReader } from '../file/connection.ts'
import { schemaProblems } from '../file/file-schema.ts'
import { fileAge } from '../file/file-version.ts'
import { sideTableProblems } from './inspect-beside.ts'
import { changeLogProblems } from './inspect-change-log.ts'
import { chunkProblems } from './inspect-chunks.ts'
import { indexProblems } from './inspect-indexes.ts'
import { treeProblems } from './inspect-tree.ts'
import { MAX_REPORTED, type Problem, problem } from './problem.ts'

export type { Problem }

export interface InspectOptions {
  /** Runs only SQLite's quick check and checks of the schema. Default: checks every row. */
  readonly quick?: boolean
}

/**
 * Checks the file of a tree: pages, schema, foreign keys, closure, counts, slots, texts in chunks, indexes, change log, idempotency
 * records, sessions and text messages. It reads one commit and works while another process has the file open; the log cannot start
 * over meanwhile. The caller may stop iterating at any problem.
 * @throws when the file does not exist or cannot be opened
 * @see docs/explanation/storage.md#schema
 */
export function* inspectFile(file: string, { quick = false }: InspectOptions = {}): Generator<Problem, void> {
  const connection = connectReader(file)
  try {
    // Temporary tables may be large.
    connection.client.run('PRAGMA temp_store = FILE')
    connection.client.run('BEGIN')
    yield* inspect(connection, quick)
  } finally {
    connection.client.close()
  }
}

function* inspect(connection: Connection, quick: boolean): Generator<Problem, void> {
  const { client } = connection
  const broken = [...readable(pageProblems(connection, quick))]
  yield* broken
  // Rows on damaged pages would only repeat the problem.
  if (broken.length > 0) return
  const age = fileAge(client)
  if (age === 'none') yield problem('this is no file of a tree', 'its tables are missing')
  if (age === 'newer') yield problem('the file is of a newer version', 'its tables are not those known here')
  if (age === 'older' || age === 'current') {
    const foreign = [...readable(schemaProblems(client))]
    yield* foreign
    // The rows of a foreign schema have no meaning.
    if (foreign.length > 0) return
  }
  // An older file is migrated before its rows are read.
  if (age !== 'current') return
  const epoch = client.prepare<{ value: string }, []>("SELECT value FROM meta WHERE name = 'epoch'").get()
  if (!epoch?.value) yield problem('the tree has no epoch', 'meta')
  if (quick) return
  for (const part of [treeProblems, chunkProblems, indexProblems, changeLogProblems, sideTableProblems])
    yield* readable(part(connection))
}

/** A damaged row can make other rows unreadable: reports that as a problem. */
function* readable(problems: Generator<Problem, void>): Generator<Problem, void> {
  try {
    yield* problems
  } catch (error) {
    yield problem('the file cannot be read', String(error))
  }
}

function* pageProblems({ client }: Connection, quick: boolean): Generator<Problem, void> {
  const pragma = quick ? 'quick_check' : 'integrity_check'
  const rows = client.prepare<Record<string, string>, []>(`PRAGMA ${pragma}(${MAX_REPORTED})`).all()
  const found = rows.flatMap((row) => Object.values(row)).filter((text) => text !== 'ok')
  for (const text of found) yield problem('a page is damaged', text)
  const foreign = client.prepare<Record<string, unknown>, []>('PRAGMA foreign_key_check').all()
  for (const row of foreign.slice(0, MAX_REPORTED)) yield problem('a foreign key leads nowhere', row)
}
