import { Database as Client, SQLiteError } from 'bun:sqlite'
import { join } from 'node:path'
import { giveToOwner } from './ownership.ts'

/**
 * Keeps those who read the files of a folder apart from whoever replaces some: backups and doctors share it, a restore
 * has it alone. The system takes it back when the process dies.
 * @throws Error when the others have it
 */
export function lockFolder(dataDir: string, how: 'shared' | 'alone'): Disposable {
  const file = join(dataDir, 'maintenance-lock')
  const client = new Client(file, { create: true, readwrite: true })
  try {
    giveToOwner(file)
    if (how === 'alone') client.run('BEGIN EXCLUSIVE')
    else {
      client.run('BEGIN')
      client.query('SELECT count(*) FROM sqlite_schema').get()
    }
  } catch (cause) {
    client.close()
    if (!(cause instanceof SQLiteError) || cause.code !== 'SQLITE_BUSY') throw cause
    const other = how === 'alone' ? 'a backup, a restore or a doctor' : 'a restore'
    throw new Error(`${other} is at work in ${dataDir}: try again when it is done`, { cause })
  }
  return { [Symbol.dispose]: () => client.close() }
}
