import { fileURLToPath } from 'node:url'
import { migrate } from 'drizzle-orm/bun-sqlite/migrator'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type { Connection } from './connection.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../drizzle/sqlite', import.meta.url))
/** Where Drizzle keeps which migrations a file has had. */
const APPLIED = '__drizzle_migrations'

/**
 * Brings the tables of a file up to date.
 * @throws Error when a later version of this program has written it, or another program
 */
export function bringUpToDate(connection: Connection): void {
  refuseOthers(connection)
  migrate(connection.orm, { migrationsFolder: MIGRATIONS })
}

/** Drizzle looks at dates alone: it would take a file of the future for one that is up to date. */
function refuseOthers({ client }: Connection): void {
  const tables = client.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  if (tables.length === 0) return
  if (!tables.some(({ name }) => name === APPLIED)) throw new Error('it is the database of another program')
  const known = new Set(readMigrationFiles({ migrationsFolder: MIGRATIONS }).map(({ hash }) => hash))
  const applied = client.query<{ hash: string }, []>(`SELECT hash FROM ${APPLIED}`).all()
  if (applied.some(({ hash }) => !known.has(hash))) {
    throw new Error('a later version of dhole has written it: use that version, or restore a backup made before')
  }
}
