import { Database as Client, SQLiteError } from 'bun:sqlite'
import { join } from 'node:path'
import { giveToOwner } from './ownership.ts'

/**
 * Locks a data folder against restores: backups and doctors share the lock, a restore holds it alone. The system
 * releases the lock when the process dies.
 * @throws Error when another process holds the lock
 */
export function lockFolder(dataDir: string, mode: 'shared' | 'alone'): Disposable {
  const file = join(dataDir, 'maintenance-lock')
  const client = new Client(file, { create: true, readwrite: true })
  try {
    giveToOwner(file)
    if (mode === 'alone') client.run('BEGIN EXCLUSIVE')
    else {
      client.run('BEGIN')
      client.query('SELECT count(*) FROM sqlite_schema').get()
    }
  } catch (cause) {
    client.close()
    if (!(cause instanceof SQLiteError) || cause.code !== 'SQLITE_BUSY') throw cause
    const other = mode === 'alone' ? 'a backup, a restore or a doctor' : 'a restore'
    throw new Error(`${other} is at work in ${dataDir}: try again when it is done`, { cause })
  }
  return { [Symbol.dispose]: () => client.close() }
}
