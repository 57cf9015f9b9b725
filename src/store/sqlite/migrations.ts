import { fileURLToPath } from 'node:url'
import { migrate } from 'drizzle-orm/bun-sqlite/migrator'
import { shippedFile } from '../../shipped-file.ts'
import type { Connection } from './connection.ts'
import { APPLIED, fileAge } from './file-version.ts'

const MIGRATIONS = fileURLToPath(shippedFile('drizzle/sqlite'))
/**
 * Brings the tables of a file up to date.
 * @throws Error when a later version of this program has written it, or another program
 */
export function bringUpToDate(connection: Connection): void {
  refuseOthers(connection)
  migrate(connection.orm, { migrationsFolder: MIGRATIONS })
}

/** Drizzle would take a file of the future for one that is up to date. */
function refuseOthers({ client }: Connection): void {
  const age = fileAge(client)
  // A process that is killed amid its first start may leave the table of the migrations alone.
  const others = client.query(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name <> '${APPLIED}'`)
  if (age === 'none' && others.get() !== null) {
    throw new Error('it is the database of another program')
  }
  if (age === 'newer') {
    throw new Error('a later version of dhole has written it: use that version, or restore a backup made before')
  }
}
