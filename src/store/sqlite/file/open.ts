import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../../files/folders.ts'
import { syncPath } from '../../../files/sync-path.ts'
import { readMeta, writeMeta } from '../log/meta.ts'
import { type Connection, connectWriter } from './connection.ts'
import { describeOpenError } from './error-advice.ts'
import { bringUpToDate } from './migrations.ts'
import { registerOpenFile, releaseReplaced } from './open-files.ts'
import { completeReplacement } from './replace.ts'
import { TreeLock } from './tree-lock.ts'

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
 * @param onReplaced called when a hot reload has this file opened anew: the file must be let go before it returns
 * @throws Error that names the file: another process has it open, it cannot be written, it is gone, damaged, no
 *   database, one of something else, or of a later version of this program
 */
export function openFile(file: string, onReplaced: () => void): OpenFile {
  if (!existsSync(file)) makeFolder(dirname(file))
  releaseReplaced(file)
  const lock = new TreeLock(file)
  try {
    completeReplacement(file)
    if (lock.hadTreeFile && !existsSync(file)) {
      throw new Error(
        `${file} is gone, and was there before: restore it, or remove ${lock.file} too to begin with an empty tree`,
      )
    }
    const tables = openTables(file)
    lock.noteFile()
    const forget = registerOpenFile(file, onReplaced)
    return {
      ...tables,
      unlock: () => {
        forget()
        lock[Symbol.dispose]()
      },
    }
  } catch (error) {
    lock[Symbol.dispose]()
    throw error
  }
}

function openTables(file: string): Pick<OpenFile, 'writer' | 'epoch'> {
  let writer: Connection | undefined
  try {
    writer = connectWriter(file)
    writer.client.run('PRAGMA synchronous = FULL')
    // What a killed process has left in the log is written to the file anew: a sync may have failed there.
    writer.client.run('PRAGMA wal_checkpoint(TRUNCATE)')
    bringUpToDate(writer)
    const epoch = readMeta(writer, 'epoch') ?? crypto.randomUUID()
    writeMeta(writer, 'epoch', epoch)
    // A process that was killed may have left commits that were never synced: from here on they are read and told of.
    syncPath(`${file}-wal`)
    // Its name too: later syncs of its content do not keep that.
    syncPath(dirname(file))
    writer.client.run('PRAGMA synchronous = NORMAL')
    return { writer, epoch }
  } catch (cause) {
    writer?.client.close()
    throw new Error(`cannot open ${file}: ${describeOpenError(cause)}`, { cause })
  }
}
