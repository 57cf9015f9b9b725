import program from '../../../../package.json' with { type: 'json' }
import type { Statements } from '../connection/lane.ts'
import { newestVersion } from './migrations.ts'

/** What the tables of a schema say about themselves. */
export interface Installation {
  /** Number of migrations that were applied. */
  readonly version: number
  /** Number of migrations that a program must know to use the tables. */
  readonly least: number
  /** Version of the program that applied the last one; null in tables from before this was recorded. */
  readonly madeBy: string | null
}

const TABLES = `SELECT count(*)::int AS tables, coalesce(bool_or(c.relname = 'installation' AND EXISTS (
    SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'schema_version')), false) AS installed
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`

/** Columns that the first tables did not have are read as members. */
const INSTALLATION = `SELECT schema_version AS version, coalesce((to_jsonb(i) ->> 'least_version')::int, 0) AS least,
  to_jsonb(i) ->> 'made_by' AS "madeBy" FROM installation i`

/** @returns `undefined` where the schema has none of our tables. @throws Error when it belongs to another program */
export async function installationOf(statements: Statements, schema: string): Promise<Installation | undefined> {
  const [found] = await statements.query<{ installed: boolean; tables: number }>(TABLES, [schema])
  if (found?.installed !== true) {
    if ((found?.tables ?? 0) > 0) throw new Error(`the schema ${quoted(schema)} belongs to another program`)
    return undefined
  }
  const [row] = await statements.query<Installation>(INSTALLATION)
  return row ?? { version: 0, least: 0, madeBy: null }
}

/** @throws Error when this version of the program cannot use the tables */
export function checkUsable({ least, madeBy }: Installation, schema: string): void {
  if (least <= newestVersion()) return
  const needed = madeBy === null ? 'a later version of dhole' : `dhole ${madeBy} or later`
  throw new Error(`the tables of the schema ${quoted(schema)} need ${needed}; this is ${program.version}`)
}

/** A name as an identifier of SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
