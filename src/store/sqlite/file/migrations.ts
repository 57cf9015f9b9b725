import { fileURLToPath } from 'node:url'
import { migrate } from 'drizzle-orm/bun-sqlite/migrator'
import { shippedFile } from '../../../files/shipped-file.ts'
import type { Connection } from './connection.ts'
import { APPLIED, fileAge } from './file-version.ts'

/** Folder of the migrations. */
export const MIGRATIONS = fileURLToPath(shippedFile('drizzle/sqlite'))

/**
 * Migrates the tables of a file to this version.
 * @throws Error when a later version of this program or another program has written it, or it has a trigger or view
 */
export function bringUpToDate(connection: Connection): void {
  refuseOthers(connection)
  migrate(connection.orm, { migrationsFolder: MIGRATIONS })
}

/** Drizzle does not detect a file of a later version. */
function refuseOthers({ client }: Connection): void {
  const age = fileAge(client)
  // A process killed during its first start may leave only the table of migrations.
  const others = client.query(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name <> '${APPLIED}'`)
  if (age === 'none' && others.get() !== null) {
    throw new Error('it is the database of another program')
  }
  // A trigger would run with the next write, even of a migration. The doctor and restores compare the whole schema.
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
