import { readMigrationFiles } from 'drizzle-orm/migrator'
import { type Problem, problem } from '../check/problem.ts'
import { Client } from './client.ts'
import { APPLIED, appliedUntil } from './file-version.ts'
import { MIGRATIONS } from './migrations.ts'

/** A table, index, trigger or view. */
interface SchemaRow {
  readonly type: string
  readonly name: string
  /** The table it belongs to; for a table, its own name. */
  readonly table: string
  /** The statement that created it; `null` for an automatic index. */
  readonly sql: string | null
}

const SCHEMA = 'SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema ORDER BY type, name'

/** Schemas by the time of their newest migration. All files of one version share a schema. */
const known = new Map<number, ReadonlyMap<string, SchemaRow>>()

/**
 * Compares the schema of a file with the one that its migrations create. A foreign trigger or view would run its own
 * statements; another constraint or index makes writes fail.
 */
export function* schemaProblems(client: Client): Generator<Problem, void> {
  const missing = new Map(schemaUntil(appliedUntil(client)))
  for (const row of client.prepare<SchemaRow, []>(SCHEMA).all()) {
    const wanted = missing.get(nameOf(row))
    missing.delete(nameOf(row))
    // Drizzle creates this table with its own SQL.
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

/** A statement without its layout. */
function textOf({ sql }: SchemaRow): string | undefined {
  return sql?.replace(/\s+/g, ' ').trim()
}

function withArticle(type: string): string {
  return type === 'index' ? 'an index' : `a ${type}`
}
