import { fileURLToPath } from 'node:url'
import { migrate } from 'drizzle-orm/bun-sqlite/migrator'
import { shippedFile } from '../../../files/shipped-file.ts'
import type { Connection } from './connection.ts'
import { APPLIED, fileAge } from './file-version.ts'

/** Folder of the migrations. */
export const MIGRATIONS = fileURLToPath(shippedFile('drizzle/sqlite'))

/**
 * Brings the tables of a file up to date.
 * @throws Error when a later version of this program has written it, or another program, or somebody has put triggers
 *   or views into it
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
  // They would run with the next write, that of a migration too. The doctor and restores compare everything.
  const foreign = client
    .query<{ type: string; name: string }, []>(
      "SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view') LIMIT 1",
    )
    .get()
  if (foreign !== null) {
    throw new Error(`it has a ${foreign.type} that is none of a tree: ${JSON.stringify(foreign.name)}`)
  }
  if (age === 'newer') {
    throw new Error('a later version of dhole has written it: use that version, or restore a backup made before')
  }
}
