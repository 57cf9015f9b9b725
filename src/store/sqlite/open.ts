import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { migrate } from 'drizzle-orm/bun-sqlite/migrator'
import { makeFolder } from '../../folder.ts'
import { syncPath } from '../../sync-path.ts'
import { type Connection, connectWriter } from './connection.ts'
import { readMeta, writeMeta } from './meta.ts'
import { completeReplacement } from './replace.ts'
import { lockFile } from './tree-lock.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../drizzle/sqlite', import.meta.url))

/** A tree's file, opened for this process alone. */
export interface OpenFile {
  readonly writer: Connection
  /** Made with the file; a restored tree gets a new one. */
  readonly epoch: string
  /** Lets go of the lock that keeps other processes away. */
  unlock(): void
}

/**
 * Opens or creates the file, brings its tables up to date and makes file, log and directory entries durable.
 * @throws when another process has it open, or it is no database
 */
export function openFile(file: string): OpenFile {
  if (!existsSync(file)) makeFolder(dirname(file))
  const lock = lockFile(file)
  try {
    completeReplacement(file)
    const writer = connectWriter(file)
    writer.client.run('PRAGMA synchronous = FULL')
    migrate(writer.orm, { migrationsFolder: MIGRATIONS })
    const epoch = readMeta(writer, 'epoch') ?? crypto.randomUUID()
    writeMeta(writer, 'epoch', epoch)
    // A process that was killed may have left commits that were never synced: from here on they are read and told of.
    syncPath(`${file}-wal`)
    // Its name too: later syncs of its content do not keep that.
    syncPath(dirname(file))
    writer.client.run('PRAGMA synchronous = NORMAL')
    return { writer, epoch, unlock: () => lock.close() }
  } catch (error) {
    lock.close()
    throw error
  }
}
