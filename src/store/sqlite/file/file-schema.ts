import { readMigrationFiles } from 'drizzle-orm/migrator'
import { type Problem, problem } from '../check/problem.ts'
import { Client } from './client.ts'
import { APPLIED, appliedUntil } from './file-version.ts'
import { MIGRATIONS } from './migrations.ts'

/** A table, index, trigger or view. */
interface SchemaRow {
  readonly type: string
  readonly name: string
  /** The table it belongs to, or is. */
  readonly table: string
  /** The statement that made it; `null` for an index that SQLite makes by itself. */
  readonly sql: string | null
}

const SCHEMA = 'SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema ORDER BY type, name'

/** By the time of the newest migration: the same for every file of a version. */
const known = new Map<number, ReadonlyMap<string, SchemaRow>>()

/**
 * Compares the tables and indexes of a file with what the migrations make that it has had. A trigger or view runs
 * statements of whoever made it; a constraint or an index of another kind makes writes fail.
 */
export function* schemaProblems(client: Client): Generator<Problem, void> {
  const missing = new Map(schemaUntil(appliedUntil(client)))
  for (const row of client.prepare<SchemaRow, []>(SCHEMA).all()) {
    const wanted = missing.get(nameOf(row))
    missing.delete(nameOf(row))
    // Drizzle makes this one, in words of its own.
    if (row.table === APPLIED && (row.type === 'table' || row.sql === null)) continue
    if (wanted === undefined) yield problem(`the file has ${withArticle(row.type)} that is none of a tree`, row.name)
    else if (textOf(wanted) !== textOf(row))
      yield problem(`${withArticle(row.type)} is not what it is in a tree`, row.name)
  }
  for (const { type, name } of missing.values()) yield problem(`${withArticle(type)} is missing`, name)
}

/** @param until time of the newest migration, in milliseconds since 1970 */
function schemaUntil(until: number): ReadonlyMap<string, SchemaRow> {
  let schema = known.get(until)
  if (schema === undefined) {
    schema = makeSchema(until)
    known.set(until, schema)
  }
  return schema
}

function makeSchema(until: number): ReadonlyMap<string, SchemaRow> {
  const client = new Client(':memory:')
  try {
    for (const { sql, folderMillis } of readMigrationFiles({ migrationsFolder: MIGRATIONS })) {
      if (folderMillis <= until) for (const statement of sql) client.run(statement)
    }
    return new Map(
      client
        .prepare<SchemaRow, []>(SCHEMA)
        .all()
        .map((row) => [nameOf(row), row]),
    )
  } finally {
    client.close()
  }
}

function nameOf({ type, name }: SchemaRow): string {
  return `${type} ${name}`
}

/** How a statement is laid out does not matter. */
function textOf({ sql }: SchemaRow): string | undefined {
  return sql?.replace(/\s+/g, ' ').trim()
}

function withArticle(type: string): string {
  return type === 'index' ? 'an index' : `a ${type}`
}
