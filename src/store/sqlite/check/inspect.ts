import { type Connection, connectReader } from '../file/connection.ts'
import { schemaProblems } from '../file/file-schema.ts'
import { fileAge } from '../file/file-version.ts'
import { sideTableProblems } from './inspect-beside.ts'
import { changeLogProblems } from './inspect-change-log.ts'
import { indexProblems } from './inspect-indexes.ts'
import { treeProblems } from './inspect-tree.ts'
import { MAX_REPORTED, type Problem, problem } from './problem.ts'

export type { Problem }

export interface InspectOptions {
  /** Only SQLite's quick check and what can be told at a glance. Default: everything, every row. */
  readonly quick?: boolean
}

/**
 * Looks for what is wrong in the file of a tree: pages, tables and whatever else is declared in it, foreign keys, closure, counts, slots, indexes, change log, notes,
 * text messages. Only reads, one commit, also beside the process that has the file open; as long as that takes, the log
 * of the file cannot start over. Ends at nothing: whoever has seen enough stops asking.
 * @throws when there is no such file, or it cannot be opened at all
 * @see docs/explanation/storage.md#schema
 */
export function* inspectFile(file: string, { quick = false }: InspectOptions = {}): Generator<Problem, void> {
  const connection = connectReader(file)
  try {
    // What is gathered meanwhile may be long.
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
  // Rows of broken pages would only be told once more, if they can be read at all.
  if (broken.length > 0) return
  const age = fileAge(client)
  if (age === 'none') yield problem('this is no file of a tree', 'its tables are missing')
  if (age === 'newer') yield problem('the file is of a newer version', 'its tables are not those known here')
  if (age === 'older' || age === 'current') {
    const foreign = [...readable(schemaProblems(client))]
    yield* foreign
    // What is in tables of others says nothing.
    if (foreign.length > 0) return
  }
  // Opening brings an older one up to date first.
  if (age !== 'current') return
  const epoch = client.prepare<{ value: string }, []>("SELECT value FROM meta WHERE name = 'epoch'").get()
  if (!epoch?.value) yield problem('the tree has no epoch', 'meta')
  if (quick) return
  for (const part of [treeProblems, indexProblems, changeLogProblems, sideTableProblems])
    yield* readable(part(connection))
}

/** What is wrong with one row can keep those that depend on it from being read. */
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
