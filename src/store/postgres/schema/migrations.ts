import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { shippedFile } from '../../../files/shipped-file.ts'
import type { Statements } from '../connection/lane.ts'
import type { Lanes } from '../connection/lanes.ts'
import { missingRights } from './server-checks.ts'

/** One migration: its position, name and statements. */
interface Migration {
  readonly version: number
  readonly name: string
  readonly statements: readonly string[]
}

/** Any number: it names the lock under which the schema is changed. */
const LOCK = 4_205_117
const TAKE_LOCK = 'SELECT pg_advisory_xact_lock($1::int, hashtext($2))'

/** Files of the migrations of this version, relative to the package. */
const JOURNAL = 'drizzle/postgres/meta/_journal.json'
const fileOf = (name: string) => `drizzle/postgres/${name}.sql`

/**
 * Creates the schema and brings its tables to this version. Several processes may call it at once: one does the work.
 * @throws Error when a later version of this program, or another program, has made the schema
 */
export async function migrate(lanes: Lanes, schema: string): Promise<void> {
  const migrations = readMigrations()
  if ((await versionOf(lanes, schema)) === migrations.length) return
  await lanes.transaction(async (statements) => {
    await statements.query(TAKE_LOCK, [LOCK, schema])
    const version = await versionOf(statements, schema)
    if (version === undefined) await create(statements, schema)
    const done = version ?? 0
    if (done > migrations.length) throw newer(schema)
    for (const { statements: texts } of migrations.slice(done)) {
      for (const text of texts) await statements.query(text)
    }
    await statements.query('UPDATE installation SET schema_version = $1::int', [migrations.length])
  })
}

/** Lets another role read and write the tables, if it cannot yet. Called by their owner. */
export async function grantTables(lanes: Lanes, schema: string, role: string): Promise<void> {
  await lanes.transaction(async (statements) => {
    await statements.query(TAKE_LOCK, [LOCK, schema])
    if ((await missingRights(statements, schema, role)).length === 0) return
    const [of, to] = [quoted(schema), quoted(role)]
    await statements.query(`GRANT USAGE ON SCHEMA ${of} TO ${to}`)
    await statements.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${of} TO ${to}`)
  })
}

/** Number of migrations of this version. */
export function newestVersion(): number {
  return readMigrations().length
}

/** Number of applied migrations; `undefined` where the schema has none of our tables. @throws as `migrate` */
export async function versionOf(statements: Statements, schema: string): Promise<number | undefined> {
  const [found] = await statements.query<{ installed: boolean; tables: number }>(
    `SELECT count(*)::int AS tables, coalesce(bool_or(c.relname = 'installation' AND EXISTS (
         SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'schema_version')), false) AS installed
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`,
    [schema],
  )
  if (found?.installed !== true) {
    if ((found?.tables ?? 0) > 0) throw new Error(`the schema ${quoted(schema)} belongs to another program`)
    return undefined
  }
  const [row] = await statements.query<{ version: number }>('SELECT schema_version AS version FROM installation')
  const version = row?.version ?? 0
  if (version > readMigrations().length) throw newer(schema)
  return version
}

async function create(statements: Statements, schema: string): Promise<void> {
  // A user who may not create schemas can have one that was made for it.
  const found = await statements.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema])
  if (found.length === 0) await statements.query(`CREATE SCHEMA ${quoted(schema)}`)
  await statements.query(
    'CREATE TABLE installation (schema_version integer NOT NULL, history text, secrets_check text)',
  )
  await statements.query('INSERT INTO installation (schema_version) VALUES (0)')
}

function newer(schema: string): Error {
  return new Error(`a later version of dhole has made the tables of the schema ${quoted(schema)}: use that version`)
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function readMigrations(): readonly Migration[] {
  const { entries } = JSON.parse(textOf(JOURNAL)) as { entries: readonly { idx: number; tag: string }[] }
  return entries.map(({ idx, tag }) => ({
    version: idx + 1,
    name: tag,
    statements: textOf(fileOf(tag)).split('--> statement-breakpoint'),
  }))
}

function textOf(path: string): string {
  return readFileSync(fileURLToPath(shippedFile(path)), 'utf8')
}
