import { Database as Client, SQLiteError } from 'bun:sqlite'
import { join } from 'node:path'
import { giveToOwner } from './ownership.ts'

/**
 * Locks the folder of a server whose applications are elsewhere: on files their trees are locked. The system releases the
 * lock when the process dies.
 * @throws Error when another server holds the lock
 */
export function lockForServer(dataDir: string): Disposable {
  const file = join(dataDir, 'server-lock')
  const client = new Client(file, { create: true, readwrite: true })
  try {
    giveToOwner(file)
    client.run('BEGIN EXCLUSIVE')
  } catch (cause) {
    client.close()
    if (!(cause instanceof SQLiteError) || cause.code !== 'SQLITE_BUSY') throw cause
    throw new Error(
      `DATA_DIR: another server starts in ${dataDir}: one folder is served by one server; on PostgreSQL give each one a folder of its own`,
      { cause },
    )
  }
  return { [Symbol.dispose]: () => client.close() }
}
